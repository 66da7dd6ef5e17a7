"""No stage's code changes without a thought about what it made before."""

from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from ocr.store.stages import STAGES, StageName
from tests.generations import (
    Recorded,
    describe_stages,
    digest_code,
    find_libraries,
    read_record,
)

IN_NO_KEY = {
    *("pydantic", "typing_extensions"),  # they check parameters; what is checked is in it
    *("httpx", "ijson", "lmdb"),  # they hand out what was put in
    "psutil",  # it says whether a process lives
    "ppocr",  # of PaddleOCR's tree, whose digest is in the job
}
BASELINES = {"rapidocr"}  # in the key only of what is measured beside it

each_stage = pytest.mark.parametrize("name", sorted(STAGES))


@pytest.fixture(scope="module")
def stages() -> Recorded:
    return describe_stages()


@each_stage
def test_code_that_changed_has_another_generation_or_makes_the_same(
    name: StageName, stages: Recorded
) -> None:
    generation, code = stages[name]
    recorded, recorded_code = read_record().get(name, (0, ""))

    if code != recorded_code and generation == recorded:
        pytest.fail(
            f"The code of {name!r} changed since its generation {generation} was recorded. If it "
            "makes something else of the same inputs now, raise its generation in "
            "ocr/store/stages.py. In any case run `make generations`, which records the code."
        )
    assert generation == recorded, f"run `make generations`: {name!r} has another generation"


def test_record_names_the_stages_and_no_other() -> None:
    assert list(read_record()) == sorted(STAGES)


@each_stage
def test_every_library_that_the_code_imports_is_in_the_key(name: StageName) -> None:
    packages = packages_distributions()
    stage = STAGES[name]

    imported = find_libraries(stage.code)

    missing = {
        library: packages.get(library)
        for library in imported - IN_NO_KEY - BASELINES
        if not {each.lower() for each in packages.get(library, [library])} & set(stage.libraries)
    }
    assert missing == {}


def test_what_paddleocrs_interpreter_runs_is_code_of_its_stages() -> None:
    root = Path(__file__).parents[1] / "training" / "paddleocr"
    files = {*root.glob("foreign/[!_]*.py"), *root.rglob("*_tool.py")}

    modules = {".".join(("training.paddleocr", *it.relative_to(root).parts))[:-3] for it in files}

    assert modules
    assert modules <= set(STAGES["train-paddleocr-recogniser"].code)
    assert modules <= set(STAGES["train-paddleocr-detector"].code)


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """Some code: a stage, what it imports where it needs it, and what it does not."""
    (tmp_path / "ocr").mkdir()
    (tmp_path / "ocr" / "__init__.py").write_text("")
    (tmp_path / "ocr" / "stage.py").write_text(
        '"""Words."""\n\ndef work():\n    """Do."""\n    from ocr import part\n    return part.A\n'
    )
    (tmp_path / "ocr" / "part.py").write_text("A = 1\n")
    (tmp_path / "ocr" / "layout.py").write_text("from ocr.stage import work\n")
    return tmp_path


@pytest.mark.parametrize(
    ("file", "text", "is_another"),
    [
        ("part.py", "A = 2\n", True),
        ("stage.py", "from ocr import part\ndef work():\n    return part.A\n", True),
        ("part.py", '"""What it is."""\n\nA = 1  # one\n', False),
        ("layout.py", "from ocr.stage import work as w\n", False),
    ],
)
def test_digest_follows_the_code_and_what_it_imports_alone(
    house: Path, file: str, text: str, is_another: bool
) -> None:
    before = digest_code(["ocr.stage"], house)

    (house / "ocr" / file).write_text(text)

    assert (digest_code(["ocr.stage"], house) != before) is is_another
