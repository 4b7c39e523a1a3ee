"""Who has begun may finish, and nobody begins any more."""

import asyncio

from app.internal_api.panels.drain import Drain


async def test_while_nothing_ends_everybody_has_their_turn_at_once() -> None:
    drain = Drain()

    await drain.turn()
    with drain.asking():
        await drain.turn()


async def test_closing_waits_for_who_has_begun_and_lets_nobody_begin() -> None:
    drain = Drain()
    with drain.asking():
        closing = asyncio.create_task(drain.close(60))
        await asyncio.sleep(0)
        late = asyncio.create_task(drain.turn())
        await asyncio.sleep(0)
        assert not closing.done()

    await closing
    assert not late.done()
    late.cancel()


async def test_closing_waits_no_longer_than_it_is_told() -> None:
    drain = Drain()
    with drain.asking():
        await drain.close(0)

    assert drain.closing
