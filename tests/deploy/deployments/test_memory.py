"""What is kept of projects that were refused."""

from deploy.deployments.memory import MOST_SAID, shorten


def test_a_reason_is_kept_in_a_line_that_is_not_too_long_and_tells_no_password() -> None:
    why = "a.yaml: endpoint: 'http://user:hunter2@x y' is not\nallowed" + "; unknown key" * 1000

    said = shorten(why)

    assert said.startswith("a.yaml: endpoint: 'http://…@x y' is not allowed; unknown key")
    assert len(said) == MOST_SAID + 1
