"""What the offline engine makes of the texts in this folder, beside what is right."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.internal_api.engines.clusters import cluster
from app.internal_api.engines.engine import EngineUnavailable, SurveyQuestion, Turn
from app.internal_api.engines.extractive.engine import ExtractiveEngine
from app.internal_api.engines.extractive.questions import read_question
from app.internal_api.engines.extractive.quotations import quotations
from app.internal_api.engines.extractive.survey import answer_survey
from app.internal_api.knowledge.chunk import chunk_document
from app.internal_api.knowledge.documents import Document, Passage
from app.internal_api.knowledge.embeddings import Embedder
from app.internal_api.knowledge.index import fuse, nearness, rank
from app.internal_api.knowledge.terms import parse_query
from tests.app.internal_api.engines.people import ADA, passage

HERE = Path(__file__).parent
ROOT = HERE.parents[4]
PURE = 0.8  # of the answers of a code, those that are of one planted theme


@dataclass(frozen=True)
class Theme:
    """A planted theme, the label of the code that holds most of it, and how well that fits."""

    name: str
    label: str
    recall: float
    precision: float


def texts_of(name: str) -> dict[str, Any]:
    return tomllib.loads((HERE / f"{name}.toml").read_text("utf-8"))


def themes(embed: Embedder, given: Mapping[str, Any]) -> tuple[list[Theme], list[str]]:
    """Each planted theme, and the labels of codes that hold too much of others."""
    lines = [line.split(": ", 1) for line in given["answers"].strip().splitlines()]
    texts = {f"{number:02}": text for number, (_, text) in enumerate(lines)}
    coded = cluster(embed, given["question"], texts, [], {})
    held = {code.label: {key for key, each in coded.codings.items() if code.id in each.codes} for code in coded.codes}
    planted: dict[str, set[str]] = {}
    for key, (names, _) in zip(texts, lines, strict=True):
        for name in {*names.split("+")} - {"other"}:
            planted.setdefault(name, set()).add(key)
    found = []
    for theme, wanted in planted.items():
        label, most = max(held.items(), key=lambda each: len(each[1] & wanted), default=("", set()))
        common = len(most & wanted)
        found.append(Theme(theme, label, common / len(wanted), common / len(most) if common else 1.0))
    impure = [
        label for label, keys in held.items() if max(len(keys & each) for each in planted.values()) < PURE * len(keys)
    ]
    return found, impure


def confused(embed: Embedder, given: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The contraries that share a theme: alone, said twice each, or among all the others."""
    pairs = [tuple(pair) for pair in given["pairs"]]
    everything = {
        f"{pair} {side} {n}": text
        for pair in range(len(pairs))
        for side in (0, 1)
        for n in (0, 1)
        for text in [pairs[pair][side]]
    }
    found = []
    for number, pair in enumerate(pairs):
        alone = {key: text for key, text in everything.items() if key.startswith(f"{number} ")}
        for texts in (alone, everything):
            coded = cluster(embed, given["question"], texts, [], {})
            for code in coded.codes:
                held = {key for key, each in coded.codings.items() if code.id in each.codes}
                if {f"{number} 0 0", f"{number} 1 0"} <= held or {f"{number} 0 1", f"{number} 1 1"} <= held:
                    found.append(pair)
    return list(dict.fromkeys(found))


def surveyed(given: Mapping[str, Any], sentence: str, embed: Embedder | None = None) -> str:
    """The value that a persona gives that knows this sentence; empty where it abstains."""
    scale = tuple(given["scale"]) if "scale" in given else None
    question = SurveyQuestion(given["text"], given["type"], scale=scale, options=tuple(given.get("options", ())))
    query = " ".join([question.text, *question.options])
    try:
        return answer_survey("offline", question, search([sentence], query, embed, "About Ada Lovelace")).value
    except EngineUnavailable:
        return ""


async def asked(given: Mapping[str, Any], question: str, embed: Embedder | None) -> tuple[str, bool]:
    """What is said from the text, and whether it is said to be no answer; without the extra, what would be quoted."""
    text = given["text"] if "text" in given else (ROOT / given["file"]).read_text("utf-8")
    document = Document(given["name"], text, given["name"], None, "text/plain", None)
    found = search([chunk.text for chunk in chunk_document(document)], question, embed, given["name"])
    turns = [Turn("user", question)]
    if embed is None:
        quoted = quotations(read_question(turns), found)
        return "\n".join(each.text for each in quoted), not any(each.answers for each in quoted)
    answer = await ExtractiveEngine().answer(ADA, turns, found)
    return answer.content, answer.unsupported


def search(chunks: list[str], question: str, embed: Embedder | None, title: str) -> list[Passage]:
    """As the index searches what it holds."""
    ranked = rank(parse_query(question), chunks)
    if embed is not None:
        ranked = fuse(ranked, nearness(embed, question, chunks))
    return [passage(chunks[index], title) for index, _ in ranked[:6]]
