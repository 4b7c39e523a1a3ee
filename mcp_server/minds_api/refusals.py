"""An error answer of the internal API, turned into this project's own failures.

Branches on the status and on the stable codes in `data` (minds-api.md section 3). The upstream's sentences are
untrusted text and stay behind; what is shown is written here.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from mcp_server.caller import Caller, current_caller
from mcp_server.errors import (
    AuthenticationRequired,
    GatewayError,
    PermissionDenied,
    PlanLimit,
    RateLimitExceeded,
    Refused,
    ServiceUnavailable,
    ToolFailure,
)
from mcp_server.minds_api.replies import llm_fault

DEFAULT_RETRY_AFTER = 30.0
"""Seconds, when the upstream says 429 and not for how long."""

LLM_REFUSALS: Mapping[str, str] = {
    "ai_generation_error": "The language model behind the internal API gave no answer; try again in a moment",
    "model_not_found": ("The internal API has no such language model; whoever operates it has to choose another one"),
    "unsupported_model_capability": (
        "The language model behind the internal API cannot do this; whoever operates it has to choose another one"
    ),
}
"""By `data.errorType`: the internal API is there, which "cannot be reached" would deny."""

BAD_PROMPT = "the language model behind the internal API does not take this text; put it differently, or shorter"

INVALID = "the internal API refused the request as invalid (HTTP {status}); check the arguments"
TOO_LARGE = "that is too large for the internal API; send less, or a smaller file"

LINK_ANOTHER = "The Minds API does not accept the key that is linked to your account; link another one at {page}"

LINK_WIDER = "The Minds API key that is linked to your account does not allow {scopes}; link another one at {page}"

REFUSED_LINKS: Mapping[str, str] = {
    "not_http": "only http and https links are fetched; give the address of a public web page",
    "credentials_in_url": "links with a user name or password in them are not fetched; give the plain address",
    "bad_port": "that port is never fetched; give the address of a public web page",
    "bad_host": "that is not the address of a public web page; check its host name",
    "private_address": "that address is not on the public internet; give the address of a public web page",
}
"""What a link was refused for, by the internal API's stable word."""

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

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_:.-]{0,63}")
_FIELD = re.compile(r"[A-Za-z]{1,40}(\.\d{1,4})?")


class Missing(ToolFailure):
    """404: it does not exist, or belongs to somebody else; the two are not distinguished."""

    code = "not_found"


class Conflict(ToolFailure):
    """409: the state of the thing does not allow it. `data` is the upstream's, to be read by key only."""

    code = "conflict"

    def __init__(self, data: Mapping[str, Any]) -> None:
        super().__init__("the state of that object does not allow this now")
        self.data = data


@contextmanager
def missing_as(message: str) -> Iterator[None]:
    """Somebody else's object and none at all look the same, and `message` says of both what to do."""
    try:
        yield
    except Missing:
        raise Missing(message) from None
    except PermissionDenied as denied:
        if denied.scopes:
            raise
        raise Missing(message) from None


def refusal(status: int, body: Any, retry_after: float | None = None) -> GatewayError | ToolFailure:
    """The failure that an answer with `status` (400 and above) and parsed `body` stands for."""
    data = _mapping(_mapping(body).get("data"))
    word = llm_fault(body)
    match status:
        case 401:
            return _unaccepted(current_caller.get())
        case 402 | 403:
            return _forbidden(data)
        case 404:
            return Missing("there is no such object, or it is not yours")
        case 409:
            return Conflict(data)
        case 429:
            return RateLimitExceeded(DEFAULT_RETRY_AFTER if retry_after is None else retry_after)
        case _ if word is not None:
            return _of_model(word, data, retry_after)
        case _ if status >= 500:  # noqa: PLR2004  the server's own range
            return ServiceUnavailable(retry_after=retry_after)
        case _:
            return _refused(TOO_LARGE if status == 413 else INVALID.format(status=status), data)  # noqa: PLR2004  HTTP


def _of_model(word: str, data: Mapping[str, Any], retry_after: float | None) -> GatewayError | ToolFailure:
    if word == "invalid_prompt":
        return _refused(BAD_PROMPT, data)
    return ServiceUnavailable(LLM_REFUSALS[word], retry_after=retry_after)


def _acts_with_linked_key(caller: Caller) -> bool:
    return caller.kind == "oauth" and caller.credential is not None


def _unaccepted(caller: Caller) -> GatewayError:
    """Whose token is good but whose linked key is not would sign in again and again, and be refused as often."""
    if _acts_with_linked_key(caller):
        return PermissionDenied(LINK_ANOTHER.format(page=caller.account_url))
    return AuthenticationRequired("The internal API does not accept this credential", invalid_token=True)


def _refused(general: str, data: Mapping[str, Any]) -> Refused:
    code, field = data.get("code"), data.get("field")
    reason = code if _is_word(code) else None
    is_field = isinstance(field, str) and _FIELD.fullmatch(field) is not None
    return Refused(REFUSED_LINKS.get(reason or "", general), reason=reason, field=field if is_field else None)


def _forbidden(data: Mapping[str, Any]) -> GatewayError | ToolFailure:
    match data.get("code"):
        case "PLAN_LIMIT" | "MODE_CAP" | "MARKETPLACE_ADDON_REQUIRED":
            return PlanLimit(_plan_sentence(data))
        case _:
            required = data.get("required")
            scopes = [word for word in required if _is_word(word)] if isinstance(required, list) else []
            if not scopes:  # not a matter of scopes, so a step-up would not help
                return PermissionDenied("The internal API does not allow this to the account of this credential")
            caller = current_caller.get()
            if _acts_with_linked_key(caller):  # its scopes are the key's, which no sign-in widens
                return PermissionDenied(LINK_WIDER.format(scopes=" ".join(scopes), page=caller.account_url))
            return PermissionDenied(scopes=scopes)


def _plan_sentence(data: Mapping[str, Any]) -> str:
    what = data.get("limitType")
    plan, limit, current = data.get("currentPlan"), data.get("limit"), data.get("current")
    parts = [f"the plan's limit{f' for {what}' if _is_word(what) else ''} is reached"]
    if isinstance(limit, int):
        parts.append(f"{current} of {limit} used" if isinstance(current, int) else f"the limit is {limit}")
    if _is_word(plan):
        parts.append(f"the plan is {plan}")
    return "; ".join(parts) + ". Waiting does not help: free some up, or change the plan."


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and _WORD.fullmatch(value) is not None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
