"""How a listing is cut, and what the key of a shard says."""

from dataclasses import replace

import pytest

from ocr.batch import shard as module
from ocr.batch.shard import MOST_TIMES, Shard, cut_shards
from ocr.batch.source import InputFile
from tests.ocr.batch.toy_batch import LIMITS

FILES = [InputFile(f"{number:04}.png", 10, f"content {number}") for number in range(400)]


def cut(files: list[InputFile], model: str = "m:1", files_per_shard: int = 8) -> list[Shard]:
    return list(cut_shards(files, files_per_shard=files_per_shard, model=model, limits=LIMITS))


def test_every_file_is_in_one_shard_in_its_order() -> None:
    shards = cut(FILES)

    assert [file for shard in shards for file in shard.files] == FILES
    assert len({shard.digest for shard in shards}) == len(shards)
    assert max(len(shard.files) for shard in shards) <= 8 * MOST_TIMES
    assert 25 < len(shards) < 100


def test_the_same_listing_is_cut_the_same_way() -> None:
    assert cut(FILES) == cut(list(FILES))


@pytest.mark.parametrize("place", [0, 57, 200, 400])
def test_a_new_file_changes_the_shard_that_it_falls_into_and_one_beside_at_most(
    place: int,
) -> None:
    new = InputFile("new.pdf", 10, "new")

    before = {shard.digest for shard in cut(FILES)}
    after = {shard.digest for shard in cut([*FILES[:place], new, *FILES[place:]])}

    assert 1 <= len(after - before) <= 2
    assert 0 <= len(before - after) <= 1


def test_another_content_model_or_limit_is_another_shard() -> None:
    files = FILES[:3]
    others = [
        cut([*files[:2], replace(files[2], content="changed")]),
        cut([*files[:2], replace(files[2], size=11)]),
        cut(files, model="m:2"),
        list(
            cut_shards(files, files_per_shard=8, model="m:1", limits=replace(LIMITS, max_pixels=77))
        ),
    ]

    digests = [tuple(shard.digest for shard in each) for each in [cut(files), *others]]

    assert len(set(digests)) == len(digests)


def test_large_files_make_small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 25)

    shards = cut(FILES, files_per_shard=1000)

    assert max(len(shard.files) for shard in shards) == 3
