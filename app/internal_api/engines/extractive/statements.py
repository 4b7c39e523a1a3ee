"""What a sentence states on a closed survey question: options, yes or no, a point of a scale, or nothing. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from app.internal_api.engines.contraries import NEGATIONS
from app.internal_api.engines.engine import SurveyQuestion, Turn
from app.internal_api.engines.extractive.questions import LISTS, NUMBERS, PATTERNS, WORDS, read_question
from app.internal_api.engines.extractive.quotations import stems_of
from app.internal_api.knowledge.terms import STOP_WORDS, fold, grams_of, stem, words_of

# Behind a statement may stand a reason, which may be of anything; all else has to be what the question is of.
_REASON, _OVER = PATTERNS["reason"], PATTERNS["over"]
_RATING_WORDS = LISTS["form"] | LISTS["filler"] | LISTS["first"] | LISTS["stance"]
_FORMAL = _RATING_WORDS | LISTS["choosing"]
_LEAD = re.compile(r"\W*(\w+)\s*[,.:;!\u2013\u2014-]")
_NOT = re.compile(r"(can(?=['\u2019]t)|\w+?(?=n['\u2019]t))n?['\u2019]t\b")
_VERB = re.compile(r"\b(\w{2,}?)([ae]s?)\b")  # of a Spanish question, whose answer ends in -o
_WOULD = re.compile(r"(?<=\bi)['\u2019]d\b")
_PAST = {"en": ".*[^e]ed", "fr": ".*[^r]ai(?:s|t|ent)", "es": ".*aba[ns]?|.*[^r]ia[ns]?", "de": "(?!)"}
# What folded would be the persona's own, of today: `notée`, `valoró`, `él`.
_ACCENTED = re.compile(r"\w*[^\W\d_]{3}(?:\u00e9e?s?|\u00f3)\b|\b\u00e9l\b")
_POSSESSED = re.compile(r"\b(?:my|mein\w*|mon|ma|mes|mis?) (\w+)")
_BOUNDS = re.compile(r"(?:\bfrom|\bof|\bbetween|\bvon|\bde|\bentre) (\d+) (?:to|and|bis|und|a|et|y) (\d+)\b")
_UPPER = re.compile(r"(?:\bout of|/|(?<=\d) (?:von|sur|de|of|sobre)) ?(\d+)\b(?: (\w+))?")
_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)?")
_RATED = re.compile(r"[,:;] \D{0,12}(\d+) ?(?:/|out of|von|sur|sobre|de) ?\d+\W*\Z")  # what a rating ends with
_BARE = 10  # on a longer scale a number up to this, with nothing beside it, may be one out of ten


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as sentences are compared with it: the stems that they must hold, and those that they may hold.

    A personal one asks for the persona's own; `has_form`: it says what to do with the options, such as prefer.
    """

    question: SurveyQuestion
    language: str
    subject: frozenset[str]
    known: frozenset[str]
    is_yes_no: bool
    is_personal: bool
    has_form: bool


def read_closed(question: SurveyQuestion) -> Asked:
    language = "es" if "\u00bf" in question.text else read_question([Turn("user", question.text)]).language
    said = [word for option in question.options for word in words_of(option)]
    is_yes_no = bool(said) and LISTS["yes_no"].issuperset(said)
    asked = PATTERNS["instruction"].sub(" ", masked(question, fold(question.text))[0])
    # Of a question of yes or no the statement has every word: "I have a car" is another than "I like a car".
    empty = LISTS["plain"] | LISTS["you"] | LISTS["optional"] if is_yes_no else STOP_WORDS | _FORMAL
    content = [word for word in words_of(asked) if word not in empty and not word.isdigit()]
    # What the options are, which a sentence with one of them need not say.
    named = PATTERNS["class"].findall(asked) if question.options else []
    has_form = not (LISTS["stance"] | LISTS["choosing"]).isdisjoint(words_of(asked))
    subject = [word for word in content if word not in named] or ([] if has_form else content)
    is_formal = language == "es" and bool(said) and not is_yes_no  # whose verb alone may speak to somebody
    return Asked(
        question,
        language,
        frozenset([*(stem(word, language) for word in subject), *grams_of(asked)]),
        stems_of(question.text, language),
        is_yes_no,
        is_personal=is_formal or not LISTS["you"].isdisjoint(words_of(question.text)),
        has_form=has_form,
    )


def masked(question: SurveyQuestion, said: str) -> tuple[str, list[str]]:
    """The folded text without the options that it names, and those, in their order."""
    named = []
    for option in question.options:
        without = re.sub(rf"(?<!\w){re.escape(fold(option.strip()))}(?!\w)", lambda found: " " * len(found[0]), said)
        if without != said:
            named.append(option)
            said = without
    return said, named


def values_of(asked: Asked, sentence: str) -> tuple[str, ...]:
    """The answers that the sentence states; empty where it states none, or none for sure."""
    asks = asked.question
    folded = PATTERNS["view"].sub(" me ", spelled_out(asked, sentence))
    told = _REASON.split(folded)[0]
    # "I prefer the ferry to the tram" names what is chosen first.
    over = _OVER.search(masked(asks, told)[0]) if asked.has_form else None
    if over and all(masked(asks, part)[1] for part in (told[: over.start()], told[over.start() :])):
        folded, told = folded[: over.start()] + folded[len(told) :], told[: over.start()]
    said, (main, named) = masked(asks, folded)[0], masked(asks, told)
    # Who says "you" speaks to somebody, also where the question says it.
    others = LISTS["others"].difference(words_of(asks.text)) | LISTS["you"]
    possessed = (word for word in _POSSESSED.findall(said) if not _is_known(asked, word, _FORMAL))
    is_told = LISTS["commands"].isdisjoint(words_of(main)[:1])
    given = " ".join([asks.text, *asks.options])
    is_told &= {*_ACCENTED.findall(sentence.lower())} <= {*_ACCENTED.findall(given.lower())}
    is_low = (rated := _RATED.search(main)) and 2 * int(rated[1]) <= sum(asks.scale or ())
    # "Not satisfied: 2 out of 10" says one thing, and a denial answers with no.
    spared = LISTS["turns"] | LISTS["plain"] if asked.is_yes_no else NEGATIONS if is_low else frozenset()
    if not ((LISTS["doubtful"] - spared) | others).isdisjoint(words_of(said)) or any(possessed) or not is_told:
        return ()
    if asks.type == "scale":
        return _points(asked, main)
    words = words_of(main)
    if asked.is_personal and LISTS["first"].isdisjoint(words):
        return ()
    if asked.is_yes_no:
        return _yes_or_no(asked, told)
    has_stance = not asked.has_form or not (LISTS["stance"] | LISTS["choosing"]).isdisjoint(words)
    is_compound = any(f"{fold(first)} {fold(second)}" in told for first in named for second in named)  # "milk tea"
    is_whole = has_stance and not is_compound and all(_is_known(asked, word, _FORMAL) for word in words)
    return tuple(named) if is_whole else ()


def _yes_or_no(asked: Asked, said: str) -> tuple[str, ...]:
    """The option that the sentence begins with, or that it means: it affirms or denies what is asked, in its words."""
    options = {fold(option): option for option in asked.question.options}
    begins = _LEAD.match(said)
    lead = begins[1] if begins and begins[1] in options else ""
    said = said[begins.end() :] if begins and lead else said
    parts = [part for part in re.split("[,;:(]", said) if lead and asked.subject <= stems_of(part, asked.language)]
    words = words_of(parts[0] if parts else said)
    beside = words_of(said.replace(parts[0], " ")) if parts else []
    content = [word for word in words if word not in LISTS["turns"] | LISTS["plain"]]
    is_whole = all(stem(word, asked.language) in asked.known for word in content)
    was = any(_is_past(asked, word) and stem(word, asked.language) in asked.subject for word in content)
    turns = sum(word in LISTS["turns"] for word in words)
    is_turned = not LISTS["turns"].isdisjoint(words_of(masked(asked.question, fold(asked.question.text))[0]))
    meant = [option for each, option in options.items() if (each in LISTS["denies"]) is (turns == 1)]
    strays = not all(_is_known(asked, word, _FORMAL) for word in beside)
    if was or turns > 1 or is_turned or strays or not (lead or is_whole):
        return ()
    if lead and (turns or is_whole) and options[lead] not in meant:
        return ()  # "No, I would" and "Yes, I would not" contradict themselves
    return (options[lead],) if lead else tuple(meant)


def spelled_out(asked: Asked, sentence: str) -> str:
    """The folded sentence with `I would` for `I'd`, `not` for `n't` and `no longer`, `yo usa` for `uso` of a `usa`."""
    said = _NOT.sub(r"\1 not", _WOULD.sub(" would", fold(sentence))).replace("no longer", "not")
    forms: Mapping[str, str] = WORDS["own_forms"].get(asked.language, {})
    said = re.sub(r"\w+", lambda word: forms.get(word[0], word[0]), said)
    for root, end in set(_VERB.findall(fold(asked.question.text))) if asked.language == "es" else ():
        said = re.sub(rf"(?<!\bel )(?<!\bun )(?<!\b[ad]l )(?<!del )\b{root}o\b", f"yo {root}{end}", said)
    return said


def _is_known(asked: Asked, word: str, formal: frozenset[str]) -> bool:
    """Whether the word is the question's, and not in the past, or one of form: what has others is of something else."""
    if word in formal or (word in STOP_WORDS and word not in LISTS["bounds"]) or word.isdigit():
        return True
    return not _is_past(asked, word) and stem(word, asked.language) in asked.known


def _is_past(asked: Asked, word: str) -> bool:
    return bool(re.fullmatch(_PAST[asked.language], word)) and word not in words_of(asked.question.text)


def _points(asked: Asked, said: str) -> tuple[str, ...]:
    """The points of the scale that are stated: out of its own upper end, or as the numbers of a rating."""
    low, high = asked.question.scale or (0, -1)
    said = re.sub(r"[^\W\d_]+", lambda word: NUMBERS.get(word[0], word[0]), said)
    bounds, upper = _BOUNDS.findall(said), _UPPER.findall(_BOUNDS.sub(" ", said))
    numbers = _NUMBER.findall(_UPPER.sub(r" \2", _BOUNDS.sub(" ", said)))
    own_scale = all((int(first), int(last)) == (low, high) for first, last in bounds)
    own_scale &= all(int(number) == high for number, _ in upper)
    counted = any(stem(word, asked.language) in asked.subject for _, word in upper)
    own_scale &= asked.subject <= stems_of(said, asked.language)
    if not own_scale or counted or PATTERNS["no_point"].search(said) or not all(number.isdigit() for number in numbers):
        return ()
    points = sorted({int(number) for number in numbers if low <= int(number) <= high})
    words, bare = words_of(said), _BARE if high > _BARE else low - 1
    rates = bounds or upper or (not LISTS["rating"].isdisjoint(words) and min(points, default=bare) > bare)
    fits = len(points) == len(numbers) and all(_is_known(asked, word, _RATING_WORDS) for word in words)
    return tuple(map(str, points)) if rates and fits else ()
