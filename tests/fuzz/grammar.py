"""What is sent: values that follow a schema here and there, odd text, and bytes that were right once."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

ODD_TEXTS = [
    "", " ", "\0", "\n", "\r\nSet-Cookie: a=b", "\ud800", "\udfff\ud800", "\u202egnp", "\ufeff", "\uffff",
    "e\u0301" * 50,
    "../../etc/passwd", "..%2f..", "%00", "' OR 1=1 --", '"; DROP TABLE users; --', "${jndi:ldap://x}", "{{7*7}}",
    "<script>alert(1)</script>", "__proto__", "constructor", "null", "true", "NaN", "-1", "1e999", "9" * 400,
    "x" * 5_000,
    "00000000-0000-0000-0000-000000000000", "http://169.254.169.254/", "file:///etc/passwd", "javascript:alert(1)",
    "http://[::1]:0/", "https://a@b@c/", "http://\u2100.example", "2026-02-30T25:61:61Z", "🙂" * 20, "ﷺ", "İ", "ß",
]  # fmt: skip
ODD_NUMBERS = [0, -1, 1, 2**31, 2**53, 2**63, -(2**63), 2**64, 10**400, 0.1, -0.0, 1e308, float("inf"), float("nan")]

texts = st.sampled_from(ODD_TEXTS) | st.text(max_size=30)
numbers = st.sampled_from(ODD_NUMBERS) | st.integers() | st.floats()
atoms = st.none() | st.booleans() | numbers | texts
values = st.recursive(
    atoms,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts | st.text(max_size=6), inner, max_size=4),
    max_leaves=10,
)
header_texts = st.text(st.characters(min_codepoint=32, max_codepoint=255, exclude_characters="\x7f"), max_size=60).map(
    str.strip
)


def encoded(value: Any) -> bytes:
    """JSON as a careless or hostile client writes it: half surrogates, NaN and huge numbers included."""
    return json.dumps(value).encode()


@st.composite
def mutated(draw: st.DrawFn, whole: st.SearchStrategy[bytes]) -> bytes:
    """Bytes of `whole`, of which most examples are left alone and the others cut, doubled, overwritten or padded."""
    body = bytearray(draw(whole))
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 3]))):
        start = draw(st.integers(0, len(body)))
        end = min(len(body), start + draw(st.integers(0, 20)))
        piece = draw(st.binary(max_size=8) | st.sampled_from([b'"', b"{", b"[" * 70, b"\\u0000", b"\xff", b",", b"\0"]))
        body[start:end] = draw(st.sampled_from([b"", piece, bytes(body[start:end]) * 2]))
    return bytes(body)


def following(
    schema: Mapping[str, Any], root: Mapping[str, Any] | None = None, depth: int = 4
) -> st.SearchStrategy[Any]:
    """Values that mostly have the shape of a JSON schema, with something else at any place now and then."""
    root = schema if root is None else root
    if depth == 0:
        return atoms
    return st.one_of(*[_shaped(schema, root, depth)] * 6, values)


def _shaped(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> st.SearchStrategy[Any]:
    if "$ref" in schema:
        return following(root["$defs"][schema["$ref"].rpartition("/")[2]], root, depth)
    for word in ("anyOf", "oneOf", "allOf"):
        if word in schema:
            return st.one_of(*(following(part, root, depth) for part in schema[word]))
    if "enum" in schema or "const" in schema:
        return st.sampled_from(schema.get("enum") or [schema["const"]])
    return _typed(schema, root, depth)


def _typed(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> st.SearchStrategy[Any]:
    match schema.get("type"):
        case "object":
            return _object(schema, root, depth)
        case "array":
            return st.lists(following(schema.get("items", {}), root, depth - 1), max_size=4)
        case "string":
            return st.uuids().map(str) if schema.get("format") == "uuid" else texts
        case "integer" | "number":
            return st.integers(-2, 200) | numbers
        case "boolean":
            return st.booleans()
        case _:
            return values


def _object(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> st.SearchStrategy[Any]:
    fields = {name: following(part, root, depth - 1) for name, part in schema.get("properties", {}).items()}
    required = {name: fields[name] for name in schema.get("required", ()) if name in fields}
    optional = {name: field for name, field in fields.items() if name not in required}
    return st.one_of(
        *[st.fixed_dictionaries(required, optional=optional)] * 4,
        st.fixed_dictionaries({}, optional=fields),
        st.dictionaries(texts, values, max_size=3),
    )


def pairs(names: Sequence[str], known: st.SearchStrategy[str]) -> st.SearchStrategy[list[tuple[str, str]]]:
    """Parameters of a form or an address, in which one may stand twice."""
    return st.lists(st.tuples(st.sampled_from(list(names)) | texts, st.one_of(known, known, texts)), max_size=9)
