"""Each notification as it arrives, at a real local sink or on the wire to a fixed host."""

import sys
from typing import get_args

import pytest
import requests

from configs.people.notifications import EventKind, NotifyParams
from tasks.notifying.delivery import deliver
from tasks.notifying.examples import example
from tasks.notifying.notice import Notice
from tasks.notifying.targets import Target
from tests.tasks.notifying.sinks import http_sink, smtp_sink, tap_https

PROMOTION = example("promotion", id_="1")
BODY = (
    "Candidate: accuracy 90.0% (88.0% to 91.7%) on 1,000 lines\n"
    "example:1f3a: 87.0%\n"
    "Change: +3.0 points (+1.0 to +5.0)\n"
    "Why: This is a test; nothing happened.\n"
    "Who: Li Wei\n"
    "More: ocrline notifications test"
)
TITLE = "ocrline: Promoted: example:9c41"
SLACK = "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/#general"
FIXED_HOSTS = {
    "slack": (SLACK, "hooks.slack.com"),
    "dingtalk": ("dingtalk://abcdef1234567890abcdef/", "oapi.dingtalk.com"),
    "wecom": ("wecombot://c0ffee-1234-botkey/", "qyapi.weixin.qq.com"),
    "feishu": ("feishu://f00d-token-of-feishu/", "open.feishu.cn"),
    "lark": ("lark://f00d-token-of-lark-1234567/", "open.larksuite.com"),
}


def show(text: str) -> None:
    """Show what arrived to who runs this with -s."""
    sys.stdout.write(f"{text}\n")


def target(url: str) -> Target:
    return Target(name="team", url=url, events=(), models=())


def test_webhook_receives_title_and_body() -> None:
    with http_sink() as sink:
        assert deliver(PROMOTION, target(f"json://{sink.address}/hook")) is None

    (arrived,) = sink.arrived
    show(f"\n--- json webhook (real sink) ---\n{arrived['title']}\n{arrived['message']}")
    assert (arrived["title"], arrived["message"]) == (TITLE, BODY)


def test_mail_is_one_plain_text() -> None:
    with smtp_sink() as sink:
        host, _, port = sink.address.partition(":")
        url = f"mailto://{host}:{port}/?from=ocr@example.com&to=team@example.com&mode=insecure"
        assert deliver(PROMOTION, target(url)) is None

    (arrived,) = sink.arrived
    show(f"\n--- e-mail (real sink) ---\nSubject: {arrived['subject']}\n{arrived.get_content()}")
    assert arrived["subject"] == TITLE
    assert arrived.get_content_type() == "text/plain"
    assert arrived.get_content().strip().replace("\r\n", "\n") == BODY


@pytest.mark.parametrize("name", FIXED_HOSTS)
def test_what_goes_to_a_fixed_host_reads_well(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    url, host = FIXED_HOSTS[name]
    sink = tap_https(monkeypatch)

    undelivered = deliver(PROMOTION, target(url))

    assert undelivered is None
    ((to, payload),) = sink.arrived
    show(f"\n--- {name} (what apprise would POST to {host}) ---\n{payload}")
    said = str(payload)
    assert host in to
    assert "Promoted: example:9c41" in said
    for line in BODY.splitlines():
        assert line in said.replace("\\n", "\n")


@pytest.mark.parametrize("kind", get_args(EventKind))
def test_every_kind_is_one_short_message(kind: EventKind) -> None:
    notice = example(kind, id_="1")

    show(f"\n--- {kind} ---\n{notice.title}\n{notice.body}")
    assert len(notice.title) < 80
    assert len(notice.body.splitlines()) < 8


def test_a_message_holds_no_control_characters_and_stays_short() -> None:
    notice = Notice(kind="failure", model="plates\n\x1b[2J", id="1", why="x\r\ny" * 1000)

    assert notice.title == "ocrline: Failed: plates [2J"
    assert len(notice.body) < 500
    assert notice.body.count("\n") == 0


def test_what_is_known_by_its_title_alone_arrives() -> None:
    with http_sink() as sink:
        assert (
            deliver(Notice(kind="drift", model="a", id="1"), target(f"json://{sink.address}/"))
            is None
        )

    assert [each["title"] for each in sink.arrived] == ["ocrline: Drift: a"]


def test_what_an_event_says_at_length_is_cut_and_not_refused() -> None:
    params = NotifyParams(kind="drift", model="m" * 300, why="x" * 2500)

    notice = Notice(kind=params.kind, model=params.model, id="1", why=params.why)

    assert len(notice.body) < 500


@pytest.mark.parametrize("name", [*FIXED_HOSTS, "json", "mail"])
def test_no_secret_is_in_what_goes_wrong(
    name: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    others = {
        "json": ("jsons://user:pass-word-1@example.com/secret-path-1", ""),
        "mail": ("mailto://user:pass-word-1@127.0.0.1:9/?from=a@b.example&to=c@d.example", ""),
    }
    url, _ = {**FIXED_HOSTS, **others}[name]
    tap_https(monkeypatch, error=requests.ConnectionError(f"Max retries exceeded with url: {url}"))

    undelivered = deliver(PROMOTION, target(url), pauses_s=())

    assert undelivered is not None
    show(f"\n{name}: {undelivered.why}")
    secrets = [part for part in url.partition("://")[2].split("/") if len(part) > 8]
    for secret in (*secrets, "pass-word-1", "secret-path-1", "botkey", "c0ffee"):
        assert secret not in undelivered.why
        assert secret not in caplog.text
        assert secret not in repr(target(url))


def test_a_target_that_answers_with_an_error_is_tried_again_and_given_up() -> None:
    with http_sink(status=503) as sink:
        undelivered = deliver(PROMOTION, target(f"json://{sink.address}/"), pauses_s=(0, 0))

    assert undelivered is not None
    assert len(sink.arrived) == 3


@pytest.mark.parametrize(
    ("error", "tries"),
    [
        (requests.ReadTimeout("Read timed out. (read timeout=6.0)"), 1),
        (requests.ConnectTimeout("Connection timed out. (connect timeout=4.0)"), 3),
        (requests.ConnectionError("refused"), 3),
    ],
    ids=["it may have arrived", "it did not arrive", "nobody is there"],
)
def test_what_may_have_arrived_is_not_sent_again(
    error: Exception, tries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[int] = []

    def send(*_: object, **__: object) -> None:
        sent.append(1)
        raise error

    monkeypatch.setattr("requests.adapters.HTTPAdapter.send", send)

    undelivered = deliver(PROMOTION, target("json://127.0.0.1/x"), pauses_s=(0, 0))

    assert undelivered is not None
    assert len(sent) == tries


def test_an_address_of_no_known_kind_is_told_without_showing_it() -> None:
    undelivered = deliver(PROMOTION, target("nonsense://secret-token"))

    assert undelivered is not None
    assert "secret-token" not in undelivered.why


def test_a_mail_server_that_is_not_there_is_told() -> None:
    url = "mailto://user:pass-word-1@127.0.0.1:9/?from=a@b.example&to=c@d.example"

    undelivered = deliver(PROMOTION, target(url), pauses_s=())

    assert undelivered is not None
    assert "pass-word-1" not in undelivered.why
