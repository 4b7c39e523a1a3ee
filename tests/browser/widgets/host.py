"""The page at /dev/widget, which shows a widget as hosts do, and documents on the web that personas are made from."""

import asyncio
import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import Frame, FrameLocator, Locator, Page, Route

from tests.browser.looks import LOOKS, Looks, faults_of
from tests.journeys.gateway import INTERVIEWS, document_server
from tests.processes import HOST

PATH = "/dev/widget"
WIDEST = 720
"""Pixels that a host on a desk gives a widget; the page around it is wider."""
PATIENCE = 20_000
"""Milliseconds that a training or a question may take on a busy machine."""

CREATE, TALK, ASK = "create_ai_persona_or_digital_twin", "talk_to_ai_persona", "ask_panel"
QUESTION = "Which of these matters most when you hire a bicycle: price, reliability or safety?"
BERTHA = "Bertha Benz drove the first car to Pforzheim in August 1888. She bought fuel at the pharmacy in Wiesloch."
CALL = """async ([tool, given]) => {
    const { csrf, call } = document.getElementById('dev').dataset;
    const body = new URLSearchParams({ csrf, tool, arguments: given });
    return (await fetch(call, { method: 'POST', body })).json();
}"""


@dataclass
class Web:
    """Interviews on another origin, by the names of people. Those below `/held/` come when `released` is set."""

    address: str = ""
    asked: list[str] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)

    def answer(self, path: str) -> tuple[int, str, bytes]:
        self.asked.append(path)
        if path.startswith("/held/"):
            self.released.wait(PATIENCE / 1_000)
        who = path.rpartition("/")[2]
        [interview] = [text for name, text in INTERVIEWS.items() if name.endswith(f"-{who}.txt")]
        return 200, "text/plain; charset=utf-8", interview


@contextmanager
def serving_web() -> Iterator[Web]:
    web = Web()
    with document_server(web.answer) as port:
        web.address = f"http://{HOST}:{port}"
        yield web
        web.released.set()


class DevHost:
    """A host of widgets, driven by what is written on its page. `kind` is `apps` or `chatgpt`."""

    def __init__(self, page: Page, kind: str = "apps") -> None:
        self.page, self.kind = page, kind

    @property
    def widget(self) -> FrameLocator:
        return self.page.frame_locator("#stage iframe")

    @property
    def frame(self) -> Frame:
        """The same, to look into by scripts."""
        [frame] = [frame for frame in self.page.frames if "/dev/widget/frame" in frame.url]
        return frame

    def sent(self, words: str) -> Locator:
        """The messages of the widget in which these words stand."""
        return self.page.locator("#log li").filter(has_text=words).filter(has_text="\N{LEFTWARDS ARROW}")

    async def open(self) -> None:
        await self.page.goto(PATH)
        await self.page.get_by_label("Host", exact=True).select_option(self.kind)

    async def show(self, tool: str, **arguments: Any) -> FrameLocator:
        """Call the tool, and show its widget at once."""
        await self.page.get_by_label("Tool", exact=True).select_option(tool)
        await self.page.get_by_label("Arguments").fill(json.dumps(arguments))
        await self.page.get_by_role("button", name="Show").click()
        return self.widget

    async def narrow(self, width: int) -> None:
        """Give the widget this many pixels, as a phone does."""
        await self.page.locator("#stage iframe").evaluate(
            "(one, width) => Object.assign(one.style, { width: `${width}px`, border: 0 })", width
        )
        for _ in range(100):  # a frame of another process is told later
            if await self.frame.evaluate("innerWidth") == width:
                return
            await self.page.wait_for_timeout(50)
        raise AssertionError("the widget did not become narrow")

    async def _is_fitted(self) -> None:
        """The frame is as high as what is in it, which it tells only while it is seen."""
        await self.page.locator("#stage iframe").evaluate("one => one.scrollIntoView()")
        for _ in range(100):
            if await self.frame.evaluate(
                "innerHeight === Math.ceil(document.documentElement.getBoundingClientRect().height)"
            ):
                return
            await self.page.wait_for_timeout(50)
        raise AssertionError("the frame does not fit the widget")

    async def theme(self, name: str) -> None:
        await self.page.get_by_label("Theme").select_option(name)

    async def check(self, looks: Looks, name: str) -> None:
        """Fail with what is wrong with the widget in each look; pictures of it are left as of a page.

        Once, in the one kind of host: the document is the same in both.
        """
        if self.kind != "apps":
            return
        faults: list[str] = []
        for look in LOOKS:
            await self.theme(look.scheme)
            await self.narrow(min(look.size[0], WIDEST))
            await self._is_fitted()
            await looks.keep(self.page.locator("#stage iframe"), f"widget-{name}", look)
            faults += [f"{look.name}: {fault}" for fault in await faults_of(self.frame, look)]
        assert not faults, "\n".join(faults)

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured content of a call that no widget shows."""
        result = await self.page.evaluate(CALL, [tool, json.dumps(arguments)])
        assert not result["isError"], result
        content: dict[str, Any] = result["structuredContent"]
        return content

    async def hold_answers(self, done: int, total: int) -> asyncio.Event:
        """Hold the result of `ask_panel` back until the event; meanwhile `done` of `total` have answered."""
        held = asyncio.Event()

        async def answer(route: Route) -> None:
            response = await route.fetch()
            result, sent = await response.json(), route.request.post_data or ""
            if ASK in sent:
                await held.wait()
            elif not held.is_set() and result["structuredContent"].get("questions"):
                newest = result["structuredContent"]["questions"][0]
                newest["status"] = "processing"
                newest["overall"] |= {"n": done, "members": total, "pending": total - done}
            await route.fulfill(response=response, json=result)

        await self.page.route(f"**{PATH}/call", answer)
        return held

    async def persona(self, name: str, context: str) -> str:
        """The id of a new persona that can be talked to."""
        made = await self.call(CREATE, name=name, mode="clone", personaContext=context)
        await self.trained([made["sparkId"]])
        return str(made["sparkId"])

    async def trained(self, spark_ids: Sequence[str]) -> None:
        for spark_id in spark_ids:
            for _ in range(600):
                told = await self.call("check_ai_persona_training_progress", sparkId=spark_id)
                if told["readyToChat"]:
                    break
                assert told["failure"] is None, told
                await self.page.wait_for_timeout(100)

    async def panel(self, size: int) -> str:
        """The id of a new panel: two groups of this many trained personas, half of them nurses, half teachers."""
        groups = []
        for name in ("Commuters", "Students"):
            rows = [_row(name, number) for number in range(size)]
            made = await self.call("create_personas", rows=rows, group=name)
            groups.append(made["groupId"])
            await self.trained([row["sparkId"] for row in made["created"]])
        panel = await self.call("create_panel", name="Bicycle hire", groupIds=groups)
        return str(panel["panelId"])


def _row(group: str, number: int) -> dict[str, Any]:
    best = ("price", "reliability", "safety")[(number + len(group)) % 3]
    better = ("locks that open in the rain", "batteries that last all day", "an app that works offline")[number % 3]
    return {
        "name": f"{group[:-1]} {number}",
        "context": f"{group[:-1]} {number} hires a bicycle every day. When I hire a bicycle, {best} matters most. "
        f"What would make the bicycle hire service better for me is {better}.",
        "role": ("Nurse", "Teacher")[number % 2],
    }
