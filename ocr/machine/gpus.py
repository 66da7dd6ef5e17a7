"""How many GPUs a machine has."""

from ocr.machine.machine import Machine


def count_gpus(machine: Machine) -> int:
    """Count the GPUs that the driver lists; 0 where there is no driver."""
    answer = machine.ask("nvidia-smi", "-L")
    lines = answer.output.splitlines() if answer else []
    return sum(line.startswith("GPU ") for line in lines)
