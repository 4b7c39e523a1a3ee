"""The right to work on a question: what is written under it is written with it or not at all."""

import pytest

from app.internal_api.panels.hub import Hub
from app.internal_api.panels.panel import Means, Panel
from app.internal_api.store.answers import end_pending, pending_minds
from app.internal_api.store.leases import Lease, LeaseLost
from app.internal_api.store.questions import claim_question
from app.internal_api.study_tables import questions
from tests.app.internal_api.panels.panels import make_panel, queue, stored
from tests.app.internal_api.support import FakeSearch, World


async def test_a_write_extends_the_lease_and_is_undone_when_that_is_lost(world: World) -> None:
    await queue(world, await make_panel(world.engine, {"Old": ["Ada"]}))
    question = await claim_question(world.engine, "me", world.clock(), 1_000)
    assert question is not None
    means = Means(world.engine, world.persona_engine, FakeSearch(world.engine), world.settings, Hub(), world.clock)
    mine = Panel(question, Lease(question.id, "me", 5_000, questions), means)
    lost = Panel(question, Lease(question.id, "you", 5_000, questions), means)

    async with mine.write(attempt=7):
        pass
    with pytest.raises(LeaseLost):
        async with lost.write() as connection:
            await end_pending(connection, question.id, "NO", 1)

    held, _ = await stored(world.engine, question.id)
    assert (held.attempt, held.lease_until) == (7, world.clock() + 5_000)
    async with mine.read() as connection:
        assert len(await pending_minds(connection, question.id)) == 1


async def test_news_are_told_to_those_who_follow_this_question(world: World) -> None:
    question_id = await queue(world, await make_panel(world.engine, {"Old": ["Ada"]}))
    question, _ = await stored(world.engine, question_id)
    hub = Hub()
    search = FakeSearch(world.engine)
    means = Means(world.engine, world.persona_engine, search, world.settings, hub, world.clock)

    with hub.following(question_id) as news:
        Panel(question, Lease(question_id, "me", 1, questions), means).tell()

        assert news.is_set()
