"""A run whose model could never go online ends before its first stage."""

from collections.abc import Iterator
from types import ModuleType

import pytest

from configs.presets import load_params
from flows import retrain_lines, retrain_pages
from tasks.gateway_client import NotServedThere
from tests.serving.conftest import make_shelf
from tests.serving.gateway import running_gateway
from tests.tasks.conftest import empty

__all__ = ["empty"]

pytestmark = [pytest.mark.timeout(300), pytest.mark.usefixtures("empty")]


class Began(Exception):
    """The first stage was reached."""


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address and the store of a gateway that somebody started for another model."""
    folder = tmp_path_factory.mktemp("named")
    shelf = make_shelf(folder)
    with running_gateway(folder / "home", store=shelf.store, OCRLINE_MODELS="bars") as gateway:
        yield gateway.url, shelf.store


@pytest.mark.parametrize(
    ("flow", "preset"), [(retrain_lines, "smoke"), (retrain_pages, "smoke-pages")]
)
def test_nothing_is_done_for_a_model_that_the_gateway_will_not_serve(
    flow: ModuleType,
    preset: str,
    named: tuple[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    endpoint, store = named
    monkeypatch.setenv("OCRLINE_STORE", store)

    def begin() -> None:
        raise Began

    monkeypatch.setattr(flow, "sweep_leftovers", begin)
    given = ["name=plates", f"deployment.endpoint={endpoint}", "deployment.target=gateway"]
    params = load_params(preset, overrides=given)

    with pytest.raises(NotServedThere, match="serves only 'bars' to this key, not 'plates'"):
        next(flow._run(params, "deploy"))
    with pytest.raises(Began):
        next(flow._run(params, "judge"))
