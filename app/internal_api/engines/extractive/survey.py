"""Survey questions answered by what the passages state: a quotation, a stated option or number, or an abstention.

An open question is answered with a quotation. Any other is answered only where one sentence states the answer itself:

* it is no question, it holds no negation, comparison or condition, and every content word of the question stands in
  it, of which there must be two at least; the options and the ends of the scale do not count as such;
* for one option, it names exactly one of them, word for word; for several, at most as many as may be chosen;
* for a point of a scale, it says `8 out of 10` with the scale's own upper end and nothing counted behind it.

Sentences that state different answers are no answer. What was attached to the question is the same for everybody, and
therefore nobody's answer.
"""

import re
from collections.abc import Iterator, Sequence

from app.internal_api.engines.engine import SEPARATOR, SurveyAnswer, SurveyQuestion, Turn, abstention
from app.internal_api.engines.extractive import quotations as quoting
from app.internal_api.engines.extractive.questions import WORDS, read_question
from app.internal_api.engines.snippets import split_sentences
from app.internal_api.knowledge.documents import Passage
from app.internal_api.knowledge.terms import STOP_WORDS, fold, grams_of, stem, words_of

_FEWEST_WORDS = 2
_LONGEST = 420  # characters of a sentence that is quoted whole
_FORM = STOP_WORDS.union(WORDS["form"].split())
_DOUBTFUL = frozenset(WORDS["doubtful"].split())
_RATING = re.compile(r"(?<![\d.,/-])(-?\d{1,9}) out of (\d{1,9})(?=\s*(?:[.,;:!)]|\Z))")


def answer_survey(engine: str, question: SurveyQuestion, passages: Sequence[Passage]) -> SurveyAnswer:
    """What the passages state on the question.

    Raises `EngineUnavailable`: of the kind `unsupported`: they state nothing, so the persona abstains.
    """
    if question.type == "qualitative":
        read = read_question([*question.earlier, Turn("user", question.text)])
        most = 1 if question.response_form == "concise" else quoting.MOST_QUOTATIONS
        found = [each for each in quoting.quotations(read, passages) if each.answers][:most]
        stated = [("", each.text, each.passage) for each in found]
    else:
        stated = list(_statements(question, passages))
        if len({value for value, _, _ in stated}) != 1:
            raise abstention()
        stated = stated[:1]
    if not stated:
        raise abstention()
    value = stated[0][0]
    message = "\n\n".join(text for _, text, _ in stated)
    cited = tuple(passage for _, _, passage in stated)
    return SurveyAnswer(value, value, message, cited, "mind_knowledge", engine, len(passages))


def _statements(question: SurveyQuestion, passages: Sequence[Passage]) -> Iterator[tuple[str, str, Passage]]:
    """Each answer that a sentence states, with the sentence and its passage."""
    language = read_question([Turn("user", question.text)]).language
    dropped = _FORM.union(*(words_of(option) for option in question.options))
    asked = [word for word in words_of(question.text) if word not in dropped and not word.isdigit()]
    needed = {*(stem(word, language) for word in asked), *grams_of(question.text)}
    if len(needed) < _FEWEST_WORDS:
        return
    for passage in passages[: quoting.MOST_PASSAGES]:
        for sentence in split_sentences(passage.text[: quoting.MOST_CHARACTERS]):
            clear = len(sentence) <= _LONGEST and quoting.quotable(sentence) and not sentence.endswith("?")
            if clear and needed <= quoting.stems_of(sentence, language) and (value := _value(question, sentence)):
                yield value, sentence, passage


def _value(question: SurveyQuestion, sentence: str) -> str:
    """The answer that the sentence states; empty where it states none, or none for sure."""
    said, named = fold(sentence), []
    spoken = {option: re.compile(rf"(?<!\w){re.escape(fold(option.strip()))}(?!\w)") for option in question.options}
    for option, pattern in spoken.items():
        if pattern.search(fold(sentence)):
            named.append(option)
            said = pattern.sub(" ", said)
    if not _DOUBTFUL.isdisjoint(words_of(said)):
        return ""
    if question.type == "scale":
        ratings = _RATING.findall(said)
        low, high = question.scale or (0, -1)
        points = [int(point) for point, of in ratings if int(of) == high and low <= int(point) <= high]
        return str(points[0]) if len(points) == len(ratings) == 1 else ""
    most = 1 if question.type == "categorical" else question.most or len(question.options)
    return SEPARATOR.join(named) if len(named) <= most else ""
