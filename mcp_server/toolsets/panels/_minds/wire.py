"""Bodies of the internal API, read with suspicion: unknown fields are ignored, missing ones are tolerated.

Only what the contract documents is relied on. What the embedded API adds (ids, statuses, who was asked) makes answers
more exact where it is there.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

from mcp_server.minds_api.refusals import fault_of
from mcp_server.toolkit.json_coercion import items, mapping, number, prose, text, unreadable, whole, word
from mcp_server.toolsets.panels._study import (
    MUTE,
    AskedQuestion,
    Code,
    Group,
    Mark,
    Member,
    QuestionType,
    Reply,
    ReplyStatus,
    Stance,
)

MESSAGE = 20_000
QUESTION = 10_000
LABEL = 1_000
ID = 64
TITLE = 300

TYPES: dict[str, QuestionType] = {kind: kind for kind in get_args(QuestionType)}
STANCES: dict[str | None, Stance] = {stance: stance for stance in get_args(Stance)}
STATUSES: dict[str, ReplyStatus] = {status: status for status in get_args(ReplyStatus)}


@dataclass(frozen=True, slots=True)
class Classification:
    """How the internal API understood a question."""

    type: QuestionType
    scale: tuple[int, int] | None = None
    options: tuple[str, ...] = ()
    most: int | None = None


UNDERSTOOD_AS_TEXT = Classification("qualitative")


def member(data: Mapping[str, Any]) -> Member | None:
    identity, name = text(data, "id"), text(data, "name")
    status = word(data, "trainingStatus")
    return Member(identity, name, _discipline(data, name), status) if identity and name else None


def _discipline(data: Mapping[str, Any], name: str) -> str | None:
    """What the persona is an expert in; its own name, which stands in where none was given, says nothing."""
    discipline = text(data, "discipline")
    return None if discipline == name else discipline


def group(data: Mapping[str, Any]) -> Group | None:
    """A group, in a listing or in a panel: first who cannot answer, the failed before all, for lists are cut."""
    identity, name = text(data, "id"), text(data, "name")
    if identity is None or name is None:
        return None
    members = [found for each in items(data, "minds") if (found := member(mapping(each))) is not None]
    return Group(identity, name, tuple(sorted(members, key=lambda one: [*MUTE, one.status].index(one.status))))


def made(body: Any, what: str) -> Mapping[str, Any]:
    """The object in `{data: …}`. Raises ServiceUnavailable: there is none with an id."""
    data = mapping(mapping(body).get("data"))
    if text(data, "id") is None or text(data, "name") is None:
        raise unreadable(what)
    return data


def _labels(data: Any, key: str) -> tuple[str, ...]:
    """The texts in a list; what is none is left out."""
    found = (text({"": each}, "", LABEL) for each in items(mapping(data), key))
    return tuple(one for one in found if one is not None)


def classification(data: Any) -> Classification | None:
    """None where the internal API does not say."""
    kind = TYPES.get(word(mapping(data), "type") or "")
    if kind is None:
        return None
    ends = [end for end in items(mapping(data), "scaleRange") if isinstance(end, int) and not isinstance(end, bool)]
    scale = (ends[0], ends[1]) if len(ends) == len(("low", "high")) and ends[0] < ends[1] else None
    most = whole(mapping(data), "most") if kind == "multiselect" else None
    return Classification(kind, scale if kind == "scale" else None, _labels(data, "options"), most)


def reply(data: Mapping[str, Any], group: str, group_id: str | None = None) -> Reply | None:
    """One answer in a result; None without the persona's name."""
    persona = text(data, "persona")
    if persona is None:
        return None
    value = text(data, "value", LABEL) or text(data, "rawValue", LABEL)
    message, error = prose(data, "message", MESSAGE), word(data, "errorCode")
    status = STATUSES.get(word(data, "status") or "", "answered" if value or message else "failed")
    by, at = (text(mapping(data.get("coded")), name) for name in ("by", "at"))
    sentiment = number(data, "sentiment")
    titles = [
        text(mapping(each), "title", TITLE) or text(mapping(each), "displaySource", TITLE)
        for each in items(data, "citationSources")
    ]
    return Reply(
        persona=persona,
        group=group,
        persona_id=text(data, "mindId"),
        group_id=group_id,
        discipline=_discipline(data, persona),
        # To know nothing on it is no outage.
        status="declined" if status == "failed" and (error or "").casefold() == "unsupported" else status,
        value=value,
        message=message or "",
        sentiment=sentiment if sentiment is not None and -1 <= sentiment <= 1 else None,
        origin=word(mapping(data.get("answerProvenance")), "origin"),
        sources=tuple(dict.fromkeys(title for title in titles if title is not None)),
        error=fault_of(error, text(data, "engine")) or error,
        coded=f"{by}, {at}" if by and at else None,
        codes=marks(data, f"{message or ''}\n{value or ''}"),
        stance=STANCES.get(word(data, "stance")),
    )


def marks(data: Mapping[str, Any], message: str) -> tuple[Mark, ...] | None:
    """The codes of one answer; a quote that the answer does not hold is none."""
    if not isinstance(data.get("codes"), list):
        return None
    found = []
    for each in map(mapping, items(data, "codes")):
        identity, label, quote = text(each, "id", ID), text(each, "label", LABEL), prose(each, "quote", MESSAGE) or ""
        if identity is not None and label is not None:
            found.append(Mark(identity, label, quote if quote in message else ""))
    return tuple(found)


def revisions(output: Mapping[str, Any]) -> tuple[str, ...]:
    """When the codes were changed by hand, and what was changed; whose account that was, says the audit log."""
    each = (mapping(one) for one in items(output, "codebookChanges"))
    said = ((text(one, "at"), text(one, "what", LABEL)) for one in each)
    return tuple(f"{at}: {what}" for at, what in said if what is not None)


def answer_event(event: Mapping[str, Any]) -> Reply | None:
    """One `answer` event of an ask; None when it does not say whose answer it is."""
    group, name = text(event, "audienceName"), text(event, "mindName")
    answer = event.get("answer")
    if group is None or name is None:
        return None
    given = mapping(answer) if isinstance(answer, Mapping) else {"message": answer, "value": event.get("value")}
    merged = {"discipline": event.get("discipline"), "mindId": event.get("mindId"), **given, "persona": name}
    if "status" in event:
        merged["status"] = event["status"]
    return reply(merged, group, text(event, "audienceId"))


def replies(output: Mapping[str, Any], known: Sequence[Group]) -> list[Reply]:
    """Every answer in an `outputData`; ids are found by name in the groups of the panel, where names are unique."""
    found: list[Reply] = []
    rest = list(known)
    for audience in map(mapping, items(output, "audiences")):
        if (name := text(audience, "audience") or text(audience, "name")) is None:
            continue
        same = next((group for group in rest if group.name == name), None)
        if same is not None:  # two groups may have one name, and come one after the other
            rest.remove(same)
        identity = text(audience, "audienceId") or (same.id if same else None)
        members = same.members if same else ()
        often = Counter(one.name for one in members)
        known_ids = {one.name: one.id for one in members if often[one.name] == 1}
        answers = (reply(mapping(answer), name, identity) for answer in items(audience, "answers"))
        found += [replace(one, persona_id=one.persona_id or known_ids.get(one.persona)) for one in answers if one]
    return found


def codebook(output: Mapping[str, Any]) -> tuple[Code, ...]:
    return tuple(
        Code(label, _labels(each, "originalLabels"), text(each, "id", ID))
        for each in map(mapping, items(output, "categoryCodebook"))
        if (label := text(each, "label", LABEL)) is not None
    )


def answered(question: AskedQuestion, output: Mapping[str, Any], known: Sequence[Group]) -> AskedQuestion:
    """`question` with what an `outputData` says of it; those who were asked and are not in it keep their replies."""
    understood = classification(output.get("classification")) or classification(output) or UNDERSTOOD_AS_TEXT
    found, failure = replies(output, known), mapping(output.get("codingFailure"))
    names = [name for each in items(output, "audiences") if (name := text(mapping(each), "audience")) is not None]
    return replace(
        question,
        type=understood.type,
        scale=understood.scale,
        options=understood.options or question.options,
        most=understood.most,
        groups=tuple(dict.fromkeys((*question.groups, *names))),
        replies=(*found, *besides(found, question.replies)),
        codebook=codebook(output),
        coded_by=method if (method := word(output, "codebookMethod")) in {"model", "embeddings"} else None,
        revisions=revisions(output),
        coding_failure=fault_of(word(failure, "reason"), text(failure, "llmHost")),
        asked_at=text(output, "askedAt") or question.asked_at,
        engine=text(output, "engine") or question.engine,
        calls=whole(mapping(output.get("usage")), "calls"),
        tokens=whole(mapping(output.get("usage")), "tokens"),
    )


def besides(found: Sequence[Reply], before: Iterable[Reply]) -> list[Reply]:
    """Those of `before` who are not in `found`, where a persona may be known by name only, and names are shared."""
    ids = {(one.group, one.persona_id) for one in found if one.persona_id is not None}
    names = {(one.group, one.persona) for one in found if one.persona_id is not None}
    nameless = Counter((one.group, one.persona) for one in found if one.persona_id is None)
    rest = []
    for one in before:
        who = (one.group, one.persona)
        if (one.group, one.persona_id) in ids or (one.persona_id is None and who in names):
            continue
        nameless[who] -= 1
        if nameless[who] < 0:
            rest.append(one)
    return rest
