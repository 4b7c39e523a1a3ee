"""Questions in other words, and questions without an answer: right, or honestly declined, and never plainly wrong."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from app.internal_api.engines.embeddings import Embedder
from app.internal_api.engines.engine import Turn
from app.internal_api.engines.extractive.engine import ExtractiveEngine
from app.internal_api.knowledge.chunk import chunk_document
from app.internal_api.knowledge.documents import Document
from app.internal_api.knowledge.index import fuse, nearness, rank
from app.internal_api.knowledge.terms import parse_query
from tests.app.internal_api.engines.people import ADA, passage

MEANINGS = pytest.mark.parametrize("embed", [None, Embedder.installed()], ids=["words", "words and meaning"])
TEXTS = tomllib.loads(Path(__file__).with_name("paraphrases.toml").read_text("utf-8"))["texts"]


async def asked(given: dict[str, Any], question: str, embed: Embedder | None) -> tuple[str, bool]:
    """What is answered from the text, and whether it is said to be no answer."""
    document = Document(given["name"], given["text"], given["name"], None, "text/plain", None)
    chunks = [chunk.text for chunk in chunk_document(document)]
    ranked = rank(parse_query(question), chunks)
    if embed is not None:
        ranked = fuse(ranked, nearness(embed, question, chunks))
    found = [passage(chunks[index], given["name"]) for index, _ in ranked[:6]]
    answer = await ExtractiveEngine().answer(ADA, [Turn("user", question)], found)
    return answer.content, answer.unsupported


@MEANINGS
@pytest.mark.parametrize("given", TEXTS, ids=lambda given: given["name"])
async def test_a_paraphrase_is_answered_right_or_honestly_declined(
    given: dict[str, Any], embed: Embedder | None
) -> None:
    said = {question: (fact, *await asked(given, question, embed)) for question, fact in given["answered"]}

    wrong = [question for question, (fact, text, unsupported) in said.items() if not unsupported and fact not in text]
    shown = [question for question, (fact, text, _) in said.items() if fact in text]
    assert wrong == []
    assert len(shown) / len(said) >= 0.8, said


@MEANINGS
@pytest.mark.parametrize("given", TEXTS, ids=lambda given: given["name"])
async def test_what_the_text_does_not_answer_is_not_answered(given: dict[str, Any], embed: Embedder | None) -> None:
    taken = [question for question in given["unanswerable"] if not (await asked(given, question, embed))[1]]

    assert len(taken) / len(given["unanswerable"]) <= 1 / 12, taken
