"""What a researcher changes in the themes and the answers of a question, in the internal API's words. Pure.

Themes are named by label or id, and the answers that a split moves by persona or by words that they hold.
"""

from dataclasses import dataclass
from typing import Any, Literal

from mcp_server.errors import InvalidArguments, NotReady
from mcp_server.toolsets.panels._aggregation.reading import options_of, read, value_of
from mcp_server.toolsets.panels._aggregation.texts import WORDS, loose, plain
from mcp_server.toolsets.panels._creating import respondent
from mcp_server.toolsets.panels._study import NO_VIEW, OTHER, AskedQuestion, Reply

Action = Literal["merge", "rename", "split"]
RESERVED = {OTHER: "Other", NO_VIEW: "No view"}
SAID: dict[str, str] = WORDS["revising"]


@dataclass(frozen=True, slots=True)
class Revision:
    """The arguments of `revise_themes`; `answers` are personas by name or id."""

    action: Action
    themes: tuple[str, ...]
    label: str | None = None
    definition: str | None = None
    answers: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


def body(asked: AskedQuestion, revision: Revision) -> dict[str, Any]:
    """What is sent. Raises NotReady: the answers are not coded; InvalidArguments: what is named is not there."""
    if asked.status == "processing":
        raise NotReady("The question is still being answered; its themes are made after the last answer.")
    if not asked.coded_by:
        why = f"{asked.coding_failure}{SAID['ask_again']}" if asked.coding_failure else SAID["no_codes"]
        raise InvalidArguments(f"{SAID['not_coded']}{why}")
    themes = list(dict.fromkeys(_theme(asked, name) for name in revision.themes))
    if (len(themes) > 1) != (revision.action == "merge"):
        raise InvalidArguments("themes: merge takes two or more, rename and split take one")
    if revision.label is None and revision.action != "merge":
        raise InvalidArguments(f"label: {revision.action} needs the new theme's label")
    label = loose(revision.label or "")
    if label in map(loose, RESERVED.values()) or (revision.action != "split" and RESERVED.keys() & set(themes)):
        others = ", ".join(f'"{code.label}"' for code in asked.codebook if code.id and code.id not in RESERVED)
        raise InvalidArguments(SAID["reserved_stay"].format(others))
    if label and any(loose(code.label) == label for code in asked.codebook if code.id not in themes):
        raise InvalidArguments(f'label: "{revision.label}" is another theme; merge the two with action merge')
    given = {name: getattr(revision, name) for name in ("action", "label", "definition")} | {"themes": themes}
    if revision.action == "split":
        given |= {"mindIds": _moved(asked, themes[0], revision), "words": list(revision.words) or None}
    return {name: value for name, value in given.items() if value is not None}


def _theme(asked: AskedQuestion, name: str) -> str:
    labels = {code.id: code.label for code in asked.codebook if code.id}
    same = [identity for identity, label in labels.items() if name in {identity, label}]
    found = same[:1] or [identity for identity, label in labels.items() if loose(label) == loose(name)]
    if len(found) != 1:
        known = ", ".join(f'"{label}"' for label in labels.values())
        raise InvalidArguments(f'themes: there is no theme "{name}"; there are {known}')
    return found[0]


def _moved(asked: AskedQuestion, theme: str, revision: Revision) -> list[str]:
    """Ids of the personas whose answers go to the new theme."""
    holders = [one for one in asked.replies if any(mark.id == theme for mark in one.codes or ())]
    named, words = {respondent(holders, one) for one in revision.answers}, [plain(word) for word in revision.words]
    meant = (one for one in holders if one.persona_id in named or any(word in plain(one.message) for word in words))
    moved = list(dict.fromkeys(one.persona_id for one in meant if one.persona_id))
    if len(moved) in {0, n := len({one.persona_id for one in holders})}:
        which = "all" if moved else "none"
        raise InvalidArguments(f"answers, words: {which} of the theme's {n} answers fit; name some of them")
    return moved


def coded_value(asked: AskedQuestion, value: str) -> str:
    """The value as answers of this kind have it. Raises InvalidArguments: it is none."""
    if asked.coded_by:
        themes = (*(code.label for code in asked.codebook if code.id), *RESERVED.values())
        labels = {plain(theme): theme for theme in themes}
        named = [plain(part.strip()) for part in value.split(";") if part.strip()]
        if not named or not labels.keys() >= set(named):
            raise InvalidArguments(f"value takes themes of this question: {'; '.join(labels.values())}")
        return "; ".join(labels[name] for name in named)
    options = options_of(asked, asked.replies)
    reading = read(asked, options, Reply("", "", value=value))
    if not reading.usable:
        fits = " to ".join(map(str, asked.scale or ())) or "; ".join(options.labels)
        most = f", {asked.most} of them at most" if asked.most else ""
        raise InvalidArguments(f"value is no answer to this question, which takes {fits}{most}")
    found = value if asked.type == "qualitative" else value_of(reading)
    if asked.type == "scale" and not found.lstrip("-").isdecimal():
        ends = f" from {asked.scale[0]} to {asked.scale[1]}" if asked.scale else ""
        raise InvalidArguments(f"value: {found} is between two steps of the scale, which takes whole numbers{ends}")
    return found
