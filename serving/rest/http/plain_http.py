"""HTTP/1.1 and nothing else: who asks for another protocol is answered in this one.

Java's HttpClient and ``curl --http2`` ask for HTTP/2 with every first request. A server may ignore
that (RFC 9110, 7.8); httptools would pass over the body, and take it for the next request.
"""

import sys
from typing import Any, Final

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

FRAMING: Final = (b"content-length", b"transfer-encoding")
"""Headers that say where a body ends."""


class PlainHttp(HttpToolsProtocol):
    """uvicorn's connection; it upgrades to nothing, and takes trailers for no headers."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._is_in_head = False
        self._data = self._rest = b""
        self._framing = b""  # of a body that the parser passes over
        self._is_replaying = False

    def data_received(self, data: bytes) -> None:
        """Parse what came, and what is behind a request that asked for another protocol."""
        self._rest = data
        while self._rest:
            self._data, self._rest = self._rest, b""
            super().data_received(self._data)
        self._data = b""

    def on_message_begin(self) -> None:
        """A request begins."""
        if not self._is_replaying:
            self._is_in_head = True
            super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """A piece of the URL."""
        if not self._is_replaying:
            super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header, or a trailer."""
        if self._is_in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Start to answer."""
        if self._is_replaying:
            return
        self._is_in_head = False
        if self.parser.should_upgrade():
            framing = (header for header in self.headers if header[0] in FRAMING)
            self._framing = b"".join(b"%b: %b\r\n" % header for header in framing)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """A request is complete, unless its body has been passed over."""
        if not self._framing:
            if not self.parser.should_keep_alive():  # as a trailer may say, too
                self.cycle.keep_alive = False
            super().on_message_complete()

    def _unsupported_upgrade_warning(self) -> None:
        """Have the parser expect the body after all: uvicorn calls this as the parser stops."""
        met = sys.exc_info()[1]
        if not isinstance(met, HttpParserUpgrade):
            raise TypeError(f"uvicorn warns of {met!r}, expected what httptools raises")
        self._rest = self._data[met.args[0] :]
        framing, self._framing = self._framing, b""
        if framing:
            self._replay(b"POST / HTTP/1.1\r\n" + framing + b"\r\n")

    def _replay(self, head: bytes) -> None:
        """Have the parser expect what a head announces; the head itself is known."""
        if not self.cycle.keep_alive:  # such a parser ignores what comes
            self.parser = HttpRequestParser(self)
            self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn does
            head = head.removesuffix(b"\r\n") + b"connection: close\r\n\r\n"
        self._is_replaying = True
        try:
            self.parser.feed_data(head)
        except HttpParserError:
            self._rest = b""
            self.send_400_response("Invalid HTTP request received.")
        finally:
            self._is_replaying = False
