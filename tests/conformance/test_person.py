"""The person finds the way through pages, and says when there is none."""

import asyncio

import pytest

from tests.conformance.person import Lost, Person
from tests.loopback import reply, serving


@pytest.mark.parametrize("page", [reply("400 Bad Request", b"<h1>No</h1>"), reply("200 OK", b"<h1>No form</h1>")])
async def test_a_page_without_an_answer_is_told(page: bytes) -> None:
    async with serving({"/ask": page}) as site:
        with pytest.raises(Lost):
            await asyncio.to_thread(Person("ada@example.com", "secret").allow, f"{site.origin}/ask", "http://app.test/")


async def test_signed_in_and_asked_the_person_allows_and_follows_the_answer() -> None:
    asked = reply("200 OK", b'<form method="post" action="/answer"></form>')
    answered, arrived = reply("303 See Other", Location="/callback?code=c"), reply("200 OK")
    async with serving({"/ask": asked, "/answer": answered, "/callback?code=c": arrived}) as site:
        person = Person("ada@example.com", "secret")
        await asyncio.to_thread(person.allow, f"{site.origin}/ask", f"{site.origin}/callback")

        assert [head.split(" ")[1] for head in site.heads] == ["/ask", "/answer", "/callback?code=c"]
