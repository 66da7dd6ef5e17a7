"""What a user can set: parameters as the form, the YAML file and the job know them; settings.

- `base` – the base of every group of parameters
- `retrain` – the parameters of a project of lines, and of one of pages; its groups are
  `dataset` with its `sources`, `training` (its second engine is `paddleocr`), `evaluation`
  with its `further` sets, `gate`, `approval` and `deployment`
- `operation/` – when runs of a project start, and the forms of what is done by hand
- `layers` – YAML files that extend each other
- `templates` – kinds of machines, whose resources lie under those of a project
- `presets` – layered YAML files to parameters, and what a wrong key is told
- `jobs` – job.json and result.json, where tasks and the training process meet
- `people/` – who is asked, and who is told of what
- `settings` – what our processes read from the environment
"""
