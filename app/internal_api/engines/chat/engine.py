"""The engine with a language model behind it: any OpenAI-compatible chat endpoint.

A survey question is asked once. What is not written as it was asked for keeps its words; its value is never guessed.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import structlog
from pydantic import BaseModel, Field, StrictFloat, StrictInt, StringConstraints

from app.internal_api.engines.chat import prompts
from app.internal_api.engines.chat.citations import cite, declines, find_object, find_objects, neutral, without_marks
from app.internal_api.engines.chat.codebook import write_codebook
from app.internal_api.engines.chat.endpoint import ChatEndpoint, Endpoint, Message
from app.internal_api.engines.coding import Code, Coded
from app.internal_api.engines.engine import (
    KNOWLEDGE_ONLY,
    NOTHING_CHOSEN,
    SEPARATOR,
    Answer,
    EngineUnavailable,
    Profile,
    SurveyAnswer,
    SurveyQuestion,
    Turn,
    abstention,
)
from app.internal_api.engines.extractive.engine import ExtractiveEngine, decline
from app.internal_api.engines.extractive.profiles import write_prompt
from app.internal_api.engines.extractive.questions import read_question
from app.internal_api.engines.settings import EngineSettings
from app.internal_api.engines.snippets import one_line
from app.internal_api.engines.wordings import wordings
from app.internal_api.knowledge.documents import Passage
from app.internal_api.knowledge.embeddings import Embedder
from app.internal_api.store.minds import Mind

log = structlog.get_logger()

ENGINE = "openai-compatible"
_LONGEST_CHARACTER = 1_500
_MOST_TRAITS = 8
_DRAFTED_EACH = 5  # people that fit into the length and the time of one ordinary reply
MOST_THEMES = 3
_MOST_WORDS = 4  # of a label; three are asked for
_LONGEST_LABEL = 60
_LONGEST_RAW = 1_000
_CUT = re.compile(r'\A\s*(?:```\w*\s*)?\{\s*"reason"\s*:\s*"([^"]+)')
_POINT = re.compile(r"([+-]?\d{1,9})(?:\.0)?")
_EDGES = " *_`\"'“”„«»\u2018\u2019.,;:!-•"


class LanguageModelEngine(ExtractiveEngine):
    """Asks a model, and takes from its answer only citations that exist.

    Under `knowledge_only` nothing that is not cited leaves this engine, and without passages the model is not asked:
    the extractive engine answers, which says so. Every method may raise EngineUnavailable.
    """

    def __init__(self, endpoint: Endpoint, model: str, kind: str = ENGINE) -> None:
        self._endpoint, self._complete, self.kind = endpoint, endpoint.complete, kind
        self.name, self.host = f"{kind}:{model}", endpoint.host

    @property
    def failure(self) -> EngineUnavailable | None:
        return self._endpoint.failure

    async def check(self) -> None:
        await self._complete([Message(role="user", content="Say yes.")])

    async def answer(
        self, persona: Mind, turns: Sequence[Turn], passages: Sequence[Passage], *, language: str | None = None
    ) -> Answer:
        """Answer the last turn; no turns means a greeting."""
        closed = persona.source_policy == KNOWLEDGE_ONLY
        if closed and not passages:
            return await super().answer(persona, turns, passages)
        text = await self._complete(prompts.answer_messages(persona, turns, passages, language))
        asks = bool(read_question(turns, persona.name).terms)  # and does not greet, or ask for the persona itself
        spoken, declined = without_marks(text), declines(text)
        if not (spoken or declined):
            # A model without a word is not out of order: the persona has nothing to say on that.
            log.warning("persona_engine.empty_answer", mind=persona.id)
            if not asks:
                return await super().answer(persona, turns, passages)
        content, used = cite(text, min(len(passages), prompts.MOST_SOURCES))
        uncited = closed and asks and not used
        if declined or uncited or not spoken:
            said = "" if uncited else spoken
            return Answer(said or decline(persona, passages), (), "unsupported", self.kind, len(passages))
        cited = tuple(passages[number] for number in used)
        return Answer(content, cited, "mind_knowledge" if cited else "mind_personality", self.kind, len(passages))

    async def profile(self, persona: Mind) -> Profile:
        """Say who the persona is; by its owner's own words where the model gives no profile that can be read."""
        written = find_object(await self._complete(prompts.profile_messages(persona)), _WrittenProfile)
        if written is None:
            # Some models answer prose whatever they are asked for; that must not keep a mind from being trained.
            log.warning("persona_engine.unreadable_profile", mind=persona.id)
            return await super().profile(persona)
        discipline, description, *traits = (
            neutral(one_line(each)) for each in [written.discipline, written.description, *written.traits]
        )
        return Profile(discipline, description, tuple(filter(None, traits))[:_MOST_TRAITS])

    async def draft(self, audience: str, count: int) -> list[dict[str, Any]]:
        """People of an audience, as the model wrote them; what is no object is left out."""
        long = 1 + count // _DRAFTED_EACH
        written = find_object(await self._complete(prompts.draft_messages(audience, count), long=long), _WrittenDraft)
        people = [one for one in (written.people if written else ()) if isinstance(one, dict)]
        if not people:
            raise EngineUnavailable("The language model wrote no draft.", kind="malformed", host=self.host)
        return people[:count]

    async def prompt(self, persona: Mind, profile: Profile, outline: Sequence[str]) -> str:
        """Write the system prompt; the model gives the voice only."""
        text = await self._complete(prompts.character_messages(persona, profile, outline))
        return write_prompt(persona, profile, outline, without_marks(text)[:_LONGEST_CHARACTER])

    async def survey(self, persona: Mind, question: SurveyQuestion, passages: Sequence[Passage]) -> SurveyAnswer:
        """Answer a survey question in character."""
        closed = persona.source_policy == KNOWLEDGE_ONLY
        known = passages[: prompts.MOST_SOURCES]
        sources = [*known, *prompts.attached(question)]
        if closed and not sources:
            raise abstention()
        messages = prompts.survey_messages(persona, question, passages)
        schema = prompts.survey_schema(question)
        reply = read_reply(await self._complete(messages, schema=schema), question)
        if closed and reply.declined:
            raise abstention()
        if not (reply.declined or without_marks(f"{reply.value}{reply.raw}{reply.reason}")):
            raise EngineUnavailable("The language model gave no answer.", kind="unreadable")
        # "[7]" is a rating where nothing but words came.
        content, used = cite(reply.reason, len(sources), footnotes=bool(reply.raw) or question.type == "qualitative")
        if closed and not used:
            raise abstention()  # it cites nothing, so it rests on nothing
        cited = tuple(known[number] for number in used if number < len(known))
        origin = "mind_knowledge" if cited else "request_evidence" if used else "mind_personality"
        about = (without_marks(content), cited, origin, self.kind, len(passages))
        raw = without_marks(reply.raw)
        meant = {} if reply.value or reply.declined else await _meant(raw or about[0], question)
        return SurveyAnswer(reply.value, raw, *about, declined=reply.declined, meant=meant)

    async def code(
        self, question: str, texts: Mapping[str, str], known: Sequence[Code], examples: Mapping[str, Sequence[str]]
    ) -> Coded | None:
        """Code the answers to an open question, all in one call where there are not too many."""
        del examples  # labels and definitions say more
        return await write_codebook(self._endpoint, question, texts, known)


def create_engine(settings: EngineSettings) -> ExtractiveEngine:
    """The engine behind `LLM_BASE_URL`, or the offline one when that is unset."""
    if settings.llm_base_url is None or settings.llm_model is None:
        return ExtractiveEngine()
    return LanguageModelEngine(ChatEndpoint(settings), settings.llm_model)


class _WrittenDraft(BaseModel):
    people: list[Any] = Field(min_length=1)


class _WrittenProfile(BaseModel):
    discipline: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    description: Annotated[str, StringConstraints(min_length=1, max_length=2_000)]
    traits: list[Annotated[str, StringConstraints(max_length=200)]] = Field([], max_length=50)


class _WrittenAnswer(BaseModel):
    """The object that the model was asked for; what it lacks counts as empty."""

    reason: str = ""
    answer: StrictInt | StrictFloat | str | list[str | StrictInt | None] | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """The value, as it counts and as it was written, and the reason with its citation marks; empty where unread."""

    value: str = ""
    raw: str = ""
    reason: str = ""
    declined: bool = False


def read_reply(text: str, question: SurveyQuestion) -> Reply:
    """What the model answered; the value is empty where it is not written as it was asked for: the words have it.

    Words without an object are the whole answer.
    """
    is_open, found = question.type == "qualitative", [*find_objects(text, _WrittenAnswer)]
    found = [one for one in found if "answer" in one.model_fields_set] or found
    agree = all(one.answer == found[0].answer for one in found)  # a draft, and another
    written = found[0] if found and agree else None
    if written is None or not written.model_fields_set:
        cut = _CUT.search(text)  # the beginning of an object, as a limit on tokens leaves it
        return Reply(reason=cut[1] if cut and is_open else text.strip(), declined=declines(text))
    answer = written.answer
    pieces = [] if answer is None else answer if isinstance(answer, list) else [answer]
    said = [one_line(str(piece)) for piece in pieces if piece is not None]
    value = "" if answer is None else _value(said, question)
    chosen_not_to = answer is None and "answer" in written.model_fields_set and not is_open
    declined = chosen_not_to or declines(text) or declines(written.reason)
    # A number or a choice may stand under a name of the model's own.
    raw = SEPARATOR.join(said) if is_open or "answer" in written.model_fields_set else text.strip()
    return Reply("" if declined else value, raw[:_LONGEST_RAW], written.reason.strip(), declined)


async def _meant(text: str, question: SurveyQuestion) -> Mapping[str, str]:
    """The options that words of `text` mean, where the extra `embeddings` can tell."""
    embed = Embedder.installed()
    if embed is None or not question.options:
        return {}
    several = question.type == "multiselect"
    return await embed.run(partial(wordings, embed, text[:_LONGEST_RAW], question.options, several=several))


def _value(said: Sequence[str], question: SurveyQuestion) -> str:
    match question.type:
        case "scale":
            low, high = question.scale or (0, 0)
            point = _POINT.fullmatch(said[0]) if len(said) == 1 else None
            return str(int(point[1])) if point and low <= int(point[1]) <= high else ""
        case "qualitative":
            named = [label for each in said if (label := each.strip(_EDGES)) and label.casefold() != "none"]
            short = [each for each in named if len(each) <= _LONGEST_LABEL and len(each.split()) <= _MOST_WORDS]
            labels = {each.casefold(): f"{each[0].upper()}{each[1:]}" for each in short}
            return SEPARATOR.join(list(labels.values())[:MOST_THEMES])
    known = {option.strip(_EDGES).casefold(): option for option in question.options}
    chosen = list(dict.fromkeys(known.get(each.strip(_EDGES).casefold(), "") for each in said))
    if question.type == "multiselect":
        if not said or ("none" not in known and [each.casefold() for each in said] == ["none"]):
            return NOTHING_CHOSEN
        return SEPARATOR.join(chosen) if "" not in chosen and len(chosen) <= (question.most or len(chosen)) else ""
    return chosen[0] if len(chosen) == 1 else ""
