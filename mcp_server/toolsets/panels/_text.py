"""Texts of the panel tools: results, complete on their own in a plain client, what was refused, and what to do next.

`result.txt.jinja` says what is in a result, and `next.txt.jinja` what comes after one.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mcp_server.errors import GatewayError, InvalidArguments, NotReady, Refused, ToolFailure
from mcp_server.minds_api.refusals import UNREADABLE, Conflict, Missing
from mcp_server.toolkit.arguments import REORDERING
from mcp_server.toolkit.json_coercion import items, mapping, text, word
from mcp_server.toolsets.panels._aggregation.texts import WORDS, percent, some
from mcp_server.toolsets.panels._exports.phrases import bar, one_line, points_of, ranges, short, shortened, templates
from mcp_server.toolsets.panels._results import QuestionResult
from mcp_server.toolsets.panels._study import Group, Study, mute

BY_HAND = {"uncoded": " code_answer does."}
MOST_BARS, MOST_QUESTION, MOST_QUOTES = 15, 300, 4
MOST_THEMES, MOST_DISSENT = 8, 5

KINDS = {"categorical": "single choice", "multiselect": "several choices", "qualitative": "open question"}


def question_text(result: QuestionResult) -> str:
    """One question with its figures, themes and strongest voices."""
    span = result.scale_range
    # Quotes that do not stand with a theme or with who sees it otherwise already.
    shown = {theme.quote.text for theme in result.themes[:MOST_THEMES] if theme.quote is not None}
    shown |= {voice.quote for voice in result.dissent[:MOST_DISSENT] if voice.quote}
    declined = 0 if result.overall.uncoded else result.overall.declined
    nobody = WORDS["had_something"].format(0, result.overall.members) if declined else "No usable answer"
    made = _ENVIRONMENT.get_template("result.txt.jinja").render(
        result=result,
        question=shortened(_line(result.question), MOST_QUESTION),
        kind=KINDS.get(result.type) or (f"scale {span[0]} to {span[1]}" if span else "scale"),
        nobody=nobody,
        bars=list(_distribution(result)),
        quotes=[quote for quote in result.quotes if quote.text not in shown][:MOST_QUOTES],
        notes=[*(f"{one.message}{BY_HAND.get(one.code, '')}" for one in result.caveats), *_making(result)],
    )
    return re.sub(r"\n{3,}", "\n\n", made).strip()


def _making(result: QuestionResult) -> Iterator[str]:
    """How the intervals in this text were computed, each method once; and what the language model was asked."""
    scales = [one.scale.interval for one in (result.overall, *result.groups) if one.scale]
    says_share = result.type != "scale" and any(caveat.code == "wide_interval" for caveat in result.caveats)
    shares = [count.interval for count in result.overall.counts] if says_share else []
    apart = [one.interval for one in result.differences if one.clear]
    names = dict.fromkeys(one.method.partition(",")[0] for one in (*scales, *shares, *apart) if one is not None)
    if names:
        yield f"95 % intervals: {', '.join(names)}."
    if result.calls:
        tokens = f" and {result.tokens:,} tokens" if result.tokens else ""
        yield f"It took {_count(result.calls, 'call')} to the language model{tokens}."


def _distribution(result: QuestionResult) -> Iterator[str]:
    """Options, the most frequent first; points of a scale in their order, in ranges where there are many."""
    n = result.overall.n
    if result.type == "qualitative" or not n:
        return
    if result.type == "scale":
        shown = ranges(points_of(result), result.overall.counts)
    else:
        ranked = sorted(result.overall.counts, key=lambda count: -count.count)
        shown = [(_line(count.value), count.count) for count in ranked]
    longest = max((count for _, count in shown), default=0) or 1
    width = min(30, max((len(label) for label, _ in shown[:MOST_BARS]), default=0))
    for label, count in shown[:MOST_BARS]:
        yield f"{shortened(label, width).rjust(width)} {bar(count / longest)} {count} ({percent(count / n)})"
    if len(shown) > MOST_BARS:
        yield f"... and {len(shown) - MOST_BARS} more"


def _line(said: str) -> str:
    """What somebody wrote, so that it cannot pass for lines of ours, move a cursor or turn a line round."""
    return one_line("".join(sign for sign in said if sign not in REORDERING))


MOST_NAMED = 8
LIST_PANELS = "Call list_panels to see the ids of your panels."
ASK_FIRST = "No question of this panel has an answer yet. Ask one with ask_panel, then call this again."
EMPTY, IN_TRAINING = (WORDS["refused"][name] for name in ("NO_MINDS", "IN_TRAINING"))
ADVICE: dict[str, str] = WORDS["advice"]


def explained(failure: GatewayError | ToolFailure) -> GatewayError | ToolFailure:
    """The failure of an ask, said so that the caller can go on."""
    if isinstance(failure, Conflict) and failure.data.get("code") == "PANEL_MINDS_NOT_READY":
        return not_ready(failure.data)
    refused: dict[str, str] = WORDS["refused"]
    if isinstance(failure, Refused) and failure.reason and failure.reason in {*UNREADABLE, *refused}:
        kinds = f" {ADVICE['readable']}" if failure.reason == "not_text" else ""
        sentence = refused.get(failure.reason) or f"{UNREADABLE[failure.reason]}{kinds} {ADVICE['without_it']}"
        return InvalidArguments(f"{failure.field}: {sentence}" if failure.field else sentence)
    if isinstance(failure, Missing):
        return Missing(f"The panel or one of its groups is not there any more. {LIST_PANELS}")
    return failure


def not_ready(data: Mapping[str, Any]) -> NotReady:
    """Who is not trained yet, and how far each is."""
    waiting = [mapping(each) for each in items(data, "notReady")]
    states = WORDS["training"]
    names = [
        f"{name} ({states.get(word(each, 'trainingStatus') or '', 'not trained')}"
        f"{f', id {identity}' if (identity := text(each, 'mindId')) else ''})"
        for each in waiting
        if (name := text(each, "name") or text(each, "mindName")) is not None
    ]
    who = f": {some(names, MOST_NAMED)}" if names else ""
    found = {word(each, "trainingStatus") for each in waiting}
    advice = "teach" if found == {"empty"} else "retrain" if found and found <= {"failed", "empty"} else "follow"
    return NotReady(f"nobody in this panel is ready to answer{who}. {ADVICE[advice]}")


def created(study: Study, personas: int, *, duplicate: bool, namesakes: int) -> str:
    what = "was made seconds ago by the same call" if duplicate else "is ready"
    said = f'The panel "{study.name}" {what}: {_count(len(study.groups), "group")}, {_count(personas, "persona")}.'
    states = {one.status for group in study.groups for one in group.members}
    advice = "wait" if states & {"queued", "running"} else "retrain" if states == {"failed"} else ""
    then = ADVICE.get(advice, "Next: ask_panel.")
    return f"{said}{_unable(study.groups)}{_namesakes(namesakes, 'panel')} {then}"


def created_group(group: Group, *, namesakes: int) -> str:
    said = f'The group "{group.name}" has {_count(len(group.members), "persona")}.'
    return f"{said}{_unable([group])}{_namesakes(namesakes, 'group')} Next: create_panel."


def _unable(groups: Iterable[Group]) -> str:
    """Who cannot answer yet, or at all."""
    return f" Not able to answer now: {some(names, MOST_NAMED)}." if (names := mute(groups)) else ""


def _namesakes(number: int, what: str) -> str:
    return (
        f" You have {_count(number, f'other {what}')} of that name, so use the {what}Id from now on." if number else ""
    )


def after_answer(
    result: QuestionResult, done: int, total: int, failure: GatewayError | ToolFailure | None, waiting: int = 0
) -> str:
    again = explained(failure).message if isinstance(failure, Missing) else "Ask it again."
    return next_step("after_answer", result, total - done, total, again, waiting)


def after_results(results: Sequence[QuestionResult], groups: Iterable[Group]) -> str:
    return f"{next_step('after_results', results)}{_unable(groups)}"


def exported(panel: str, file_name: str, questions: int, answers: int, *, partial: bool) -> str:
    said = f'{file_name}: the panel "{panel}" with {_count(questions, "question")} and {_count(answers, "answer")}.'
    return f"{said} A question is still being answered; export again when it is done." if partial else said


def next_step(step: str, *told: Any) -> str:
    """What comes next, by the macro `step` of `next.txt.jinja`."""
    said: str = getattr(_ENVIRONMENT.get_template("next.txt.jinja").module, step)(*told)
    return said


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


_ENVIRONMENT = templates(Path(__file__).parent, _line, figure=short, percent=percent, counted=_count)
