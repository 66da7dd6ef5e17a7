"""What a dataset's parameters refuse before anything is read."""

import re

import pytest

from configs.presets import ConfigError, load_params
from configs.retrain import RetrainLinesParams, RetrainPagesParams

FURTHER = "evaluation.further=[{name: a, labels: x, source: lmdb, root: 's3://scans/a'}]"


@pytest.mark.parametrize(
    ("overrides", "key"),
    [
        (["dataset.source=lmdb", "dataset.root=s3://scans/may"], "dataset"),
        ([FURTHER], "evaluation.further.0"),
    ],
)
def test_lmdb_files_in_a_bucket_are_refused(overrides: list[str], key: str) -> None:
    with pytest.raises(ConfigError, match=rf"^{key}: root is a bucket.*copy what it holds to a f"):
        load_params("plates", overrides=overrides)


@pytest.mark.parametrize("preset", ["meters", "demo"])
@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("root=/data", "root: nothing reads '/data'"),
        ("root=s3://me:hush@host/a", "root: nothing reads '…@host/a'"),
        ("train_labels=own.txt", "train_labels: nothing reads 'own.txt'"),
        ("val_labels=rec_val.txt", "val_labels: nothing reads 'rec_val.txt'"),
        ("test_labels=rec_test.txt", "test_labels: nothing reads 'rec_test.txt'"),
        ("more_labels=[{labels: a}]", "more_labels: nothing reads ['a']"),
    ],
)
def test_labelled_data_beside_a_source_that_renders_are_refused(
    preset: str, override: str, said: str
) -> None:
    with pytest.raises(ConfigError, match=rf"^dataset: {re.escape(said)}.*source: paddleocr, or"):
        load_params(preset, overrides=[f"dataset.{override}"])


@pytest.mark.parametrize("read", ["synthesis.corpus", "charset_file"])
def test_a_root_beside_a_source_that_renders_may_hold_texts_or_characters(read: str) -> None:
    overrides = ["dataset.root=/data", f"dataset.{read}=a.txt"]

    assert load_params("meters", overrides=overrides).dataset.root == "/data"
    with pytest.raises(ConfigError, match="val_labels: nothing reads"):
        load_params("meters", overrides=[*overrides, "dataset.val_labels=rec_val.txt"])


@pytest.mark.parametrize("preset", ["meters", "demo"])
def test_a_form_of_rendered_data_states_every_default(preset: str) -> None:
    params = load_params(preset)

    assert type(params).model_validate(params.model_dump(mode="json")) == params


@pytest.mark.parametrize(
    ("preset", "override"),
    [
        ("plates", "dataset.group_pattern=(a"),
        ("receipts", "dataset.group_pattern=(a"),
        ("plates", "evaluation.further=[{name: a, labels: x, group_pattern: (a}]"),
    ],
)
def test_a_pattern_that_is_none_is_named_with_its_fault(preset: str, override: str) -> None:
    with pytest.raises(ConfigError) as refused:
        load_params(preset, overrides=[override])

    assert "group_pattern: '(a' is not allowed; " in str(refused.value)
    assert "no regular expression: missing ), unterminated subpattern" in str(refused.value)


@pytest.mark.parametrize("pattern", ["a{99999999999999999999}", "(" * 5000], ids=["a", "b"])
def test_a_pattern_beyond_what_can_be_compiled_is_refused_like_any_other(pattern: str) -> None:
    with pytest.raises(ConfigError, match="it is no regular expression"):
        load_params("plates", overrides=[f"dataset.group_pattern='{pattern}'"])


@pytest.mark.parametrize("key", ["root", "train_labels", "val_labels", "test_labels"])
@pytest.mark.parametrize(
    ("name", "fault"), [("é" * 128, "longer than a file name may be, 255"), ("a\\0b", "NUL")]
)
def test_a_name_that_no_file_has_is_refused(key: str, name: str, fault: str) -> None:
    with pytest.raises(ConfigError, match=rf"dataset.{key}: .*{fault}"):
        load_params("plates", overrides=[f'dataset.{key}="{name}"'])


@pytest.mark.parametrize(
    ("written", "read"), [("gbk", "gb18030"), ("GB2312", "gb18030"), ("UTF8", "utf-8")]
)
@pytest.mark.parametrize("preset", ["plates", "receipts"])
def test_an_encoding_has_its_other_names_too(preset: str, written: str, read: str) -> None:
    params = load_params(preset, overrides=[f"dataset.encoding={written}"])

    assert isinstance(params, RetrainLinesParams | RetrainPagesParams)
    assert params.dataset.encoding == read
