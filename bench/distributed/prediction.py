"""What GPUs that nobody here has should give: on paper, from bytes and seconds."""

NETS = {"compact": 0.5e6, "PP-OCRv5 mobile": 8e6, "PP-OCRv5 server": 80e6}
"""Parameters, of which each has a gradient of four bytes; rounded."""
LINKS = {
    "8 GPUs, NVLink": (8, 200e9),
    "8 GPUs, PCIe 4": (8, 20e9),
    "4 x 8 GPUs, 100 Gbit/s": (32, 11e9),
    "4 x 8 GPUs, 10 Gbit/s": (32, 1.1e9),
    "4 x 8 GPUs, 1 Gbit/s": (32, 0.11e9),
}
"""Ranks, and bytes/s of the slowest link of their ring, a tenth below what it is sold as."""


def reckon_efficiency(*, parameters: float, ranks: int, bytes_per_s: float, step_s: float) -> float:
    """Return the share of the speed of `ranks` GPUs that exchanging gradients leaves.

    A ring sends 2 (n - 1) / n of the gradients over each link (Patarasuk and Yuan, 2009). Two
    thirds of a step are the backward pass, during which gradients travel; only what takes longer
    is waited for. Loaders that keep up, and steps of equal length, are taken for granted.

    Args:
        parameters: Of the net, with a gradient of four bytes each.
        ranks: GPUs.
        bytes_per_s: Of the slowest link.
        step_s: Of a step on one GPU with the same images per GPU.
    """
    exchange_s = 2 * (ranks - 1) / ranks * 4 * parameters / bytes_per_s
    return step_s / (step_s + max(0.0, exchange_s - step_s * 2 / 3))


def print_prediction(step_s: float) -> None:
    """Print the table of what no machine here could show."""
    print(f"\nPREDICTION, not measured: efficiency at most, where a step takes a GPU {step_s:g} s")
    print(f"{'':<24}" + "".join(f"{name:>17}" for name in NETS))
    for link, (ranks, bytes_per_s) in LINKS.items():
        found = [
            reckon_efficiency(
                parameters=parameters, ranks=ranks, bytes_per_s=bytes_per_s, step_s=step_s
            )
            for parameters in NETS.values()
        ]
        print(f"{link:<24}" + "".join(f"{efficiency:>17.2f}" for efficiency in found))
    print("Several machines were tried as processes of one; their speed is on paper only")
