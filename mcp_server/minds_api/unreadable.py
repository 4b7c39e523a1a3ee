"""Why a link, a file or an attachment was not read, in this gateway's own words.

Only the internal API's stable word is looked at: its sentences may quote a stranger's web page.
"""

from collections.abc import Mapping

UNREADABLE: Mapping[str, str] = {
    "not_text": "What the link leads to is not of a kind that is read.",
    "no_text": "What the link leads to has no readable text: a scan, an empty page, or one made by scripts.",
    "unreadable_pdf": "The PDF cannot be read: it is broken, empty, protected, or no PDF at all.",
    "unreadable_docx": "The Word document cannot be read: it is broken, or no DOCX at all.",
    "unreadable_json": "The JSON is not valid, or nested too deeply.",
    "unreadable_xml": "The XML is not well-formed.",
    "too_large": "What the link leads to is larger than what is read.",
    "timeout": "The page did not arrive in time.",
    "unreachable": "The server that the link names cannot be reached.",
    "http_status": "The server that the link names answered with an error.",
    "too_many_redirects": "The link redirects too often.",
    "bad_encoding": "The page is compressed in a way that cannot be read.",
    "private_address": "The link leads to an address that is not on the public internet, which is never fetched.",
    "bad_url": "The link is not a valid address.",
    "not_http": "The link, or one that it redirects to, is not an http or https address.",
    "bad_host": "The link, or one that it redirects to, has no usable host name.",
    "bad_port": "The link, or one that it redirects to, names a port that is not fetched from.",
    "credentials_in_url": (
        "The link, or one that it redirects to, holds a user name or password, and such links are not fetched."
    ),
}
"""By the internal API's word, the `data.code` of a refusal or the `reason` of a failed training."""
