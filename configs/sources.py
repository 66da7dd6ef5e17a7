"""What a source of a dataset does not read, and where it cannot be: refused before anything is."""

from configs.base import Params, hide_keys

LABELS = ("train_labels", "val_labels", "test_labels", "more_labels")


def refuse_lmdb_in_bucket(source: str, root: str) -> None:
    """Refuse LMDB files in a bucket, which cannot be mapped into memory there.

    Raises:
        ValueError: They are.
    """
    if source == "lmdb" and root.startswith("s3://"):
        raise ValueError(
            "root is a bucket, and the source lmdb maps files of this machine into memory; copy "
            "what it holds to a folder and name that as root"
        )


def refuse_unread(dataset: Params, *, source: str, reads_root: bool) -> None:
    """Refuse labelled data beside a source that renders its own, which would be learnt instead.

    Args:
        dataset: Has a root and label files; what equals its default, as a form sends it, is none.
        source: Of the dataset.
        reads_root: Whether a file is read that lies there.

    Raises:
        ValueError: Some are named.
    """
    if source != "synthetic":
        return
    for name in LABELS if reads_root else ("root", *LABELS):
        value = getattr(dataset, name)
        if value and value != type(dataset).model_fields[name].default:
            said = hide_keys(value) if isinstance(value, str) else [each.labels for each in value]
            raise ValueError(
                f"{name}: nothing reads {said!r}, for the source synthetic renders what is learnt; "
                f"set dataset.source: paddleocr, or what else the labels are, or leave {name} out"
            )
