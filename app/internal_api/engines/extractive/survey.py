"""Answers to survey questions from what the passages state, or an abstention that says why. Pure."""

from collections.abc import Sequence

from app.internal_api.engines.engine import SurveyAnswer, SurveyQuestion, Turn, abstention
from app.internal_api.engines.extractive.questions import read_question
from app.internal_api.engines.extractive.quotations import MOST_QUOTATIONS, quotations
from app.internal_api.engines.extractive.statements import is_own_view, statements
from app.internal_api.knowledge.documents import Passage


def answer_survey(engine: str, question: SurveyQuestion, passages: Sequence[Passage]) -> SurveyAnswer:
    """What the passages state on the question.

    An open question is answered with a quotation. Any other is answered only where one sentence states the answer:

    * it is no question, it holds no negation, comparison, condition or past, and speaks of nobody else;
    * it has every word of the question's subject, and no other subject: only words of form and of time besides;
    * for one option, it names exactly one of them, word for word; for several, at most as many as may be chosen;
    * for a point of a scale, it says `8 out of 10` with the scale's own upper end and nothing counted behind it, or it
      is a rating with no other number (`satisfaction with the bus: 4`).

    Sentences that state different answers are no answer. What was attached to the question is the same for everybody,
    and therefore nobody's answer.

    Raises `EngineUnavailable`: of the kind `unsupported` where they do not speak of it, and `unstated` where they do
    and state no answer; so the persona abstains.
    """
    if question.type == "qualitative":
        read = read_question([*question.earlier, Turn("user", question.text)])
        most = 1 if question.response_form == "concise" else MOST_QUOTATIONS
        near = quotations(read, passages)
        stated = [("", each.text, each.passage) for each in near if each.answers and is_own_view(read, each.text)][
            :most
        ]
        is_known = bool(near)
    else:
        found = list(statements(question, passages))
        stated, is_known = [each for each in found if each[0]], bool(found)
        stated = stated[:1] if len({value for value, _, _ in stated}) == 1 else []
    if not stated:
        raise abstention(is_known=is_known)
    value = stated[0][0]
    message = "\n\n".join(text for _, text, _ in stated)
    cited = tuple(passage for _, _, passage in stated)
    return SurveyAnswer(value, value, message, cited, "mind_knowledge", engine, len(passages))
