"""Names for files that every file system and every header takes."""

import re
import unicodedata

from mcp_server.toolsets.panels._exports.plain import moment
from mcp_server.toolsets.panels._report import Report

LONGEST = 80
"""Characters of the panel's name that are kept."""

# Letters that do not come apart into an ASCII letter and a mark.
_LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "AE", "ø": "o", "Ø": "O", "œ": "oe", "Œ": "OE", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D"}
)
_OTHER = re.compile(r"[^A-Za-z0-9]+")


def file_name(report: Report, extension: str) -> str:
    """`panel-<name>-<date>.<extension>`, of ASCII letters, digits and hyphens.

    The word at the front keeps it from being empty, hidden, or one of the names that Windows keeps for devices.
    """
    made = moment(report.generated_at)
    parts = ["panel", _ascii(report.panel), f"{made:%Y-%m-%d}" if made else ""]
    return f"{'-'.join(part for part in parts if part)}.{extension}"


def _ascii(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name[: LONGEST * 2].translate(_LETTERS)).encode("ascii", "ignore").decode()
    return _OTHER.sub("-", plain).strip("-")[:LONGEST].rstrip("-")
