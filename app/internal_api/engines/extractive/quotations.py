"""The few sentences of the passages that speak of a question. Pure."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from app.internal_api.engines.extractive.questions import NUMBERS, WORDS, Question
from app.internal_api.engines.snippets import one_line, split_sentences, windows
from app.internal_api.knowledge.documents import Passage
from app.internal_api.knowledge.index import SAME
from app.internal_api.knowledge.terms import DEFAULT, STOP_WORDS, fold, grams_of, stem, words_of

MOST_PASSAGES = 12
MOST_CHARACTERS = 8_000  # of one passage; chunks are far smaller
MOST_QUOTATIONS = 2
COVERED = 0.45
"""The share of the question, by the weight of its words, that a quotation with its heading must speak of."""
ANSWERS = 0.6
"""From this share on a quotation counts as an answer, where what is shown of the passage has every word."""
LONGEST = 720
"""Characters of a passage that is quoted whole; of a longer one as much, from a paragraph on."""
_SHORTEST = 3  # letters of a word that has others near it
_ENDING = 4  # letters; words with the same ending share a piece in the table, and are near without a reason
_AMOUNTS = frozenset([*WORDS["amounts"].split(), *WORDS["tens"].split(), *NUMBERS])
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_KEEPS_UP = 0.9  # of the best quotation, for a further one
_HEADING = 0.7  # of a word that only the heading has
_TITLE_WORDS = 8
_SUBJECT = 4  # words of a sentence that say what it is about
_BESIDE = 3  # words from an amount to what it counts
_GOES_ON = re.compile(r"(?:It|Its|They|Their|He|His|She|Her|This|These|Both|One|Each)\b")
_PARAGRAPH = re.compile(r"\n\s*\n")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")

Embed = Callable[[Sequence[str]], Any]


@dataclass(frozen=True, slots=True)
class Quotation:
    """Whole sentences that stand side by side in `passage`.

    `coverage` is 1 where every word of the question is in the few that answer it. `answers`: most are, and every one in
    the whole text or in what stands over it; otherwise the quotation only comes close.
    """

    text: str
    passage: Passage
    coverage: float
    answers: bool


@dataclass(frozen=True, slots=True)
class _Reader:
    """A question, and the stems that are near each of its words in meaning, which speak of it as well."""

    question: Question
    near: Mapping[str, frozenset[str]]

    def spoken(self, text: str) -> frozenset[str]:
        """The terms of the question that the text speaks of."""
        stems = stems_of(text, self.question.language)
        return frozenset(
            term for term in self.question.terms if term in stems or not stems.isdisjoint(self.near.get(term, ()))
        )


def quotations(
    question: Question, passages: Sequence[Passage], already_said: str = "", embed: Embed | None = None
) -> list[Quotation]:
    """The best sentences of the best passages; empty where none speaks of enough of the question."""
    read = passages[:MOST_PASSAGES]
    sentences = [sentence for passage in read for sentence in split_sentences(passage.text[:MOST_CHARACTERS])]
    reader = _Reader(question, {} if embed is None else _near(question, sentences, embed))
    spoken = [reader.spoken(sentence) for sentence in sentences]
    counts = {term: sum(term in terms for terms in spoken) for term in question.terms}
    # A word counts more the fewer sentences have it.
    weights = {term: math.log(1 + len(sentences) / max(count, 1)) for term, count in counts.items()}
    found = [best for passage in read if (best := _best(reader, passage, weights, already_said)) is not None]
    # Stable: among equals the search's own order counts.
    found.sort(key=lambda quotation: (not quotation.answers, -quotation.coverage))
    least = max(COVERED, _KEEPS_UP * found[0].coverage) if found else COVERED
    kept = [quotation for quotation in found[:MOST_QUOTATIONS] if quotation.coverage >= least]
    return [quotation for quotation in kept if quotation.answers == kept[0].answers]


def _near(question: Question, sentences: Sequence[str], embed: Embed) -> Mapping[str, frozenset[str]]:
    """The stems near each term; a number and a day are only themselves, and no word stands for two of the question."""
    stems = {word: stem(word, question.language) for sentence in sentences for word in words_of(sentence)}
    words = [word for word, one in stems.items() if _has_meaning(word) and one not in question.terms]
    terms = [term for term, word in question.terms.items() if _has_meaning(word)]
    if not words or not terms or question.language != DEFAULT:
        return {}
    cosines = embed([question.terms[term] for term in terms]) @ embed(words).T
    return {
        term: frozenset(
            stems[word]
            for word, cosine in zip(words, row, strict=True)
            if cosine >= SAME and word[-_ENDING:] != question.terms[term][-_ENDING:]
        )
        for term, row in zip(terms, cosines, strict=True)
    }


def _has_meaning(word: str) -> bool:
    return (
        word.isalpha()
        and len(word) >= _SHORTEST
        and word not in STOP_WORDS
        and word not in _AMOUNTS
        and not word.rstrip("s").endswith("day")
    )


def stems_of(text: str, language: str) -> frozenset[str]:
    """The stems of all words, and the pairs of characters of scripts without blanks."""
    return frozenset([*(stem(word, language) for word in words_of(text)), *grams_of(text)])


def quotable(text: str) -> bool:
    """Whether it holds words, and neither our citation mark nor what garbles a terminal."""
    return "[[" not in text and not _CONTROL.search(text) and any(character.isalnum() for character in text)


def _best(reader: _Reader, passage: Passage, weights: dict[str, float], already_said: str) -> Quotation | None:
    """The window that speaks of most of the question, and the one that begins with it where several do."""
    text = passage.text[:MOST_CHARACTERS]
    flat, sentences = one_line(text), split_sentences(text)
    whole = sum(weights.values())
    heading = reader.spoken(f"{passage.title} {passage.heading or ''}")
    best, best_score = None, 0.0
    for (start, end), (sentence, following) in zip(windows(text), pairwise([*sentences, ""]), strict=True):
        first = reader.spoken(sentence)
        bare = len(sentence.split()) <= _TITLE_WORDS and sentence[0].isupper() and sentence[-1].isalnum()
        if bare and ": " not in sentence and following.endswith((".", "!", "?")):
            # A short line over a sentence, as plain text and PDFs show a heading.
            heading |= first
            continue
        quoted = flat[start:end]
        own = reader.spoken(quoted)
        if not own or not quotable(quoted) or quoted in already_said:
            continue
        covered = sum(weights[term] if term in own else _HEADING * weights[term] for term in own | heading) / whole
        score = covered + sum(weights[term] for term in first) / whole
        if score > best_score:
            shown = _around(text, start, end)
            # What only means the same has to stand in the sentences themselves.
            has = own | heading | stems_of(shown, reader.question.language)
            answers = covered >= ANSWERS and reader.question.terms.keys() <= has
            answers &= _is_told(reader, quoted, titled=bool(heading))
            best, best_score = Quotation(shown, passage, covered, answers), score
    return best


def _is_told(reader: _Reader, quoted: str, *, titled: bool) -> bool:
    """Whether there is an amount, and what the question asks for, where it speaks of that or goes on.

    What has the only word of a question has to be about it, or to hold what is asked for.
    """
    question, sentences = reader.question, split_sentences(quoted)
    if question.wants_amount and question.kind is None and not any(_has_amount(each, question) for each in sentences):
        return False
    speaks = [titled, *(bool(reader.spoken(sentence)) for sentence in sentences)]
    if question.kind is not None:
        shows = [question.kind.shows.search(fold(sentence)) is not None for sentence in sentences]
        goes_on = [_GOES_ON.match(sentence) is not None for sentence in sentences]
        return any(
            shown and (speaks[place + 1] or (speaks[place] and goes_on[place])) for place, shown in enumerate(shows)
        )
    return titled or len(question.terms) > 1 or bool(reader.spoken(" ".join(quoted.split()[:_SUBJECT])))


def _has_amount(sentence: str, question: Question) -> bool:
    """Whether it has an amount: right before what is counted, where that is asked for."""
    words = words_of(sentence)
    amounts = {
        place for place, word in enumerate(words) if word in _AMOUNTS or not (word.isalpha() or _YEAR.fullmatch(word))
    }
    counted = [place for place, word in enumerate(words) if stem(word, question.language) == question.counted]
    if not question.counted:
        return bool(amounts)
    return any(not amounts.isdisjoint(range(place - _BESIDE, place + 2)) for place in counted)


def _around(text: str, start: int, end: int) -> str:
    """The passage, or of a long one what there is room for from the beginning of that paragraph on."""
    flat, wide = one_line(text), dict(windows(text, LONGEST))
    paragraphs = [flat.find(one_line(paragraph)) for paragraph in _PARAGRAPH.split(text)]
    begin = max((place for place in paragraphs if place <= start and wide.get(place, 0) >= end), default=start)
    shown = flat if len(flat) <= LONGEST else flat[begin : max(end, wide.get(begin, end))]
    return shown if quotable(shown) else flat[start:end]
