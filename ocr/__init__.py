"""The domain: what a dataset, a model, a reading, an evaluation and the gate's decision are.

- `errors`: the tree of errors; `processors`: how many processors there are to use;
  `wire`: how one process talks to those that work for it; `http_answer`: what a server answers,
  within bounds; `terminal`: what people read, in which nothing that is printed steers the terminal;
  `parquet`: rows of tables that somebody else wrote; `machine/`: what else the machine has and
  lacks, and what a training asks of it; `source_tree`: PaddleOCR's own code, where it is and which
- `image/`, `decoding/`: images and documents as files and as pixels, those of strangers in
  processes that have nothing to lose
- `store/`: where every artifact is kept
- `models/`: what a bundle, a pipeline and the registry are
- `dataset/`: from labels to a snapshot, of lines or of pages
- `synthesis/`: rendered lines and pages
- `reading/`, `batch/`: from pixels to text; many files to one table
- `proposal/`: labels that a model proposes for a person to check
- `evaluation/`: how well two models read the same images
- `gate/`: whether a candidate may replace the champion
- `report/`, `lineage/`: what a person reads about that; what every version came from and became
- `retention/`: what of a store nobody needs any more; `backup/`: a store in one file, and back
"""

import os

# ONNX Runtime reports models and machines to its maker from 1.29 on, unless it is told so before
# it is loaded; its own function to turn that off comes too late.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
