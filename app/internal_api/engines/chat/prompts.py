"""What a language model is asked: who it is, what it may say, what its sources hold, and a survey's question.

What strangers wrote is fenced, numbered for citing, and never an instruction. The sentences are in `prompts.toml`.
"""

import hashlib
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from app.internal_api.engines.chat.citations import neutral, without_marks
from app.internal_api.engines.chat.endpoint import Message
from app.internal_api.engines.coding import Code
from app.internal_api.engines.engine import Profile, SurveyQuestion, Turn
from app.internal_api.engines.extractive.profiles import write_prompt
from app.internal_api.engines.snippets import one_line
from app.internal_api.knowledge.documents import Passage
from app.internal_api.store.minds import Mind

MOST_SOURCES = 12
LONGEST_SOURCE = 4_000
LONGEST_CONTEXT = 24_000
LONGEST_CODE = 100  # characters that at least are told of a code: its id and its label
_LONGEST_TURN = 8_000
_MOST_TURNS = 16
_SENTENCES = tomllib.loads(Path(__file__).with_name("prompts.toml").read_text(encoding="utf-8"))
_ANSWER, _TRAINING, _SURVEY, _CODEBOOK = (_SENTENCES[each] for each in ("answer", "training", "survey", "codebook"))
_MOST_FAULTS = 20


def answer_messages(
    persona: Mind, turns: Sequence[Turn], passages: Sequence[Passage], language: str | None
) -> list[Message]:
    """The conversation for the model; without turns it is asked for a greeting."""
    used = passages[:MOST_SOURCES]
    notes = [without_marks(turn.content[:_LONGEST_TURN]) for turn in turns if turn.role == "system"]
    rules = _ANSWER["rules"].format(language=f"with the code {language}" if language else "of the question")
    policy = _ANSWER.get(persona.source_policy, _ANSWER["auto"])
    parts = [_character(persona, used), *notes, f"{rules}\n{policy}", *_sources(used)]
    return [_system(parts), *_history(turns, _LONGEST_TURN)]


def profile_messages(persona: Mind) -> list[Message]:
    """Ask for a profile as JSON."""
    task = _TRAINING["profile"].format(type=persona.type, discipline=persona.discipline or "unknown")
    about = ", ".join([*persona.keywords, *persona.tags])
    return _on_material(task, [persona.name, persona.described, about, persona.context])


def draft_messages(audience: str, count: int) -> list[Message]:
    """Ask for people of an audience as JSON."""
    return _on_material(_TRAINING["draft"].format(count=count), [audience])


def character_messages(persona: Mind, profile: Profile, outline: Sequence[str]) -> list[Message]:
    """Ask for the paragraph of the system prompt that gives the persona its voice."""
    material = [persona.name, profile.discipline, profile.description, *profile.traits, *outline]
    return _on_material(_TRAINING["character"], material)


def survey_messages(persona: Mind, question: SurveyQuestion, passages: Sequence[Passage]) -> list[Message]:
    """The question for the model, behind the persona's own earlier turns where there are any."""
    used = passages[:MOST_SOURCES]
    policy = _SURVEY.get(persona.source_policy, _SURVEY["auto"])
    sources = _sources([*used, *attached(question)])
    parts = [_character(persona, used), _SURVEY["task"], policy, _form(question), *sources]
    options = ["", *(f"- {option}" for option in question.options)] if question.options else []
    asked = Turn("user", "\n".join([question.text, *options]))
    return [_system(parts), *_history([*question.earlier, asked], LONGEST_CONTEXT)]


def survey_schema(question: SurveyQuestion) -> dict[str, Any]:
    """The JSON schema of the answer, for endpoints that hold a model to one. Whoever has no view may say so: null."""
    one: dict[str, Any] = {"type": "string", **({"enum": [*question.options]} if question.options else {})}
    many = question.type in {"multiselect", "qualitative"}
    answer = {"type": "integer"} if question.type == "scale" else {"type": "array", "items": one} if many else one
    given = {"reason": {"type": "string"}, "answer": {"anyOf": [answer, {"type": "null"}]}}
    return {"type": "object", "properties": given, "required": [*given], "additionalProperties": False}


def codebook_messages(
    question: str, texts: Mapping[int, str], known: Sequence[Code], faults: Sequence[str] = ()
) -> list[Message]:
    """Ask for codes of these answers, by their numbers; `faults` were found in what was written before."""
    word = _fence("".join([question, *texts.values()]))
    parts = [_CODEBOOK["task"], _SENTENCES["untrusted"].format(fence=word)]
    if known:
        parts.append(_CODEBOOK["known"].format(codes=_listed(known)))
    if faults:
        parts.append(_CODEBOOK["correction"].format(faults=" ".join(faults[:_MOST_FAULTS])))
    answers = [_fenced(f"ANSWER {number}", text, word) for number, text in texts.items()]
    asked = "\n".join([_fenced("QUESTION", question[:_LONGEST_TURN], word), *answers])
    return [_system(parts), Message(role="user", content=asked)]


def merge_messages(question: str, codes: Sequence[Code], fault: str) -> list[Message]:
    """Ask for groups of codes that mean the same. Of many, definitions are cut, and no code is left out."""
    longest = max(LONGEST_CODE, LONGEST_CONTEXT // len(codes))
    listed = "\n".join(line[:longest] for line in _listed(codes).splitlines())
    word = _fence(question + listed)
    parts = [_CODEBOOK["merge"], fault, _SENTENCES["untrusted"].format(fence=word)]
    asked = [_fenced("QUESTION", question[:_LONGEST_TURN], word), _fenced("CODES", listed, word)]
    return [_system(parts), Message(role="user", content="\n".join(asked))]


def _listed(codes: Sequence[Code]) -> str:
    """One code a line; what was merged into it is a part of what it means."""
    also = {code.id: f" Covers {', '.join(code.original_labels)}." if code.original_labels else "" for code in codes}
    return "\n".join(f"{code.id}: {code.label}. {code.definition}{also[code.id]}" for code in codes)


def attached(question: SurveyQuestion) -> list[Passage]:
    """The context as further sources, numbered behind the persona's own, so that it can be cited like them."""
    text = question.context[:LONGEST_CONTEXT]
    pieces = [text[at : at + LONGEST_SOURCE] for at in range(0, len(text), LONGEST_SOURCE)]
    return [
        Passage(f"context-{number}", "context", piece, "Attached to the question", None, None, None, 0.0)
        for number, piece in enumerate(pieces)
        if piece.strip()
    ]


def _system(parts: Sequence[str]) -> Message:
    return Message(role="system", content="\n\n".join(part for part in parts if part))


def _character(persona: Mind, passages: Sequence[Passage]) -> str:
    """The system prompt, also of a persona that training has not written one for, and what is so of it today."""
    profile = Profile(persona.discipline or "general knowledge", persona.described, tuple(persona.tags))
    topics = [passage.heading or passage.title for passage in passages]
    prompt = persona.system_prompt or write_prompt(persona, profile, topics)
    facts = "; ".join(map(one_line, persona.tags))
    return "\n\n".join([prompt, *([_SENTENCES["facts"].format(facts=facts)] if facts else [])])


def _sources(passages: Sequence[Passage]) -> list[str]:
    """The passages, numbered from 1, and how to cite them; nothing where there are none."""
    if not passages:
        return []
    word = _fence("".join(passage.text for passage in passages))
    blocks = [
        _fenced(f"SOURCE {number}", f"{passage.title}\n{passage.text[:LONGEST_SOURCE]}", word)
        for number, passage in enumerate(passages, 1)
    ]
    return ["\n".join([_SENTENCES["untrusted"].format(fence=word), _SENTENCES["citing"], *blocks])]


def _on_material(task: str, pieces: Sequence[str]) -> list[Message]:
    material = "\n".join(pieces)
    word = _fence(material)
    return [
        Message(role="system", content=f"{task}\n{_SENTENCES['untrusted'].format(fence=word)}"),
        Message(role="user", content=_fenced("MATERIAL", material[:_LONGEST_TURN], word)),
    ]


def _fenced(name: str, text: str, word: str) -> str:
    """Text of strangers between two lines that it cannot write itself."""
    return f"BEGIN {name} {word}\n{neutral(text)}\nEND {name} {word}"


def _fence(text: str) -> str:
    """A word that the text cannot contain, because it is made from the whole of it."""
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:16]


def _history(turns: Sequence[Turn], longest: int) -> list[Message]:
    """The last turns, alternating from the person on, as the stricter chat templates demand."""
    messages: list[Message] = []
    for turn in [turn for turn in turns if turn.role != "system"][-_MOST_TURNS:]:
        role = "assistant" if turn.role == "assistant" else "user"
        content = without_marks(turn.content[:longest])
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"] += f"\n\n{content}"
        elif messages or role == "user":
            messages.append(Message(role=role, content=content))
    return messages or [Message(role="user", content=_ANSWER["greet"])]


def _form(question: SurveyQuestion) -> str:
    """What the answer has to look like: the reason first, so that the value follows from it."""
    low, high = question.scale or (0, 0)
    words = _SURVEY["words"].get(question.response_form, _SURVEY["words"]["standard"])
    form = {"reason": _SURVEY["reason"], **_SURVEY[question.type]}
    most = f"at most {question.most}" if question.most else "as many as fit"
    rule = form["rule"].format(low=low, high=high, most=most)
    return str(_SURVEY["form"].format(reason=form["reason"].format(words=words), answer=form["answer"], rule=rule))
