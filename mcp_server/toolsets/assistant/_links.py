"""The links of an answer made whole: against the address of its documentation, and the right way round."""

import re
from urllib.parse import urljoin, urlsplit

_CODE = r"(?P<code>```.*?(?:```|\Z)|`[^`\n]{1,300}`)"
_USUAL = r"\[(?P<text>[^\[\]\n]{1,300})\]\((?P<target>[^()\s]{1,2000})\)"
_INVERTED = r"\((?P<label>[^()\n]{1,300})\)\[(?P<link>(?:https?://|/|\.{1,2}/)[^\[\]\s]{0,2000})\]"
_LINKS = re.compile(f"{_CODE}|{_USUAL}|{_INVERTED}", re.DOTALL)
"""Bounded, so that a hostile text is read in linear time."""


def whole_links(text: str, docs_url: str) -> str:
    """`text` with `(text)[url]` as `[text](url)`, and relative links below `docs_url`, where that is known.

    Code stays as it is.
    """

    def link(found: re.Match[str]) -> str:
        if found["code"] is not None:
            return found[0]
        return f"[{found['text'] or found['label']}]({_absolute(found['target'] or found['link'], docs_url)})"

    return _LINKS.sub(link, text)


def _absolute(target: str, docs_url: str) -> str:
    """An address from the root is one of the documentation, which need not be the root of its host."""
    if not docs_url or target.startswith("//") or re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", target):
        return target
    base, folder = f"{docs_url}/", urlsplit(docs_url).path
    is_below = bool(folder) and re.match(rf"{re.escape(folder)}(?=[/?#]|$)", target) is not None
    return urljoin(base, target if is_below else target.lstrip("/"))
