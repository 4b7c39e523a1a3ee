"""A language model for tests that answers as the planted personas do, and codes them: sometimes wrong."""

import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from tests.app.internal_api.engines.chat_server import ChatServer, chat_server, says
from tests.app.internal_api.engines.open_answers import THEMES, Planted, planted

ANSWER = re.compile(r"BEGIN ANSWER (\d+) (\w+)\n(.*?)\nEND ANSWER \1 \2", re.DOTALL)
KNOWN = re.compile(r"^(\w+): ([^.\n]+)\.", re.MULTILINE)
BY_TEXT = {one.text: one for one in planted()}
Wrong = Callable[[int, list[dict[str, Any]]], list[dict[str, Any]]]
"""What a call is made wrong with: its place among the coding calls, and the sound codings."""


def sometimes_wrong(call: int, codings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """At first one is missing, one doubled, one has an invented code, one a misquote; then one is still misquoted."""
    if call > 1:
        return codings
    if call == 0:
        codings = [codings[0], *codings[2:], codings[4]]
        codings[5] = {**codings[5], "codes": [{"code": "z", "quote": ""}]}
    wrong = {**codings[-3], "codes": [{"code": codings[-3]["codes"][0]["code"], "quote": "what nobody said"}]}
    return [*codings[:-3], wrong, *codings[-2:]]


@asynccontextmanager
async def model(wrong: Wrong = sometimes_wrong) -> AsyncIterator[ChatServer]:
    """The endpoint; one answer is coded with a wrong theme, as models do."""
    calls: list[str] = []

    async def reply(writer: Any) -> None:
        system, user = (server.bodies[-1]["messages"][place]["content"] for place in (0, -1))
        if "BEGIN ANSWER" not in user:
            said = next(one for one in planted() if f"You are {one.name}." in system)
            answer = {"reason": said.text, "answer": [said.text.split()[0]]}
            return await says(json.dumps(answer))(writer)
        calls.append(user)
        numbered = [(int(number), BY_TEXT[text]) for number, _, text in ANSWER.findall(user)]
        ids = {label: one for one, label in KNOWN.findall(system)}
        new = {theme: ids.get(label, theme) for theme, label in THEMES.items()}
        codes = [{"id": theme, "label": THEMES[theme], "definition": "…"} for theme in THEMES if new[theme] == theme]
        codings = wrong(len(calls) - 1, [_coding(number, said, new) for number, said in numbered])
        return await says(f"Here it is:\n```json\n{json.dumps({'codes': codes, 'answers': codings})}\n```")(writer)

    async with chat_server(reply) as server:
        yield server


def _coding(number: int, said: Planted, ids: dict[str, str]) -> dict[str, Any]:
    themes = {"coffee"} if said.text.startswith("the price") else said.themes
    quote = said.text[:12]
    codes = [{"code": ids[theme], "quote": quote} for theme in sorted(themes)]
    empty = "no_view" if said.stance == "neither" else "other"
    return {"n": number, "codes": codes or [{"code": empty, "quote": ""}], "stance": said.stance}
