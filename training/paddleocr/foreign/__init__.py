"""What is run in PaddleOCR's interpreter and imports nothing of ours.

- `run_tools` – its tools and those beside this one, one after another in a process
- `run_ranks` – one of them as the ranks of a training, one per device
- `keep_parts` – the trainer, with parts of the net that stay as they are
- `measure_tool` – what its loader and net make of the data
- `take_weights` – the weights of one net, as float32, for the tools that follow
- `portable_upsampling` – lets the tools that follow export what every form knows
- `classic_operators` – lets the tools that follow export the legacy form
"""
