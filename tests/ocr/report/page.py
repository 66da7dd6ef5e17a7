"""A rendered report, taken apart as a browser would."""

from html.parser import HTMLParser

ATTACK = "\"><script>alert(1)</script><img src=x onerror='alert(2)'>{{ 7 * 7 }}"


class Page(HTMLParser):
    """Collects what a browser would load or run, and whether tags are closed in order."""

    VOID = frozenset({"meta", "link", "br", "img", "line", "circle", "polyline", "input"})

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.handlers: list[str] = []
        self.ids: set[str] = set()
        self._open: list[str] = []
        self.feed(html)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in self.VOID:
            self._open.append(tag)
        for name, value in attrs:
            if name in {"src", "href", "data", "action"}:
                self.addresses.append(value or "")
            if name.startswith("on"):
                self.handlers.append(name)
            if name == "id":
                self.ids.add(value or "")

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self._open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
