"""Why a training failed, in this gateway's own words, and what to do about it.

Only stable words of the upstream are read: its sentences may quote a stranger's web page.
"""

from collections.abc import Mapping
from typing import Any

import mcp_server.toolsets.personas._wire as wire
from mcp_server.toolsets.personas.models import Failure

CAUSES: dict[str, tuple[str, str]] = {
    "COLLECTION_FAILED": (
        "None of its sources could be read.",
        "Check that the link is public and opens without signing in, or create the persona again from other material.",
    ),
    "PROFILE_GEN_FAILED": (
        "There was not enough material to make a character from.",
        (
            "Add knowledge to it and retrain it (POST /api/v1/minds/{id}/retrain), or create it again with more: "
            "a longer personaContext, more keywords or another link."
        ),
    ),
    "TIMEOUT": (
        "The training took too long and was stopped.",
        "Create it again; fewer or shorter sources train faster.",
    ),
    "INTERNAL": (
        "The training broke off through a fault of the service, not of the input.",
        "Create it again in a few minutes.",
    ),
}
UNKNOWN_CAUSE = ("The training failed, and no reason was given that is known here.", "Create the persona again.")
LOST = "Trying the same again will fail again: change the input first."

OTHER_PAGE = "Create the persona again with a link to another page."
OTHER_KIND = "Web pages, text, Markdown, CSV, JSON, XML, RTF, PDF and DOCX are read. Give a link to one of these."
WHOLE_FILE = "Check that the file opens and is not protected, or create the persona again with another one."
SMALLER = "Create the persona again with a link to a smaller page, or to a part of it."
ADDRESS = "Create the persona again with the full http or https address of a public page."
REFUSED: dict[str, tuple[str, str]] = {
    "not_text": ("What the link leads to is not of a kind that is read.", OTHER_KIND),
    "no_text": (
        "What the link leads to has no readable text: a scan, an empty page, or one made by scripts.",
        OTHER_PAGE,
    ),
    "unreadable_pdf": ("The PDF cannot be read: it is broken, empty, protected, or no PDF at all.", WHOLE_FILE),
    "unreadable_docx": ("The Word document cannot be read: it is broken, or no DOCX at all.", WHOLE_FILE),
    "unreadable_json": ("The JSON is not valid, or nested too deeply.", WHOLE_FILE),
    "unreadable_xml": ("The XML is not well-formed.", WHOLE_FILE),
    "too_large": ("What the link leads to is larger than what is read.", SMALLER),
    "timeout": (
        "The page did not arrive in time.",
        "Create the persona again later, or with a link to a smaller or faster page.",
    ),
    "unreachable": (
        "The server that the link names cannot be reached.",
        "Check the address, and create the persona again later.",
    ),
    "http_status": (
        "The server that the link names answered with an error.",
        "Check that the page exists and opens without signing in, then create the persona again.",
    ),
    "too_many_redirects": ("The link redirects too often.", "Create the persona again with the address where it ends."),
    "bad_encoding": ("The page is compressed in a way that cannot be read.", OTHER_PAGE),
    "private_address": (
        "The link leads to an address that is not on the public internet, which is never fetched.",
        "Create the persona again with the address of a public web page.",
    ),
    "bad_url": ("The link is not a valid address.", ADDRESS),
    "not_http": ("The link, or one that it redirects to, is not an http or https address.", ADDRESS),
    "bad_host": ("The link, or one that it redirects to, has no usable host name.", ADDRESS),
    "bad_port": ("The link, or one that it redirects to, names a port that is not fetched from.", ADDRESS),
    "credentials_in_url": (
        "The link, or one that it redirects to, holds a user name or password, and such links are not fetched.",
        ADDRESS,
    ),
}


def read_failure(error: Mapping[str, Any]) -> Failure:
    """Read the `error` of a failed training; a word that is not known here counts as absent."""
    code = wire.word(error, "code") or "UNKNOWN"
    explanation, advice = CAUSES.get(code, UNKNOWN_CAUSE)
    if code == "COLLECTION_FAILED":
        explanation, advice = REFUSED.get(wire.word(error, "reason") or "", (explanation, advice))
    retryable = wire.flag(error, "retryable")
    return Failure(
        code=code if code in CAUSES else "UNKNOWN",
        retryable=bool(retryable),
        explanation=explanation,
        what_to_do=advice if retryable is not False else f"{advice} {LOST}",
    )
