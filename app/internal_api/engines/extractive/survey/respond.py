"""An offline persona's answer to a survey question."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.internal_api.engines.engine import EngineUnavailable, Persona, SurveyAnswer, SurveyQuestion, Turn
from app.internal_api.engines.extractive.questions import read_question
from app.internal_api.engines.extractive.survey import choosing, reasons
from app.internal_api.engines.extractive.survey.backing import Backed
from app.internal_api.engines.extractive.survey.disposition import leaning
from app.internal_api.engines.extractive.survey.material import Material, read_material
from app.internal_api.engines.extractive.survey.statements import Statement
from app.internal_api.engines.extractive.survey.themes import labels
from app.internal_api.knowledge.documents import Passage

_KNOWLEDGE_ONLY = "knowledge_only"
_USUAL = (1, 10)
_MARK = re.compile(r"\[{2,}")  # an option or a description must not look like a citation


@dataclass(frozen=True, slots=True)
class _Said:
    value: str
    reason: reasons.Reason
    sentiment: float


def respond(engine: str, persona: Persona, asked: SurveyQuestion, passages: Sequence[Passage]) -> SurveyAnswer:
    """The same persona, question and passages give the same answer. Raises EngineUnavailable."""
    sided = asked.type == "scale" or (asked.type == "categorical" and _takes_sides(asked))
    material = read_material(persona, asked, passages, sided=sided)
    said = _BY_TYPE[asked.type](persona, asked, material)
    message, quoted = said.reason
    message = _MARK.sub("[", message)
    if persona.source_policy == _KNOWLEDGE_ONLY and not quoted:
        raise EngineUnavailable("The persona's knowledge does not cover this.", retryable=False, kind="unsupported")
    return SurveyAnswer(
        value=said.value,
        raw_value=said.value,
        message=message,
        sentiment=round(said.sentiment, 3),
        citations=material.cited(quoted),
        origin=material.origin(quoted),
        unsupported=False,
        engine=engine,
        chunks_found=len(passages),
    )


def _on_scale(persona: Persona, asked: SurveyQuestion, material: Material) -> _Said:
    inclined = leaning(persona, asked.text, material.valence, known=bool(material.statements))
    value = choosing.point(asked.scale or _USUAL, -inclined if material.inquiry.bad else inclined)
    return _Said(str(value), reasons.stand(reasons.speaker(persona, material), inclined, decided=False), inclined)


def _one(persona: Persona, asked: SurveyQuestion, material: Material) -> _Said:
    who = reasons.speaker(persona, material)
    if material.inquiry.sided:
        inclined = leaning(persona, asked.text, material.valence, known=bool(material.statements))
        answer = -inclined if material.inquiry.bad else inclined
        option = choosing.side(asked.options, answer, material.question.language)
        return _Said(option, reasons.stand(who, inclined, decided=len(asked.options) % 2 == 0), inclined)
    best = choosing.ranked(persona, asked, material)[0]
    return _chosen(who, best.option, [best])


def _several(persona: Persona, asked: SurveyQuestion, material: Material) -> _Said:
    chosen = choosing.several(persona, asked, material)
    value = choosing.SEPARATOR.join(each.option for each in chosen)
    return _chosen(reasons.speaker(persona, material), value, chosen)


def _open(persona: Persona, asked: SurveyQuestion, material: Material) -> _Said:
    who = reasons.speaker(persona, material)
    message, quoted = reasons.opinion(who, asked.response_form)
    told = [each for each in reasons.weighty(material.statements) if each in quoted]
    themes = labels(told, material, persona.name)
    unsaid = who.phrases.nothing if material.touched else who.phrases.no_view
    return _Said(choosing.SEPARATOR.join(themes) or unsaid, (message, quoted), _mood(quoted))


def _chosen(who: reasons.Speaker, value: str, chosen: Sequence[Backed]) -> _Said:
    backed = sorted((each for each in chosen if each.statement and each.support > 0), key=lambda each: -each.support)
    backing = [each.statement for each in backed if each.statement]
    reason = reasons.choice(who, [each.option for each in chosen], backing, clear=any(each.clear for each in backed))
    return _Said(value, reason, _mood(reason[1]))


def _mood(quoted: Sequence[Statement]) -> float:
    return sum(each.sentiment for each in quoted) / len(quoted) if quoted else 0.0


def _takes_sides(asked: SurveyQuestion) -> bool:
    language = read_question([*asked.earlier, Turn("user", asked.text)], "", None).language
    return choosing.takes_sides(asked.options, language)


_BY_TYPE = {"scale": _on_scale, "categorical": _one, "multiselect": _several, "qualitative": _open}
