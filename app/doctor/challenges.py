"""Reading `WWW-Authenticate` (RFC 9110 section 11.6.1), in which commas separate challenges and parameters alike."""

import re

_PART = re.compile(
    r"""\s*(?:,\s*)*(?:
        (?P<name>[!#$%&'*+.^_`|~\w-]+)\s*=\s*(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<bare>[^\s,"]+))
        |(?P<scheme>[!#$%&'*+.^_`|~\w-]+)
    )""",
    re.VERBOSE,
)
LONGEST = 8192
"""Characters of a header that are read."""


def bearer(header: str) -> dict[str, str] | None:
    """The parameters of the Bearer challenge, names in lower case; None without such a challenge."""
    scheme = ""
    found: dict[str, str] | None = None
    for part in _PART.finditer(header[:LONGEST]):
        if part["scheme"]:
            scheme = part["scheme"].lower()
            if scheme == "bearer" and found is None:
                found = {}
        elif scheme == "bearer" and found is not None:
            found.setdefault(part["name"].lower(), _value(part))
    return found


def _value(part: re.Match[str]) -> str:
    return part["bare"] if part["quoted"] is None else re.sub(r"\\(.)", r"\1", part["quoted"])
