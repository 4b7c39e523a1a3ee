"""Answers to survey questions from what the passages state, or an abstention that says why. Pure.

Of an open question: the view that is asked for, and whether a sentence tells one of the persona's own.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from app.internal_api.engines.engine import SEPARATOR, SurveyAnswer, SurveyQuestion, Turn, abstention
from app.internal_api.engines.extractive.questions import LISTS, PATTERNS, WORDS, Question, read_question
from app.internal_api.engines.extractive.quotations import MOST_QUOTATIONS, quotable, quotations, stems_of, texts_of
from app.internal_api.engines.extractive.statements import masked, read_closed, spelled_out, values_of
from app.internal_api.engines.snippets import split_sentences
from app.internal_api.knowledge.documents import Passage
from app.internal_api.knowledge.terms import fold, stem, words_of

_LONGEST = 420  # characters of a sentence that states the answer
_VIEWS = [tuple(view[part].replace("\n", "") for part in ("asks", "words", "shows")) for view in WORDS["views"]]
_SUBJECT = PATTERNS["subject"]
_ARTICLE = r"\b(?:the|this|der|die|das|dem|den|le|la|les|el|los|las) "
_QUOTED = "\"'\u201d\u2019\u201c\u00bb\u00ab) "


def answer_survey(engine: str, question: SurveyQuestion, passages: Sequence[Passage]) -> SurveyAnswer:
    """What the passages state on the question.

    An open question is answered with a quotation. Any other is answered only where one sentence states the answer:

    * it is no question, it holds no negation, comparison, condition or past, speaks of nobody else and to nobody, gives
      nothing but a reason besides, and the next one stands by itself and does not take it back;
    * it has every word of the question's subject, and no other subject: only words of form and of time besides;
    * for options, it names some of them, word for word; for yes and no, it begins with one of them, or it affirms or
      denies the question in its own words and no others;
    * for a point of a scale, it says `8 out of 10` with the scale's own upper end and nothing counted behind it, or it
      is a rating (`satisfaction with the bus: 4`).

    Where they state several answers, or more than may be chosen, these are quoted without a value. What was attached to
    the question is the same for everybody, and therefore nobody's answer.

    Raises EngineUnavailable: `unsupported` where they do not speak of it, `unstated` where they state no answer.
    """
    if question.type == "qualitative":
        read = read_open(question)
        most = 1 if question.response_form == "concise" else MOST_QUOTATIONS
        near = quotations(read, passages)
        own = [(own_view(read, each.text), each.passage) for each in near if each.answers or read.needs]
        told = [each for each in own if each[0]][:most]
        stated: list[tuple[tuple[str, ...], str, Passage]] = [((), text, passage) for text, passage in told]
        is_known = bool(near)
    else:
        found = list(_statements(question, passages))
        most = (question.most or len(question.options)) if question.type == "multiselect" else 1
        stated = list({each[0]: each for each in reversed(found) if each[0]}.values())[::-1]
        is_known = bool(found)
    if not stated:
        raise abstention(is_known=is_known)
    value = SEPARATOR.join(stated[0][0]) if len(stated) == 1 and len(stated[0][0]) <= most else ""
    _, texts, cited = zip(*stated, strict=True)
    return SurveyAnswer(value, value, "\n\n".join(texts), cited, "mind_knowledge", engine, len(passages))


def _statements(
    question: SurveyQuestion, passages: Sequence[Passage]
) -> Iterator[tuple[tuple[str, ...], str, Passage]]:
    """What each sentence states that speaks of the question: its answers, if any, the sentence, its passage."""
    asked = read_closed(question)
    for passage, text in texts_of(passages) if asked.subject or asked.has_form else ():
        sentences = [part for each in split_sentences(text) for part in PATTERNS["next"].split(each)]
        for sentence, after in pairwise([*sentences, ""]):
            fits = len(sentence) <= _LONGEST and quotable(sentence)
            # A question of nothing but its options is spoken of where one of them is named.
            is_on_it = asked.subject or masked(question, fold(sentence))[1]
            if fits and is_on_it and asked.subject <= stems_of(spelled_out(asked, sentence), asked.language):
                is_told = not sentence.endswith("?") and not _is_taken_back(sentence, after, text)
                yield values_of(asked, sentence) if is_told else (), sentence, passage


def _is_taken_back(sentence: str, after: str, text: str) -> bool:
    """Whether what follows a sentence may correct it: says so, or does not stand by itself ("In my dreams.")."""
    # A line of its own without an end mark is a heading or an item.
    goes_on = after.endswith((".", "!", "?", "\u2026")) or (after and f"{sentence} {after}" in text)
    said = fold(after)
    return bool(PATTERNS["taken_back"].match(said) or (goes_on and not PATTERNS["stands"].match(said)))


def read_open(question: SurveyQuestion) -> Question:
    """The question as passages are compared with it: what is liked or should be improved is told in other words."""
    read = read_question([*question.earlier, Turn("user", question.text)])
    asked = fold(question.text)
    words, shows = next(((words.split(), shows) for asks, words, shows in _VIEWS if re.search(asks, asked)), ([], ""))
    terms = {term: word for term, word in read.terms.items() if word not in {*words, *LISTS["you"]}}
    return replace(read, terms=terms, needs=shows or read.needs) if terms and words else read


def _is_about(question: Question, sentence: str) -> bool:
    """Whether it names the subject: with all of its words, or "the service" for "the bicycle hire service"."""
    if question.terms.keys() <= stems_of(sentence, question.language):
        return True
    *_, head = words = ["", *question.terms.values()]
    subject = " ".join(words[1:])
    return bool(
        question.needs and f" {subject}" in fold(question.text) and re.search(f"{_ARTICLE}{head}", fold(sentence))
    )


def own_view(question: Question, text: str) -> str:
    """The sentences that tell the view an open question asks for, and what leans on them ("It is too loud.")."""
    told: list[str] = []
    goes_on = False
    for sentence in split_sentences(text):
        goes_on = _is_own_view(question, sentence) or (goes_on and bool(PATTERNS["leans"].match(fold(sentence))))
        told += [sentence] * goes_on
    flat = " ".join(told)
    return flat if flat in text else "\n\n".join(told)


def _is_own_view(question: Question, sentence: str) -> bool:
    """Whether it has every word of the question and the view that it asks for, but of nobody else."""
    asked, said, words = frozenset(words_of(question.text)), fold(sentence), frozenset(words_of(sentence))
    stance = {stem(word, question.language) for word in LISTS["stance"] | LISTS["tells_stance"]}
    asks_stance = not question.needs and not LISTS["asks_stance"].isdisjoint(asked)
    return bool(
        not sentence.rstrip(_QUOTED).endswith("?")
        and _is_about(question, sentence)
        and (LISTS["elsewhere"] - asked).isdisjoint(words)
        and all(stem(whose, question.language) in question.terms for whose in _SUBJECT.findall(said))
        and not PATTERNS["no_view"].search(said)
        and re.search(question.needs, said)
        and (
            not asks_stance
            or PATTERNS["judges"].search(said)
            or not stance.isdisjoint(stems_of(sentence, question.language))
        )
    )
