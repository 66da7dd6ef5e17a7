"""One form for two engines: the one that is named, and the embedded one where none is."""

import json
from pathlib import Path

import pytest

from configs.jobs import (
    PaddleOcrRuntime,
    TrainPaddleOcrRecogniserJob,
    TrainRecogniserJob,
    what_decides,
)
from configs.paddleocr import PaddleOcrDetectorParams, PaddleOcrParams, PaddleOcrRecogniserParams
from configs.presets import ConfigError, load_params
from configs.retrain import RetrainLinesParams, RetrainPagesParams
from configs.training import RecogniserTrainingParams, ResourceParams


def test_what_names_no_engine_is_for_the_embedded_one_and_keeps_its_key() -> None:
    before = {"kind": "train-recogniser", "store": "s", "snapshot": "d/0", "resources": {}}

    job = TrainRecogniserJob.model_validate(before | {"training": {"epochs": 3}})

    assert (job.training.engine, job.training.epochs) == ("embedded", 3)
    assert "engine" not in what_decides(job)["training"]
    assert what_decides(job).keys() == {"snapshot", "training", "resources"}


@pytest.mark.parametrize(
    ("net", "given"),
    [
        ("recogniser", PaddleOcrRecogniserParams(epochs=3)),
        ("detector", PaddleOcrDetectorParams(epochs=3)),
    ],
)
def test_each_net_of_pages_may_be_of_either_engine(
    tmp_path: Path, net: str, given: PaddleOcrParams
) -> None:
    project = tmp_path / "own.yaml"
    project.write_text(f"extends: _base\ntask: pages\n{net}: {{engine: paddleocr, epochs: 3}}\n")

    params = load_params(str(project))

    assert isinstance(params, RetrainPagesParams)
    other = "detector" if net == "recogniser" else "recogniser"
    assert (getattr(params, net), getattr(params, other).engine) == (given, "embedded")


PAGES = "extends: _base\ntask: pages\ndetector: "


@pytest.mark.parametrize(
    ("detector", "said"),
    [
        ("{engine: paddle}", "detector.engine: 'paddle' is not allowed; expected one of embedded,"),
        ("{engine: paddleocr, crop_px: 64}", "detector.crop_px: unknown key; did you mean"),
        ("{engine: paddleocr, size: base}", "detector.size: unknown key; allowed here: engine"),
        ("{size: bases}", "detector.size: 'bases' is not allowed"),
        ("{long_side: 640}", "detector.long_side: unknown key; did you mean detector.long_s"),
        ("{overrides: {}}", "detector: overrides: only PaddleOCR's own trainer knows this; add"),
        ("{engine: paddleocr}\nresources: {devices: 3}", "detector.batch_size: 8 is not allowed w"),
    ],
)  # fmt: skip
def test_what_a_detectors_engine_does_not_know_is_named(
    tmp_path: Path, detector: str, said: str
) -> None:
    project = tmp_path / "own.yaml"
    project.write_text(PAGES + detector)

    with pytest.raises(ConfigError) as refused:
        load_params(str(project))

    assert said in str(refused.value)


def test_the_receipts_of_both_engines_are_the_same_dataset() -> None:
    embedded, theirs = load_params("receipts"), load_params("receipts-ppocr")

    assert isinstance(theirs, RetrainPagesParams)
    assert theirs.dataset == embedded.dataset
    assert (theirs.detector.engine, theirs.recogniser.engine) == ("paddleocr", "paddleocr")


@pytest.mark.parametrize(
    ("preset", "given", "said"),
    [
        ("plates", "training.engine=paddle", "training.engine: 'paddle' is not allowed; expected"),
        ("plates-ppocr", "training.epoch=3", "training.epoch: unknown key; did you mean"),
        ("plates-ppocr", "training.epochs=-1", "training.epochs: -1 is not allowed; input should"),
        ("plates-ppocr", "training.width_px=100", "training.width_px: 100 is not allowed; input s"),
        ("plates-ppocr", 'training.net="configs/a\\0.yml"', "it has a NUL, which no file name has"),
        ("plates-ppocr", f"training.net={'a' * 300}", "is longer than a file name may be, 255"),
        ("plates-ppocr", "training.layout=fixed", "training.layout: unknown key; allowed here: en"),
        ("plates-ppocr", "training.pretrained=x", "training: pretrained and pretrained_sha256 go"),
        ("plates-ppocr", "training.pretrained=champions", "training: pretrained and pretrained_sh"),
        ("plates-ppocr", "training.pretrained_sha256=xyz", "training.pretrained_sha256: 'xyz'"),
        ("plates-ppocr", "training.teacher=x", "training: teacher and teacher_sha256 go together"),
        ("plates-ppocr", "training.amp=O1", "device: cpu is not allowed with training.amp: O1;"),
        ("plates-ppocr", "training.amp=O2", "device: cpu is not allowed with training.amp: O2;"),
        ("plates-ppocr", "training.epochs=0", "training: epochs: 0 needs pretrained: a file of"),
        ("plates-ppocr", "training.frozen=backbone", "training: frozen: backbone needs pretrained"),
        ("plates-ppocr", "training.amp=O3", "training.amp: 'O3' is not allowed; input should be"),
        ("plates-ppocr", "resources.devices=3", "devices: 3, which share a batch; expected a mult"),
        (
            "plates-ppocr",
            "resources={nodes: 3, rendezvous: 'a:1'}",
            "devices: 1 on 3 resources.nodes, which share a batch; expected a multiple of 3",
        ),
        ("plates", "training.epoch=3", "training.epoch: unknown key; did you mean training.epochs"),
        ("plates", "training.composition.enable=1", "did you mean training.composition.enabled?"),
        ("plates", "training.engine=null", "training.engine: None is not allowed; expected one"),
        ("plates", "training.overrides={}", "training: overrides: only PaddleOCR's own trainer kn"),
        ("plates", "training.pretrained=x", "knows this; add engine: paddleocr"),
        ("plates", "paddleocr.net=x", "paddleocr: unknown key; allowed here: name, dataset"),
        ("plates", "dataset.paddleocr=1", "dataset.paddleocr: unknown key; allowed here: name"),
    ],
)  # fmt: skip
def test_what_an_engine_does_not_know_is_named_without_its_tag(
    preset: str, given: str, said: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        load_params(preset, overrides=[given])

    assert said in str(refused.value)


def test_a_form_without_an_engine_fits_both_and_is_not_refused_for_it() -> None:
    field = RetrainLinesParams.model_json_schema()["properties"]["training"]

    assert "oneOf" not in field
    assert len(field["anyOf"]) == 2
    assert field["default"]["engine"] == "embedded"


def paddleocr_job(
    *, pretrained: str = "/w", sha256: str = "0" * 64, **runtime: str
) -> TrainPaddleOcrRecogniserJob:
    given = {"home": "/a", "python": "/b", "tree": "t", "packages": "p"} | runtime
    return TrainPaddleOcrRecogniserJob(
        store="s",
        snapshot="d/0",
        training=PaddleOcrRecogniserParams(pretrained=pretrained, pretrained_sha256=sha256),
        resources=ResourceParams(),
        runtime=PaddleOcrRuntime(**given),
    )


def test_tree_packages_and_weights_decide_and_their_places_do_not() -> None:
    def key(**changes: str) -> str:
        return json.dumps(what_decides(paddleocr_job(**changes)), sort_keys=True)

    assert key() == key(home="/x") == key(python="/x") == key(pretrained="/x")
    assert len({key(), key(tree="x"), key(packages="x"), key(sha256="1" * 64)}) == 4
    assert key() != key(pretrained="model:a:v1") == key(pretrained="model:a:v2")
    assert '"start": "by dictionary"' in key()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("to_static", True),
        ("clip_norm", 5.0),
        ("frozen", "backbone"),
        ("teacher_sha256", "1" * 64),
    ],
)
def test_what_older_jobs_do_not_say_is_in_a_key_where_it_says_something_else(
    name: str, value: object
) -> None:
    plain = paddleocr_job()
    other = plain.model_copy(update={"training": plain.training.model_copy(update={name: value})})

    assert name not in what_decides(plain)["training"]
    assert what_decides(other)["training"][name] == value


def test_mixed_precision_is_for_gpus() -> None:
    params = load_params("plates-ppocr", overrides=["training.amp=O1", "resources.device=gpu"])

    assert isinstance(params, RetrainLinesParams)
    assert params.training.amp == "O1"


def test_the_champion_needs_no_digest_and_takes_none() -> None:
    params = load_params("plates-ppocr", overrides=["training.pretrained=champion"])

    assert isinstance(params, RetrainLinesParams)
    given = ["training.pretrained=champion", f"training.pretrained_sha256={'ab' * 32}"]
    with pytest.raises(ConfigError, match="champion takes no pretrained_sha256; a run finds it"):
        load_params("plates-ppocr", overrides=given)


def test_the_default_is_the_embedded_engine() -> None:
    assert RetrainLinesParams.model_fields["training"].default == RecogniserTrainingParams()


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("https://user:hush-hush@x.org/w", "an address with a user, a password or what follows"),
        ("https://x.org/w?X-Amz-Signature=hush-hush", "what follows ? or # is not allowed, as job"),
        ("https://x.org/w#hush-hush", "fetch the file, give its path"),
        ("s3://bucket/hush-hush", "expected a path, or an address of the kind file, http or https"),
        ("http://[::1/hush-hush", "pretrained: Invalid IPv6 URL; expected a path"),
        ("http://x:99999/hush-hush", "pretrained: Port out of range 0-65535; expected"),
        ("https:///hush-hush", "its address begins otherwise"),
        ("file://host/hush-hush", "its address begins otherwise"),
    ],
)
def test_an_address_of_weights_that_would_leak_or_lead_nowhere_is_refused_unquoted(
    source: str, said: str
) -> None:
    given = [f"training.pretrained={source}", f"training.pretrained_sha256={'ab' * 32}"]

    with pytest.raises(ConfigError) as refused:
        load_params("plates-ppocr", overrides=given)

    assert said in str(refused.value)
    assert "hush-hush" not in str(refused.value)


def test_weights_of_a_teacher_have_an_address_without_secrets() -> None:
    sha256 = f"training.teacher_sha256={'ab' * 32}"
    for source in ("https://u:hush-hush@x.org/w", "model:plates:v1"):
        with pytest.raises(ConfigError, match=r"^training: teacher: .*address") as refused:
            load_params("plates-ppocr", overrides=[f"training.teacher={source}", sha256])
        assert "hush-hush" not in str(refused.value)


def test_where_the_weights_of_a_teacher_lie_decides_nothing() -> None:
    job = paddleocr_job()
    taught = [
        job.model_copy(update={"training": job.training.model_copy(update={"teacher": path})})
        for path in ("/a", "/b")
    ]

    assert what_decides(taught[0]) == what_decides(taught[1])
    assert taught[0].training.sources == ("/w", "/a")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (".nan", "Optimizer.beta1: nan is not allowed; expected a finite number"),
        ("-.inf", "Optimizer.beta1: -inf is not allowed; expected a finite number"),
        ("[1, {a: .inf}]", "Optimizer.beta1.1.a: inf is not allowed"),
        (
            "2024-01-01",
            r"Optimizer.beta1: datetime.date\(2024, 1, 1\) is not allowed; expected text",
        ),
        ("!!set {a}", r"Optimizer.beta1: \{'a'\} is not allowed; expected text or a number"),
        ("!!binary gICA", r"Optimizer.beta1: b'\\x80\\x80\\x80' is not allowed; expected text"),
        ('"\\uD800"', "Optimizer.beta1: '.*' is no text"),
        (f"{'[' * 40}{']' * 40}", "Optimizer: nested deeper than 32 keys and lists"),
        (f"[{'1,' * 10_001}]", r"Optimizer.beta1.999\d: more than 10000 keys and values"),
    ],
)
def test_what_job_json_would_hold_as_something_else_is_refused(value: str, said: str) -> None:
    with pytest.raises(ConfigError, match=f"training.overrides: {said}"):
        load_params("plates-ppocr", overrides=[f"training.overrides.Optimizer.beta1={value}"])


def test_a_wait_without_end_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"no_progress_timeout_s: inf is not allowed"):
        load_params("plates-ppocr", overrides=["training.no_progress_timeout_s=.inf"])
