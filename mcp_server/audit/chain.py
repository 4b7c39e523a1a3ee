"""Rows in one order that nobody can change unseen: each holds the number and the mark of the one before. Pure.

The mark is an HMAC and not a plain digest: who can write into a file or a table could otherwise alter a row and
compute the rest of the chain anew. So the rows prove themselves only to who has the key, which is not kept with them.
"""

import hashlib
import hmac
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

import orjson

from mcp_server.audit.entries import Entry
from mcp_server.observability.redaction import clean, shown

NOTHING_BEFORE = "0" * 64
MAX_TEXT = 300
PURPOSE = b"minds-gateway audit chain 1"
HASH_LENGTH = 64
TEXTS = (
    "outcome", "subject", "client", "client_name", "tool", "request", "address", "reason", "arguments", "summary",
)  # fmt: skip
HASH_MEMBER = b',"hash":"'


class ChainKey(NamedTuple):
    """Marks rows. `id` names it in the first row of a chain, and tells nothing of it."""

    id: str
    secret: bytes

    @classmethod
    def derived(cls, secret: str) -> "ChainKey":
        """From the installation's secret, which has enough of chance in it: one HMAC is the whole derivation."""
        key = hmac.digest(secret.encode(), PURPOSE, "sha256")
        return cls(hashlib.sha256(key).hexdigest()[:12], key)

    def mark(self, body: bytes) -> str:
        return hmac.digest(self.secret, body, "sha256").hex()


class Row(NamedTuple):
    """One row as it is kept.

    `body` is everything but the mark, in canonical JSON: sorted names, no blanks, UTF-8 (RFC 8785 but for the form of
    numbers); `fields` is the same, not encoded.
    """

    chain: str
    seq: int
    body: bytes
    hash: str
    entry: Entry
    fields: Mapping[str, Any]

    @property
    def line(self) -> bytes:
        """The whole row as one JSON object, without a line end."""
        return self.body[:-1] + HASH_MEMBER + self.hash.encode() + b'"}'


class Chain:
    def __init__(self, name: str, key: ChainKey) -> None:
        self.name, self.key = name, key
        self.seq, self.head = -1, NOTHING_BEFORE

    def add(self, entry: Entry) -> Row:
        entry.fields = entry.fields or fields_of(entry)
        fields = entry.fields | {"chain": self.name, "seq": self.seq + 1, "prev": self.head}
        body = orjson.dumps(fields, option=orjson.OPT_SORT_KEYS)
        self.seq, self.head = self.seq + 1, self.key.mark(body)
        return Row(self.name, self.seq, body, self.head, entry, fields)


def fields_of(entry: Entry) -> dict[str, Any]:
    """The fields of a row: only what is known, clean of secrets, line ends and other control characters."""
    texts = {name: value for name in TEXTS if (value := getattr(entry, name)) is not None}
    together = " ".join(texts.values())
    # Nearly all rows have nothing to clean, and one look at all of their texts says so.
    if plain(together) != together:
        texts = {name: plain(value) for name, value in texts.items()}
    fields: dict[str, Any] = {"time": instant(entry.time), "event": str(entry.event), **texts}
    if entry.ms is not None:
        fields["ms"] = round(entry.ms, 2)
    if entry.detail is not None:
        fields["detail"] = clean("", entry.detail, MAX_TEXT)
    return fields


def plain(text: str) -> str:
    """`text` on one line, without what moves a terminal's cursor or turns its direction, without secrets, not long.

    A line end in a name would let a client write lines of its own into every log that the row is copied to.
    """
    return shown(text, MAX_TEXT)


def instant(seconds: float) -> str:
    """ISO 8601 in UTC with microseconds: always of the same length, so that text sorts as time does."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


class Unreadable(ValueError):
    """The line is no row."""


def split_line(line: bytes) -> tuple[bytes, str]:
    """Body and mark of a line, byte for byte as they were written. Raises Unreadable: it does not end as a row does."""
    body, separator, mark = line.rpartition(HASH_MEMBER)
    if not separator or len(mark) != HASH_LENGTH + len(b'"}') or not mark.endswith(b'"}'):
        raise Unreadable
    return body + b"}", mark[:HASH_LENGTH].decode("ascii", "replace")


def read_body(body: bytes) -> dict[str, Any]:
    """The fields of a row. Raises Unreadable: it is no JSON object with a chain and a number."""
    try:
        fields = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise Unreadable from None
    match fields:
        case {"chain": str(), "seq": int()}:
            return dict(fields)
    raise Unreadable
