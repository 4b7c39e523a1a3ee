"""An error answer of the internal API, turned into this project's own failures.

Branches on the status and on the stable codes in `data` (minds-api.md section 3). The upstream's sentences are
untrusted text and stay behind; what is shown is written here.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2

from mcp_server import errors
from mcp_server.caller import Caller, current_caller
from mcp_server.minds_api.replies import llm_fault
from mcp_server.toolkit.json_coercion import items, mapping, whole, word

DEFAULT_RETRY_AFTER = 30.0  # seconds, when the upstream says 429 and not for how long

_SENTENCES: Mapping[str, Mapping[str, str]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
SAID, LLM_REFUSALS, MODEL_FAULTS = (_SENTENCES[name] for name in ("said", "language_model", "language_model_faults"))
REFUSED_LINKS, UNREADABLE, CONFLICTS = (_SENTENCES[name] for name in ("refused_links", "unreadable", "conflicts"))

_FIELD = re.compile(r"[A-Za-z]{1,40}(\.\d{1,4})?")
_LLM_REASON = re.compile(r"llm_([a-z_]{1,20}?)(?:_(\d{3}))?")
_LLM_HOST = re.compile(r"[A-Za-z0-9.:\[\]-]{1,255}")


class Missing(errors.ToolFailure):
    """404: it does not exist, or belongs to somebody else; the two are not distinguished."""

    code = "not_found"


class Conflict(errors.ToolFailure):
    """409: the state of the thing does not allow it. `data` is the upstream's, to be read by key only."""

    code = "conflict"

    def __init__(self, data: Mapping[str, Any]) -> None:
        super().__init__(CONFLICTS.get(str(data.get("code")), "the state of that object does not allow this now"))
        self.data = data


@contextmanager
def missing_as(message: str) -> Iterator[None]:
    """Somebody else's object and none at all look the same, and `message` says of both what to do."""
    try:
        yield
    except Missing:
        raise Missing(message) from None
    except errors.PermissionDenied as denied:
        if denied.scopes:
            raise
        raise Missing(message) from None


def refusal(status: int, body: Any, retry_after: float | None = None) -> errors.GatewayError | errors.ToolFailure:
    """The failure that an answer with `status` (400 and above) and parsed `body` stands for."""
    data = mapping(mapping(body).get("data"))
    fault = llm_fault(body)
    match status:
        case 401 | 402 | 403:
            return _denied(status, data, current_caller.get())
        case 404:
            return Missing("there is no such object, or it is not yours")
        case 409:
            return Conflict(data)
        case 429:
            return errors.RateLimitExceeded(DEFAULT_RETRY_AFTER if retry_after is None else retry_after)
        case _ if fault is not None:
            if fault == "invalid_prompt":
                return _refused(SAID["bad_prompt"], data)
            known = fault_of(word(data, "reason"), data.get("llmHost"))
            said = LLM_REFUSALS[fault] if known is None else f"{known[:1].upper()}{known[1:]}"
            return errors.ServiceUnavailable(said, retry_after=retry_after)
        case _ if status >= 500:  # noqa: PLR2004  the server's own range
            is_of_store = word(data, "code") == "STORE_UNAVAILABLE"  # the embedded API's database, which is our own
            return errors.ServiceUnavailable(SAID["store_away"] if is_of_store else None, retry_after=retry_after)
        case _:
            is_large = status == httpx2.codes.CONTENT_TOO_LARGE
            return _refused(SAID["too_large"] if is_large else SAID["invalid"].format(status=status), data)


def fault_of(reason: str | None, host: Any) -> str | None:
    """What is wrong with the language model behind the embedded API, as the end of a sentence.

    It is said as a stable word, `llm_`, a kind and the HTTP status; None where `reason` is another one.
    """
    found = _LLM_REASON.fullmatch(reason or "")
    if found is None or found[1] not in MODEL_FAULTS:
        return None
    where = f" at {host}" if isinstance(host, str) and _LLM_HOST.fullmatch(host) else ""
    return f"the language model{where} {MODEL_FAULTS[found[1]].format(status=found[2] or 'an error')}"


def _refused(general: str, data: Mapping[str, Any]) -> errors.Refused:
    reason, field = word(data, "code"), data.get("field")
    is_field = isinstance(field, str) and _FIELD.fullmatch(field) is not None
    known = REFUSED_LINKS.get(reason or "") or UNREADABLE.get(reason or "", general)
    return errors.Refused(known, reason=reason, field=field if is_field else None)


def _denied(status: int, data: Mapping[str, Any], caller: Caller) -> errors.GatewayError | errors.ToolFailure:
    # Whose token is good but whose linked key is not would sign in again and again, and be refused as often.
    is_linked_key = caller.kind == "oauth" and caller.credential is not None
    if status == httpx2.codes.UNAUTHORIZED:
        if is_linked_key:
            return errors.PermissionDenied(SAID["link_another"].format(page=caller.account_url))
        return errors.AuthenticationRequired("The internal API does not accept this credential", invalid_token=True)
    if data.get("code") in {"PLAN_LIMIT", "MODE_CAP", "MARKETPLACE_ADDON_REQUIRED"}:
        return errors.PlanLimit(_plan_sentence(data))
    scopes = [scope for one in items(data, "required") if (scope := word({"scope": one}, "scope")) is not None]
    if not scopes:  # not a matter of scopes, so a step-up would not help
        return errors.PermissionDenied("The internal API does not allow this to the account of this credential")
    if is_linked_key:  # its scopes are the key's, which no sign-in widens
        return errors.PermissionDenied(SAID["link_wider"].format(scopes=" ".join(scopes), page=caller.account_url))
    return errors.PermissionDenied(scopes=scopes)


def _plan_sentence(data: Mapping[str, Any]) -> str:
    what, plan = word(data, "limitType"), word(data, "currentPlan")
    limit, current = whole(data, "limit"), whole(data, "current")
    parts = [f"the plan's limit{f' for {what}' if what else ''} is reached"]
    if limit is not None:
        parts.append(f"the limit is {limit}" if current is None else f"{current} of {limit} used")
    if plan:
        parts.append(f"the plan is {plan}")
    return "; ".join(parts) + ". Waiting does not help: free some up, or change the plan."
