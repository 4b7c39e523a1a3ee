"""The few passages that speak of a question: what answers it has its words, and what comes close may mean the same."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.internal_api.engines.contraries import NEGATIONS, are_contrary
from app.internal_api.engines.extractive.questions import FORMS, NUMBERS, PATTERNS, Question
from app.internal_api.engines.snippets import one_line, split_sentences
from app.internal_api.knowledge.documents import Passage
from app.internal_api.knowledge.index import nearness
from app.internal_api.knowledge.terms import STOP_WORDS, WORD, fold, grams_of, stem, words_of

MOST_PASSAGES = 12
MOST_CHARACTERS = 4_000  # of one passage; chunks are smaller
MOST_QUOTATIONS = 2
_CLOSE = 0.5  # share of the question's words from which on a passage comes close, where meanings are not compared
_NEAR = 0.2  # nearness from which on it does, where they are: some of what search lets through is of another matter
_SAME = 0.8  # cosine of two words from which on they mean the same
_SHORTEST = 3  # letters of a word that means something alone
_CLOSELY = 4  # words from what was done on, of which one is `by` where it is told of who did it
_ABOUT = 5  # words of a sentence that say what it is about
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")

Embed = Callable[[Sequence[str]], Any]


@dataclass(frozen=True, slots=True)
class Quotation:
    """What is shown of a passage. `answers`: a sentence has every word of the question; else it only comes close."""

    text: str
    passage: Passage
    answers: bool


def quotations(
    question: Question, passages: Sequence[Passage], already_said: str = "", embed: Embed | None = None
) -> list[Quotation]:
    """What answers the question; else what comes close to it, in meaning or, without `embed`, by its words."""
    texts = texts_of(passages)
    forms = {term: FORMS.get(word, ()) for term, word in question.terms.items()}
    same = {term: frozenset(stem(form, question.language) for form in forms[term]) for term in forms}
    for term, stems in (_same(embed, question, [text for _, text in texts]) if embed else {}).items():
        same[term] |= stems

    def spoken(text: str) -> frozenset[str]:
        """The terms of the question that the text has, or other words that mean the same."""
        # The stem of a name may be a small word, as that of Ines is.
        content = " ".join(word for word in WORD.findall(text) if fold(word) not in STOP_WORDS)
        stems = stems_of(content, question.language)
        return frozenset(term for term in question.terms if term in stems or not stems.isdisjoint(same[term]))

    headings = [spoken((passage.heading or "").rpartition(" > ")[2]) for passage, _ in texts]
    elsewhere = frozenset[str]().union(*headings)  # what a part of the document is about is not the subject of the rest
    found = [
        Quotation(
            _answer(question, spoken, text, above, spoken(f"{passage.title} {passage.heading or ''}") - elsewhere),
            passage,
            answers=True,
        )
        for (passage, text), above in zip(texts, headings, strict=True)
    ]
    if (fresh := _fresh(found, already_said)) or not question.terms:
        return fresh
    if embed is not None:
        values, least = nearness(embed, question.text, [text for _, text in texts]), _NEAR
    else:
        values, least = [len(spoken(text)) / len(question.terms) for _, text in texts], _CLOSE
    ranked = sorted(zip(values, texts, strict=True), key=lambda each: -each[0])
    # What asks nothing and shares no word with the text comes close to nothing: a keyboard's, or a poem to be written.
    known = [each for value, each in ranked if value >= least and ("?" in question.text or spoken(each[1]))]
    close = [Quotation(one_line(text), passage, answers=False) for passage, text in known]
    return _fresh([each for each in close if quotable(each.text)], already_said)


def texts_of(passages: Sequence[Passage]) -> list[tuple[Passage, str]]:
    """The passages that are read, each with what is read of its text."""
    return [(passage, passage.text[:MOST_CHARACTERS]) for passage in passages[:MOST_PASSAGES]]


def _fresh(found: Sequence[Quotation], already_said: str) -> list[Quotation]:
    return [each for each in found if each.text and each.text not in already_said][:MOST_QUOTATIONS]


def _same(embed: Embed, question: Question, texts: Sequence[str]) -> Mapping[str, frozenset[str]]:
    """Of each term the stems of the words that mean the same: another form of it, or one of another language."""
    words = sorted({word for text in texts for word in words_of(text) if _has_meaning(word)})
    asked = {term: word for term, word in question.terms.items() if _has_meaning(word)}
    if not words or not asked:
        return {}
    cosines = embed([*asked.values()]) @ embed(words).T
    return {
        term: frozenset(
            stem(words[at], question.language)
            for at in (row >= _SAME).nonzero()[0]
            if not are_contrary(word, words[at], "")
        )
        for (term, word), row in zip(asked.items(), cosines, strict=True)
    }


def _has_meaning(word: str) -> bool:
    """Whether it may be said in another word: a number may not."""
    return word.isalpha() and len(word) >= _SHORTEST and word not in STOP_WORDS and word not in NUMBERS


def stems_of(text: str, language: str) -> frozenset[str]:
    """The stems of all words, and the pairs of characters of scripts without blanks."""
    return frozenset([*(stem(word, language) for word in words_of(text)), *grams_of(text)])


def quotable(text: str) -> bool:
    """Whether it holds words, and neither our citation mark nor what garbles a terminal."""
    return "[[" not in text and not _CONTROL.search(text) and any(character.isalnum() for character in text)


def _answer(
    question: Question, spoken: Callable[[str], frozenset[str]], text: str, above: frozenset[str], title: frozenset[str]
) -> str:
    """The passage, if a sentence has all of the question; that sentence alone where the whole cannot be quoted.

    A term may stand in the heading `above` it, and in the `title` of the whole where the sentence has several others.
    """
    flat = one_line(text)
    for sentence in split_sentences(text):
        own = spoken(sentence)
        around = above | title if len(own) > 1 else above
        # One word may be anywhere in any sentence: it has to be what the sentence is about.
        first = [word for word in PATTERNS["view"].sub(" ", fold(sentence)).split() if word not in NEGATIONS][:_ABOUT]
        about = len(question.terms) > 1 or around or question.is_exact or spoken(" ".join(first))
        has_all = own and about and question.terms.keys() <= own | around and not sentence.endswith("?")
        told = has_all and quotable(sentence) and fold(sentence, lower=False)
        if told and re.search(question.needs, told, re.IGNORECASE) and _is_done(question, words_of(told), spoken):
            return flat if quotable(flat) else sentence
    return ""


def _is_done(question: Question, said: Sequence[str], spoken: Callable[[str], frozenset[str]]) -> bool:
    """Whether the sentence says it of who does it in the question, and that it was done where it asks for that."""
    auxiliary, *clause = question.clause or [""]
    was_done = any(each not in said or FORMS.get(each) == [each] for each in clause)
    if auxiliary.startswith("did") and clause and not was_done:
        return False  # "the bank has agreed to lend" does not tell what it did lend
    at = [[place for place, word in enumerate(said) if spoken(each) & spoken(word)] for each in clause]
    if " " in auxiliary or len(at) == 1 or not (at and at[0] and at[-1]):
        return True
    done = at[0][0] if auxiliary == "who" else at[-1][-1]
    return at[0][0] < at[-1][-1] or "by" in said[done : done + _CLOSELY]
