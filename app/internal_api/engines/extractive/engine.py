"""The engine that needs no language model: it quotes the passages it is given, and says when it has none."""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from pkgutil import resolve_name
from typing import Any

from app.internal_api.engines.coding import Code, Coded
from app.internal_api.engines.engine import Answer, EngineUnavailable, Profile, SurveyAnswer, SurveyQuestion, Turn
from app.internal_api.engines.extractive.profiles import topics_of, write_profile, write_prompt
from app.internal_api.engines.extractive.questions import WORDS, read_question
from app.internal_api.engines.extractive.quotations import quotations
from app.internal_api.engines.extractive.survey import answer_survey
from app.internal_api.engines.snippets import shorten
from app.internal_api.knowledge.documents import Passage
from app.internal_api.knowledge.embeddings import Embedder
from app.internal_api.store.minds import Mind

NAME = "offline"
_LEAD = "My knowledge says:"
_LEAD_CLOSE = "I have nothing that answers this directly. What comes closest in my knowledge:"
_DOUBLED = re.compile(r"\[{2,}")  # a name must not look like a citation
_LONGEST_NAME = 100


class ExtractiveEngine:
    """Deterministic: the same persona, question and passages give the same answer.

    Its own sentences but courtesies are English; a quotation is in the language of its document. Another engine extends
    it, and may raise EngineUnavailable from every method.
    """

    name: str = NAME
    host: str | None = None
    """Where the language model is; None where there is none."""

    @property
    def failure(self) -> EngineUnavailable | None:
        """Why the language model gave no answer when it was last asked."""
        return None

    async def check(self) -> None:
        """Ask the language model for a word. Raises EngineUnavailable."""

    async def answer(
        self, persona: Mind, turns: Sequence[Turn], passages: Sequence[Passage], *, language: str | None = None
    ) -> Answer:
        """Quote what answers the last message of the person; without a question, say who the persona is."""
        del language  # nothing is translated
        question = read_question(turns, persona.name)
        if replies := WORDS["replies"].get(question.courtesy):
            polite: str = replies[question.language]
            return Answer(polite, (), "mind_personality", NAME, 0, retrieval_attempted=False)
        if not question.terms:
            # A client that knows no field of a persona gives its name, and nobody's field is their own name.
            known = persona.discipline and persona.discipline != persona.name
            field = f"My field is {_plain(persona.discipline or '')}. " if known else ""
            who = f"I am {_plain(persona.name)}, an AI persona and not a human being. {field}"
            content = f"{who}{_offer(persona, passages)}"
            return Answer(content, (), "mind_personality", NAME, len(passages), bool(passages))
        # "Tell me more" is answered with what was not said yet.
        before = " ".join(turn.content for turn in turns if turn.role == "assistant") if question.follows_up else ""
        embed = Embedder.installed()
        run = asyncio.to_thread if embed is None else embed.run
        found = await run(quotations, question, passages, before, embed)
        if question.follows_up and not any(quotation.answers for quotation in found):
            alone = read_question(turns[-1:], persona.name)  # "What about the bus?" may begin something else
            own = await run(quotations, alone, passages, before, embed) if alone.terms else []
            found = own if any(quotation.answers for quotation in own) else found
        if not found:
            return Answer(decline(persona, passages), (), "unsupported", NAME, len(passages))
        lead, origin = (_LEAD, "mind_knowledge") if found[0].answers else (_LEAD_CLOSE, "unsupported")
        quoted = [f"{quotation.text} [[CITE:{number}]]" for number, quotation in enumerate(found)]
        cited = tuple(quotation.passage for quotation in found)
        return Answer("\n\n".join([lead, *quoted]), cited, origin, NAME, len(passages))

    async def profile(self, persona: Mind) -> Profile:
        """Say who the persona is from its own few words."""
        return write_profile(persona)

    async def draft(self, audience: str, count: int) -> list[dict[str, Any]]:  # noqa: ARG002  it takes a model
        """Raises EngineUnavailable: nothing is invented here."""
        raise EngineUnavailable("Drafting takes a language model.", retryable=False, kind="no_model")

    async def prompt(self, persona: Mind, profile: Profile, outline: Sequence[str]) -> str:
        """Write the rules that the persona answers by, with the topics of its knowledge."""
        return write_prompt(persona, profile, outline)

    async def survey(self, persona: Mind, question: SurveyQuestion, passages: Sequence[Passage]) -> SurveyAnswer:
        """Answer with what the passages state, or not at all. Raises EngineUnavailable.

        It is some milliseconds of pure computing, which would hold up the event loop when hundreds answer.
        """
        del persona  # without a model there is no character that could answer
        return await asyncio.to_thread(answer_survey, NAME, question, passages)

    async def code(
        self, question: str, texts: Mapping[str, str], known: Sequence[Code], examples: Mapping[str, Sequence[str]]
    ) -> Coded | None:
        """Code the answers to an open question; None where that cannot be done.

        `known` are the codes of earlier answers to the same question, which stay as they are, and `examples` quotes of
        each. Without a model, sentences that are near each other make a theme, by the extra `embeddings`.
        """
        embed = Embedder.installed()
        if embed is None:
            return None
        cluster: Callable[..., Coded] = resolve_name("app.internal_api.engines.clusters:cluster")
        return await embed.run(cluster, embed, question, texts, known, examples)


def decline(persona: Mind, passages: Sequence[Passage]) -> str:
    """The words for having nothing on the last question."""
    return f"I am {_plain(persona.name)}, and I have nothing on that in my knowledge. {_offer(persona, passages)}"


def _offer(persona: Mind, passages: Sequence[Passage]) -> str:
    topics = topics_of(persona, passages)
    if not topics:
        return "Give me a page, a file or a text, and I can answer from that."
    return f"You can ask me about {', '.join(topics[:-1])}{' and ' if topics[1:] else ''}{topics[-1]}."


def _plain(text: str) -> str:
    return _DOUBLED.sub("[", shorten(text, _LONGEST_NAME))
