"""Asks PaddleOCR's loader and net what they make of the data of a training, before it starts.

    PYTHON run_tools.py PARENT measure_tool.py TREE CONFIG ANSWER RANKS

The answer is a JSON object: `steps` of an epoch on so many ranks and, of a recogniser, `frames`
that the net gives a line, and `frames_if_twice_as_wide`. Some nets pool every line to the same
number of frames while they learn, and only later to one that goes with its width. So the backbone
is asked in training.
"""

import json
import logging
import os
import sys
from pathlib import Path
from typing import Any


def main(tree: str, config_path: str, answer: str, ranks: str) -> None:
    """Write the answer."""
    sys.path[0] = tree  # not this folder, with files of ours
    os.environ["PADDLE_TRAINERS_NUM"] = ranks  # by which its samplers share out an epoch
    import paddle
    import yaml
    from ppocr.data import build_dataloader  # type: ignore[import-not-found]

    config = yaml.safe_load(Path(config_path).read_text(encoding="utf-8"))
    paddle.set_device("gpu" if config["Global"]["use_gpu"] else "cpu")
    device, seed = paddle.device.get_device(), config["Global"]["seed"]
    batches = build_dataloader(config, "Train", device, logging.getLogger(), seed)
    found = {"steps": len(batches)}
    if config["Architecture"]["model_type"] == "rec":
        place = next(iter(batches.batch_sampler))[0]
        line = paddle.to_tensor(batches.dataset[place][0]).unsqueeze(0)
        found |= count_frames(config["Architecture"], line)
    Path(answer).write_text(json.dumps(found), encoding="utf-8")


def count_frames(architecture: dict[str, Any], line: Any) -> dict[str, int]:
    """Give a line (1, 3, H, W), and one of twice the width, to a net of a few classes."""
    import paddle
    from ppocr.modeling.architectures import build_model  # type: ignore[import-not-found]

    each = {"CTCLabelDecode": 2, "SARLabelDecode": 4, "NRTRLabelDecode": 5}
    is_multi = architecture["Head"]["name"] == "MultiHead"
    architecture["Head"] |= {"out_channels_list": each} if is_multi else {"out_channels": 2}
    net = build_model(architecture)
    net.eval()
    net.backbone.train()
    with paddle.no_grad():
        frames = [int(net(image).shape[1]) for image in (line, paddle.concat([line, line], axis=3))]
    return {"frames": frames[0], "frames_if_twice_as_wide": frames[1]}


if __name__ == "__main__":
    main(*sys.argv[1:])
