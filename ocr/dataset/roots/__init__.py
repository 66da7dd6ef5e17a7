"""Where the label files and images of a dataset are, in a form that other processes can open.

- `root`: what every root can do, and which one a path names
- `folder`: files of this machine
- `tar`: a tar file, with `tar_index`: where in it its members are
- `lmdb_root`: LMDB files
- `store_root`: objects of a store
- `spelling`: names that a label row spells otherwise, with `undecoded`: those in GBK
- `inner_name`: names within a root that is no folder
- `listing`: the files in a folder of a root, in one order
"""

from ocr.dataset.roots.folder import FolderRoot
from ocr.dataset.roots.lmdb_root import LmdbRoot
from ocr.dataset.roots.root import Images, Root, find_root
from ocr.dataset.roots.store_root import StoreRoot
from ocr.dataset.roots.tar import TarRoot

__all__ = ["FolderRoot", "Images", "LmdbRoot", "Root", "StoreRoot", "TarRoot", "find_root"]
