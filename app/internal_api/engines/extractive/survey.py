"""Answers to survey questions from what the passages state, or an abstention that says why. Pure."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from app.internal_api.engines.engine import SEPARATOR, SurveyAnswer, SurveyQuestion, abstention
from app.internal_api.engines.extractive.questions import WORDS
from app.internal_api.engines.extractive.quotations import MOST_QUOTATIONS, quotable, quotations, stems_of, texts_of
from app.internal_api.engines.extractive.statements import masked, read_closed, spelled_out, values_of
from app.internal_api.engines.extractive.views import is_own_view, read_open
from app.internal_api.engines.snippets import split_sentences
from app.internal_api.knowledge.documents import Passage
from app.internal_api.knowledge.terms import fold

_LONGEST = 420  # characters of a sentence that states the answer
_NEXT, _TAKEN_BACK = (re.compile(WORDS["patterns"][name].replace("\n", "")) for name in ("next", "taken_back"))


def answer_survey(engine: str, question: SurveyQuestion, passages: Sequence[Passage]) -> SurveyAnswer:
    """What the passages state on the question.

    An open question is answered with a quotation. Any other is answered only where one sentence states the answer:

    * it is no question, it holds no negation, comparison, condition or past, speaks of nobody else and to nobody, gives
      nothing but a reason besides, and the next one does not take it back;
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
        own = [each for each in near if (each.answers or read.needs) and is_own_view(read, each.text)]
        stated: list[tuple[tuple[str, ...], str, Passage]] = [((), each.text, each.passage) for each in own[:most]]
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
        sentences = [part for each in split_sentences(text) for part in _NEXT.split(each)]
        for sentence, after in pairwise([*sentences, ""]):
            fits = len(sentence) <= _LONGEST and quotable(sentence)
            # A question of nothing but its options is spoken of where one of them is named.
            is_on_it = asked.subject or masked(question, fold(sentence))[1]
            if fits and is_on_it and asked.subject <= stems_of(spelled_out(asked, sentence), asked.language):
                is_told = not sentence.endswith("?") and not _TAKEN_BACK.match(fold(after))
                yield values_of(asked, sentence) if is_told else (), sentence, passage
