"""What a reply counts as: the number or the options that it gives, read strictly, or why it has none. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from mcp_server.toolsets.panels._aggregation.candidates import WORD
from mcp_server.toolsets.panels._aggregation.numbers import number
from mcp_server.toolsets.panels._aggregation.options import Options, names_none
from mcp_server.toolsets.panels._aggregation.parts import SENTENCE, distinct, listed
from mcp_server.toolsets.panels._aggregation.polarity import declines, partly_declines
from mcp_server.toolsets.panels._aggregation.texts import WORDS, bare, plain
from mcp_server.toolsets.panels._aggregation.unwrapping import unwrapped
from mcp_server.toolsets.panels._study import NO_VIEW as NO_VIEW_CODE
from mcp_server.toolsets.panels._study import AskedQuestion, Reply

FEW = 4  # words of a reply that chooses none and does not refuse
LONGEST, LONGEST_END = 4_000, 1_000  # characters of a reply to a closed question that are read, and those of its end


@dataclass(frozen=True, slots=True)
class Reading:
    """A number, or options (none of them is an answer, too), or nothing that counts.

    `others` is what was named but never offered.
    """

    usable: bool
    number: float | None = None
    choices: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


def options_of(asked: AskedQuestion, replies: Iterable[Reply]) -> Options:
    """The options of the question; where they are not known, what the replies gave."""
    if asked.type in {"scale", "qualitative"}:
        return Options(())
    offered = Options(asked.options)
    if offered.labels:
        return offered
    values = [reply.value for reply in replies if reply.status == "answered" and reply.value]
    if asked.type == "multiselect":
        values = [part for value in values if not names_none(value) for part in listed(value)]
    return Options(sorted(distinct(values).values(), key=str.casefold))


def settled(asked: AskedQuestion, options: Options, reply: Reply) -> tuple[Reply, Reading]:
    """The reply with the status that its words give it, and what it counts as. Sentiment is of answers that count."""
    reading = Reading(usable=False)
    if reply.status not in {"answered", "uncoded"}:
        return replace(reply, sentiment=None), reading
    is_open = asked.type == "qualitative"
    said = (reply.message or reply.value or "") if is_open else unwrapped(reply.value or reply.message)
    if not is_open and len(said) > LONGEST:  # an answer stands at either end; patterns take longer than in proportion
        said = f"{said[: LONGEST - LONGEST_END]}\n{said[-LONGEST_END:]}"
    declined = reply.coded is None and _declines(asked, options, reply, said)
    if asked.coded_by and is_open:
        declined = declined or {mark.id for mark in reply.codes or ()} == {NO_VIEW_CODE}
        reading = Reading(usable=reply.codes is not None and not declined)
    elif not declined:
        reading = _read(asked, options, reply, said)
    reply = reply if is_open else replace(reply, codes=None)  # those of a closed one only help to read it
    if reading.usable:
        found = reply.value if is_open else value_of(reading)
        if is_open and reply.coded and reply.codes:  # by hand, under the names that its themes have now
            found = "; ".join(reply.themes)
        came = reply.raw or reply.value
        return replace(reply, status="answered", value=found, raw=None if came == found else came), reading
    two = len(options.named(said)) > 1 or sum(map(str.isdecimal, WORD.findall(said))) > 1
    in_doubt = is_open or reply.coded is not None or two
    declined = declined or (not in_doubt and partly_declines(said))
    return replace(reply, status="declined" if declined else "uncoded", sentiment=None), reading


def _read(asked: AskedQuestion, options: Options, reply: Reply, said: str) -> Reading:
    """What it counts as by its words; of options also by other words that mean them, as the internal API tells."""
    reading, several = read(asked, options, replace(reply, value=said)), asked.type == "multiselect"
    sure = [(mark, options.surely(mark.quote)) for mark in reply.codes or () if mark.quote]
    told = [mark for mark, named in sure if not named or (not reading.usable and named == {mark.label})]
    told = [mark for mark in told if mark.label not in reading.choices]
    is_read = asked.type == "qualitative" or (reading.usable and not (several and reading.choices))
    if is_read or (not several and partly_declines(said)):
        return reading
    if reading.usable:  # what stands in other sentences than its options explains them
        named = [part for part in SENTENCE.split(said) if options.named(part)]
        told = [mark for mark in told if any(mark.quote in part for part in named) and not options.listed(said)]
    given = said
    for mark in told:
        said = said.replace(mark.quote, mark.label.lower())
    meant = read(asked, options, replace(reply, value=said)) if told else reading
    is_left_out = told and meant.others and "\n" in said  # of the lines of a list
    kept = set(reading.choices) & options.surely(given)  # a word alone may be one of the words that mean another
    return meant if kept <= set(meant.choices) and not is_left_out else Reading(usable=False)


def value_of(reading: Reading) -> str:
    """What a usable answer to a closed question counts as, in words."""
    return written(reading.number) if reading.number is not None else "; ".join(reading.choices) or "None"


def _declines(asked: AskedQuestion, options: Options, reply: Reply, said: str) -> bool:
    """Whether the words refuse to answer, or have no view; of an open answer its labels may say so, too."""
    if asked.type == "qualitative":
        labels = [part for part in map(bare, (reply.value or "").split(";")) if part]
        return not WORD.search(plain(said)) or declines(said) or bool(labels and all(map(declines, labels)))
    chooses_none = asked.type == "multiselect" and names_none(said) and len(WORD.findall(said)) <= FEW
    return declines(said) and not chooses_none and not options.offers(said)


def read(asked: AskedQuestion, options: Options, reply: Reply) -> Reading:
    """What the reply counts as, by the question's type."""
    value = reply.value or ""
    if asked.type == "qualitative":
        return Reading(usable=bool(reply.message.strip() or value.strip()))
    if asked.type == "scale":
        given = number(value, asked.scale)
        return Reading(usable=given is not None, number=given)
    if asked.type == "categorical":
        chosen = options.one(value)
        return Reading(usable=chosen is not None, choices=() if chosen is None else (chosen,))
    is_none = names_none(value) and not options.listed(value)
    found, others = (options.none, ()) if is_none else options.several(value)
    if not found and is_none:
        return Reading(usable=not any(options.several(one)[0] for one in SENTENCE.split(value) if not names_none(one)))
    return Reading(usable=0 < len(found) <= (asked.most or len(found)), choices=found, others=others)


def written(value: float) -> str:
    """A point of a scale as people write it: `8`, `7.5`."""
    return f"{value:.9f}".rstrip("0").rstrip(".")


def why(reply: Reply) -> str:
    """Of a reply that failed or was too slow; a word that is not known here is shown as it came."""
    word = "TIMEOUT" if reply.status == "timeout" else reply.error or ""
    return str(WORDS["reasons"].get(word.upper(), word or "error"))


def failure(reply: Reply) -> str:
    """Why this reply has no answer; nothing where it has one, or may still get one."""
    known = reply.status == "declined" and reply.error is not None
    return why(reply) if known or reply.status in {"failed", "timeout"} else ""
