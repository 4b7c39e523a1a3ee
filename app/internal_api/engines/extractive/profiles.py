"""A persona's profile, system prompt and topics, from its own words and from what its knowledge is about. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from app.internal_api.engines.engine import Profile
from app.internal_api.engines.extractive.questions import WORDS
from app.internal_api.engines.snippets import distinct, one_line, shorten
from app.internal_api.knowledge.documents import Passage
from app.internal_api.knowledge.terms import STOP_WORDS, words_of
from app.internal_api.store.minds import Mind

HEADING = "Topics you know about:"
_MOST_TRAITS = 8
_LONGEST_TRAIT = 60
_LONGEST_DESCRIPTION = 600
_LONGEST_CONTEXT = 400
_MOST_OUTLINED, _MOST_TOPICS = 24, 3
_LONGEST_RUN = 3
_MOST_WORDS = 6  # of a topic; what has more, or ends as sentences do, is no phrase
_LONGEST_TOPIC = 80
_NAME = re.compile(WORDS["name"])
_TYPES: Mapping[str, str] = WORDS["types"]
RULES: str = WORDS["prompt"]["rules"]


def write_profile(persona: Mind) -> Profile:
    """Discipline, description and traits; nothing is added that the owner did not say."""
    named = (shorten(name, _LONGEST_TRAIT) for name in [*persona.keywords, *persona.tags])
    traits = distinct(filter(None, named))[:_MOST_TRAITS]
    discipline = one_line(persona.discipline or "") or next(iter(traits), "") or "General knowledge"
    described, words = one_line(persona.described), shorten(persona.context, _LONGEST_CONTEXT)
    said = [_ended(text) for text in dict.fromkeys([described, words]) if text]
    if not said:
        subjects = ", ".join(traits) or discipline
        said = [f"{one_line(persona.name)} is {_TYPES.get(persona.type, _TYPES['expert'])}, at home in {subjects}."]
    return Profile(discipline, shorten(" ".join(said), _LONGEST_DESCRIPTION), traits)


def write_prompt(persona: Mind, profile: Profile, outline: Iterable[str], character: str = "") -> str:
    """The system prompt: who speaks, what about, by which rules; `character` may add to who speaks."""
    about = [f"You are {one_line(persona.name)}, {_TYPES.get(persona.type, _TYPES['expert'])}."]
    about.append(f"Your field is {one_line(profile.discipline)}.")
    if profile.description:
        about.append(_ended(one_line(profile.description)))
    if profile.traits:
        about.append(f"What marks you: {', '.join(map(one_line, profile.traits))}.")
    topics = [f"- {topic}" for topic in _topics(outline)]
    known = "\n".join([HEADING, *topics]) if topics else "You have read nothing yet, so you can only say who you are."
    return "\n\n".join(part for part in (" ".join(about), character.strip(), known, RULES) if part)


def topics_of(persona: Mind, passages: Sequence[Passage]) -> tuple[str, ...]:
    """A few phrases, best source first: the system prompt, the passages, the persona's own labels."""
    called = one_line(persona.name).casefold()
    own = {called, f"about {called}"}  # and the title of what its owner said of it: neither is a topic
    outline = (persona.system_prompt or "").partition(HEADING)[2].partition("\n\n")[0]
    outlined = re.findall(r"^- (.+)$", outline, re.MULTILINE)
    read = [passage.heading or passage.title for passage in passages]
    labels = [*persona.tags, *filter(None, [persona.discipline])]
    sources = ([name for name in names if name.casefold() not in own] for names in (outlined, read, labels))
    last = (_topics(name.rpartition(" > ")[2] for name in names) for names in sources)
    phrases = ([each for each in names if len(each.split()) <= _MOST_WORDS and each[-1] not in "?!"] for names in last)
    named = next(filter(None, phrases), [])
    whole = [called, *map(str.casefold, named)]  # what is but a part of one of these is no topic of its own
    kept = [one for one in named if not any(one.casefold() in held != one.casefold() for held in whole)]
    return tuple(kept[:_MOST_TOPICS])


def phrases_of(text: str) -> tuple[str, ...]:
    """Phrases of a text without headings: names, or a few words between stop words, the most frequent first."""
    runs, names = Counter[str](), Counter(_NAME.findall(text))
    for part in re.split(r"[^\w\s'\u2019-]+|\n", text):
        for is_stop, words in groupby(part.split(), key=lambda word: not STOP_WORDS.isdisjoint(words_of(word))):
            run = list(words)
            if not is_stop and 1 < len(run) <= _LONGEST_RUN and not any(map(str.isdecimal, run)):
                runs[" ".join(run)] += 1
    return distinct(run for run, _ in (names or runs).most_common(_MOST_TOPICS))


def _topics(names: Iterable[str]) -> tuple[str, ...]:
    """Names that can be listed, each once."""
    bare = (one_line(name).strip(" .:;-#*|") for name in names)
    listed = (name for name in bare if len(name) <= _LONGEST_TOPIC and name.isprintable() and "[[" not in name)
    return distinct(filter(None, listed))[:_MOST_OUTLINED]


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."
