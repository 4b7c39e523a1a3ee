"""Raw HTTP answers to what is refused before any application sees it: bad framing and too many connections."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.http.headers import always
from app.http.origin_policy import OriginRules

EXPOSED = b"Retry-After"


@dataclass(frozen=True, slots=True)
class RawResponses:
    """Answers with the security headers, and with CORS where the origin is allowed.

    Attributes:
        rules: the allowed origins.
        https: whether to send Strict-Transport-Security.

    """

    rules: OriginRules = field(default_factory=OriginRules.nobody)
    https: bool = False

    def bad_request(self, reason: str, headers: Sequence[tuple[bytes, bytes]]) -> bytes:
        """400, and why. `headers` are those of the request, as far as they were understood."""
        return self._answer(b"400 Bad Request", reason, self._cors(headers))

    def full(self) -> bytes:
        """503 for a connection that there is no room for; nothing of its request has been read."""
        return self._answer(b"503 Service Unavailable", "Too many connections.", [(b"retry-after", b"1")])

    def _answer(self, status: bytes, reason: str, more: Sequence[tuple[bytes, bytes]]) -> bytes:
        body = reason.encode()
        lines = [
            (b"content-type", b"text/plain; charset=utf-8"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
            *((name.encode(), value.encode()) for name, value in always(https=self.https).items()),
            *more,
        ]
        head = b"".join(b"%s: %s\r\n" % line for line in lines)
        return b"HTTP/1.1 %s\r\n%s\r\n%s" % (status, head, body)

    def _cors(self, headers: Sequence[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        origins = [value for name, value in headers if name == b"origin"]
        if len(origins) != 1 or not self.rules.may_call(origins[0].decode("latin-1")):
            return [(b"vary", b"Origin")]
        return [
            (b"access-control-allow-origin", origins[0]),
            (b"access-control-expose-headers", EXPOSED),
            (b"vary", b"Origin"),
        ]
