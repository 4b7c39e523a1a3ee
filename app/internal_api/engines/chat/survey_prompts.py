"""How a language model is asked a survey question: in character, the reason first, the value on a last line."""

from collections.abc import Sequence

from app.internal_api.engines.chat.citations import DECLINE, without_marks
from app.internal_api.engines.chat.endpoint import Message
from app.internal_api.engines.chat.material import LONGEST_SOURCE, MOST_SOURCES, sources
from app.internal_api.engines.chat.prompts import history, usual_prompt
from app.internal_api.engines.chat.verdicts import none_option
from app.internal_api.engines.engine import Persona, SurveyQuestion
from app.internal_api.knowledge.documents import Passage

LONGEST_CONTEXT = 24_000
_LONGEST_REPLY = 4_000
_KNOWLEDGE_ONLY = "knowledge_only"
_TASK = (
    "You take part in a survey as the person described above. Answer in the first person and for yourself alone. You"
    " are asked for your own view: form it from who you are and what you know, also where you would otherwise only"
    " report opinions. Do not try to please: criticise what you would criticise, and use the ends of a scale where you"
    " feel that way. Answer in the language of the question."
)
_POLICIES = {
    _KNOWLEDGE_ONLY: (
        "Rest your answer on the sources only, and cite what you use. When they tell you nothing that an answer could"
        f" rest on, write {DECLINE} and nothing else."
    ),
    "auto": (
        "Where the sources say something about the subject, rest your reason on it and cite it. Where they do not,"
        " answer from your character, and do not present invented facts."
    ),
}
_LENGTHS = {"concise": "5 to 20", "standard": "25 to 90", "expanded": "70 to 180"}
_CORRECTIONS = {
    "scale": "That cannot be counted: {form}",
    "categorical": "That cannot be counted, because it is not exactly one of the options: {form}",
    "multiselect": "That cannot be counted, because it is not a choice of the options: {form}",
    "qualitative": "That cannot be counted: {form}",
}


def survey_messages(persona: Persona, question: SurveyQuestion, passages: Sequence[Passage]) -> list[Message]:
    """The question for the model, behind the persona's own earlier turns where there are any."""
    used = passages[:MOST_SOURCES]
    policy = _POLICIES.get(persona.source_policy, _POLICIES["auto"])
    parts = [persona.system_prompt or usual_prompt(persona, used), _TASK, policy, _form(question)]
    if material := [*used, *attached(question)]:
        parts.append(sources(material))
    return [Message(role="system", content="\n\n".join(parts)), *_conversation(question)]


def attached(question: SurveyQuestion) -> list[Passage]:
    """The context as further sources, numbered behind the persona's own, so that it can be cited like them."""
    text = question.context[:LONGEST_CONTEXT]
    pieces = [text[at : at + LONGEST_SOURCE] for at in range(0, len(text), LONGEST_SOURCE)]
    return [
        Passage(f"context-{number}", "context", piece, "Attached to the question", None, None, None, 0.0)
        for number, piece in enumerate(pieces)
        if piece.strip()
    ]


def correction_messages(messages: Sequence[Message], reply: str, question: SurveyQuestion) -> list[Message]:
    """The same conversation with what the model wrote, and what was wrong with it."""
    asked = _CORRECTIONS[question.type].format(form=_form(question))
    return [
        *messages,
        Message(role="assistant", content=without_marks(reply)[:_LONGEST_REPLY] or "…"),
        Message(role="user", content=asked),
    ]


def _form(question: SurveyQuestion) -> str:
    """What the answer has to look like."""
    reason = "First give your reason in one to four sentences."
    match question.type:
        case "scale" if question.scale:
            low, high = question.scale
            last = f"ANSWER: followed by one whole number from {low} to {high} and nothing else"
        case "categorical":
            last = "ANSWER: followed by exactly one of the options, word for word and without its number"
        case "multiselect":
            most = f"at most {question.most}" if question.most else "as many as fit"
            last = f"ANSWER: followed by the options that you choose ({most}), word for word, separated by semicolons"
            if none_option(question.options) is None:
                last += ", or by the word none where you would choose none of them"
        case _:
            words = _LENGTHS.get(question.response_form, _LENGTHS["standard"])
            reason = f"First give your answer in {words} words."
            last = "THEMES: followed by one to three labels of your main points, one to three words each,"
            last += " separated by semicolons"
    return f"{reason} Then write one last line that begins with {last}."


def _conversation(question: SurveyQuestion) -> list[Message]:
    """The earlier turns and the question, which is never cut short."""
    spoken = any(turn.role == "user" for turn in question.earlier)
    messages = history(question.earlier) if spoken else []
    asked = f"{without_marks(question.text)}\n\n{_offered(question)}".strip()
    if messages and messages[-1]["role"] == "user":
        asked = f"{messages.pop()['content']}\n\n{asked}"
    return [*messages, Message(role="user", content=asked)]


def _offered(question: SurveyQuestion) -> str:
    return "\n".join(f"{number}. {without_marks(option)}" for number, option in enumerate(question.options, 1))
