"""What is wrong with the language model behind the embedded API: which setting, which host, and what it answered.

The embedded API says it as a stable word, `llm_`, a kind and the HTTP status, and names the host beside it.
"""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

SENTENCES: Mapping[str, str] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_REASON = re.compile(r"llm_([a-z_]{1,20}?)(?:_(\d{3}))?")
_HOST = re.compile(r"[A-Za-z0-9.:\[\]-]{1,255}")


def fault_of(reason: str | None, host: str | None) -> str | None:
    """The fault as the end of a sentence; None where `reason` is not about a language model."""
    found = _REASON.fullmatch(reason or "")
    if found is None or found[1] not in SENTENCES:
        return None
    where = f" at {host}" if host is not None and _HOST.fullmatch(host) else ""
    return f"the language model{where} {SENTENCES[found[1]].format(status=found[2] or 'an error')}"
