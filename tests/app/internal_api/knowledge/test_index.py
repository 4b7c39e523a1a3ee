"""Searching real databases: the same questions find the same passages in SQLite and PostgreSQL."""

from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, insert, update
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.knowledge.chunk import chunk_document
from app.internal_api.knowledge.documents import Document
from app.internal_api.knowledge.index import KnowledgeIndex, rank
from app.internal_api.knowledge.terms import parse_query
from app.internal_api.store.knowledge import chunks as knowledge_chunks
from app.internal_api.store.knowledge import items as knowledge_items
from app.internal_api.store.minds import minds

GUIDE = """# Rye
Rye dough is sticky, because rye has hardly any gluten to hold it together.

## Baking
Rye loaves bake for an hour at 200 degrees and rest for a day before they are cut.

# Wheat
Wheat dough is elastic. Kneading develops its gluten. See example.com/pricing for flour.

# Desserts
Our crème brûlée is caramelised with a torch. The brûlée costs 1.5 coins at the “Café Noir”.

# 日本
東京のパン屋は朝早く開きます。食パンは毎日焼かれます。

# 한국
서울에서 빵을 굽습니다."""


@pytest.mark.parametrize(
    ("question", "heading"),
    [
        ("How long are rye loaves baked?", "Rye > Baking"),
        ("why is rye dough sticky", "Rye"),
        ("kneaded gluten", "Wheat"),
        ("what is your pricing", "Wheat"),
        ("creme brulee", "Desserts"),
        ("CRÈME BRÛLÉE", "Desserts"),
        ("cafe noir", "Desserts"),
        ("cost 1.5", "Desserts"),
        ("desserts", "Desserts"),
        ("東京のパン", "日本"),
        ("食パンはいつ?", "日本"),
        ("서울", "한국"),
    ],
)
async def test_a_question_finds_its_passage_first(engine: AsyncEngine, question: str, heading: str) -> None:
    mind_id = await _mind_that_knows(engine, GUIDE)

    found = await KnowledgeIndex(engine).search(mind_id, question)

    assert found[0].heading == heading


async def test_a_passage_says_where_it_comes_from(engine: AsyncEngine) -> None:
    mind_id = await _mind_that_knows(engine, "First page.\n\nThe oven is hot.", pages=(0, 13))

    (passage,) = await KnowledgeIndex(engine).search(mind_id, "oven")

    assert (passage.text, passage.page, passage.heading) == ("The oven is hot.", 2, None)
    assert (passage.title, passage.link) == ("The guide", "https://example.com/guide")
    assert passage.similarity == 1.0


@pytest.mark.parametrize("word", ["Rye", "東京"])
async def test_only_the_minds_own_knowledge_is_found(engine: AsyncEngine, word: str) -> None:
    mine = await _mind_that_knows(engine, f"{word} is mine.")
    await _mind_that_knows(engine, f"{word} is theirs.")

    found = await KnowledgeIndex(engine).search(mine, word)

    assert [passage.text for passage in found] == [f"{word} is mine."]


@pytest.mark.parametrize("question", ["", "what is the", "?!", "quantum chromodynamics", "量子"])
async def test_nothing_is_found_for_what_is_not_there(engine: AsyncEngine, question: str) -> None:
    mind_id = await _mind_that_knows(engine, GUIDE)

    assert await KnowledgeIndex(engine).search(mind_id, question) == []


@pytest.mark.parametrize(
    "question",
    [
        'rye" OR "wheat',
        "rye) OR (mind_id : x",
        "rye'; DROP TABLE minds; --",
        "rye & ! | <-> :* \\",
        "text : rye NEAR(a b)",
        "rye %_\\ 100%",
        "rye \x00 \ufffe ² ½ ⅷ",
        "rye " * 60_000,
    ],
)
async def test_a_question_is_terms_and_never_syntax(engine: AsyncEngine, question: str) -> None:
    mind_id = await _mind_that_knows(engine, GUIDE)

    found = await KnowledgeIndex(engine).search(mind_id, question)

    assert any((passage.heading or "").startswith("Rye") for passage in found)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.text(max_size=60))
async def test_no_question_breaks_the_search(engine: AsyncEngine, question: str) -> None:
    assert await KnowledgeIndex(engine).search(str(uuid4()), question) == []


async def test_a_mind_id_is_no_syntax_either(engine: AsyncEngine) -> None:
    await _mind_that_knows(engine, GUIDE)

    assert await KnowledgeIndex(engine).search('x" OR text : "rye', "rye") == []


async def test_at_most_as_many_as_asked_for_are_given(engine: AsyncEngine) -> None:
    mind_id = await _mind_that_knows(engine, "\n".join(f"# Part {n}\nRye number {n}." for n in range(300)))
    index = KnowledgeIndex(engine)

    assert len(await index.search(mind_id, "rye", limit=3)) == 3
    assert await index.search(mind_id, "rye", limit=0) == []


async def test_what_is_changed_or_deleted_is_no_longer_found(engine: AsyncEngine) -> None:
    mind_id = await _mind_that_knows(engine, "Rye is old.")
    index = KnowledgeIndex(engine)
    of_mind = knowledge_chunks.c.mind_id == mind_id

    async with engine.begin() as connection:
        await connection.execute(update(knowledge_chunks).where(of_mind).values(text="Wheat is new."))
    changed = [await index.search(mind_id, "rye"), await index.search(mind_id, "wheat")]
    async with engine.begin() as connection:
        await connection.execute(delete(knowledge_chunks).where(of_mind))

    assert [len(found) for found in changed] == [0, 1]
    assert await index.search(mind_id, "wheat") == []


async def _mind_that_knows(engine: AsyncEngine, text: str, pages: tuple[int, ...] | None = None) -> str:
    mind_id, item_id = str(uuid4()), str(uuid4())
    document = Document("The guide", text, "example.com", "https://example.com/guide", "text/markdown", pages)
    mind = {
        "id": mind_id, "owner_id": str(uuid4()), "name": "Ada", "description": "", "type": "expert",
        "mode": "manual", "source_policy": "auto", "tags": [], "keywords": [], "context": "",
        "is_real_person": False, "is_link_sharing_enabled": False, "search_text": "", "created_at": 0,
        "updated_at": 0,
    }  # fmt: skip
    item = {
        "id": item_id, "mind_id": mind_id, "source_type": "link", "description": "", "title": document.title,
        "source": document.source, "link": document.link, "media_type": document.media_type,
        "status": "completed", "regenerate_prompt": False, "prompt_regenerated": False, "position": 0,
        "created_at": 0, "updated_at": 0,
    }  # fmt: skip
    rows = [
        {
            "id": str(uuid4()), "item_id": item_id, "mind_id": mind_id, "position": chunk.position,
            "text": chunk.text, "heading": chunk.heading, "page": chunk.page,
        }
        for chunk in chunk_document(document)
    ]  # fmt: skip
    async with engine.begin() as connection:
        await connection.execute(insert(minds), [mind])
        await connection.execute(insert(knowledge_items), [item])
        await connection.execute(insert(knowledge_chunks), rows)
    return mind_id


TEXTS = st.lists(st.text("abc 東京é.", max_size=60), max_size=8)


@given(st.text("abc 東京é.", max_size=30), TEXTS)
def test_similarities_are_shares_in_falling_order(question: str, texts: list[str]) -> None:
    ranked = rank(parse_query(question), texts)

    similarities = [similarity for _, similarity in ranked]
    assert similarities == sorted(similarities, reverse=True)
    assert all(0 < similarity <= 1 for similarity in similarities)
    assert len({index for index, _ in ranked}) == len(ranked) <= len(texts)


def test_a_passage_with_every_word_is_fully_similar() -> None:
    (best, *_) = rank(parse_query("how is rye baked"), ["Bake rye at 200 degrees.", "Rye is a grain."])

    assert best == (0, 1.0)


def test_rare_words_weigh_more_than_common_ones() -> None:
    texts = ["bread bread bread", "bread and butter", "bread and sourdough", "bread and jam"]

    ranked = rank(parse_query("sourdough butterless bread"), texts)

    assert ranked[0][0] == 2
