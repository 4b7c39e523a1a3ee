"""The world of the embedded API's tests: everything is real but the network, the engine and the clock."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

import httpx2
from pydantic import SecretStr
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.engines.coding import Code, Coded
from app.internal_api.engines.engine import Answer, EngineUnavailable, Profile, SurveyAnswer, SurveyQuestion, Turn
from app.internal_api.engines.extractive.engine import ExtractiveEngine
from app.internal_api.factory import InternalApi, create_internal_api
from app.internal_api.knowledge.documents import Chunk, Document, Passage, Reading, SourceRefused
from app.internal_api.principals import Principal
from app.internal_api.settings import InternalApiSettings
from app.internal_api.store.knowledge import chunks as knowledge_chunks
from app.internal_api.store.knowledge import items as knowledge_items
from app.internal_api.store.minds import Job, Mind, training_jobs

ALL = frozenset({"sparks:read", "sparks:write", "sparks:chat", "flows:read", "flows:write"})
ADA = Principal("11111111-1111-4111-8111-111111111111", ALL)
BOB = Principal("22222222-2222-4222-8222-222222222222", ALL)
DEMO = Principal("33333333-3333-4333-8333-333333333333", ALL, demo=True)
SECRET = SecretStr("what all processes of one installation share")
START = 1_700_000_000_000
LINK = "https://example.com/tea"
PAGE = "Tea is a drink.\n\nGreen tea is steeped at eighty degrees.\n\nBlack tea is steeped at a hundred."
KEYWORDS = {"name": "Ada", "discipline": "Tea", "mode": "keywords", "keywords": ["oolong", "sencha"]}
LINKED = {"name": "Ada", "discipline": "Tea", "mode": "link", "contextLink": LINK}


@dataclass
class Clock:
    now: int = START

    def __call__(self) -> int:
        return self.now

    def forward(self, seconds: float) -> None:
        self.now += int(seconds * 1000)


@dataclass
class Gate:
    """A place at which the work can be held up: `reached` tells that it is there, `open` lets it go on."""

    reached: asyncio.Event = field(default_factory=asyncio.Event)
    open: asyncio.Event = field(default_factory=asyncio.Event)

    async def passed(self) -> None:
        self.reached.set()
        await self.open.wait()


@dataclass
class FakeWeb:
    """Pages by their address; an exception is raised, what is not there is refused."""

    pages: dict[str, str | Exception] = field(default_factory=lambda: {LINK: PAGE})
    asked: list[str] = field(default_factory=list)
    gate: Gate | None = None

    async def fetch(self, url: str) -> Document:
        self.asked.append(url)
        if self.gate is not None:
            await self.gate.passed()
        page = self.pages.get(url, SourceRefused("http_status", "The page's server answered 404."))
        if isinstance(page, Exception):
            raise page
        return Document("Tea", page, "example.com", url, "text/html", None)


@dataclass
class FakeEngine(ExtractiveEngine):
    """Quotes the first passage; may be held up at a gate, or out of order."""

    name: str = "fake"
    words: str = "I am {}, and I say {}."
    down: EngineUnavailable | None = None
    broken: Exception | None = None
    gates: dict[str, Gate] = field(default_factory=dict)
    asked: list[tuple[str, Any]] = field(default_factory=list)
    on_survey: Callable[[Mind, SurveyQuestion], Awaitable[None]] | None = None
    on_code: Callable[[Mapping[str, str], Sequence[Code]], Awaitable[Coded]] | None = None

    async def answer(
        self, persona: Mind, turns: Sequence[Turn], passages: Sequence[Passage], *, language: str | None = None
    ) -> Answer:
        await self._called("answer", (persona, tuple(turns), language))
        cited = tuple(passages[:1])
        said = f"{cited[0].text} [[CITE:0]]" if cited else f"I am {persona.name}."
        origin = "mind_knowledge" if cited else "mind_personality"
        return Answer(said, cited, origin, self.name, len(passages), bool(turns))

    async def profile(self, persona: Mind) -> Profile:
        await self._called("profile", (persona.name, tuple(persona.keywords), persona.context))
        return Profile(persona.discipline or "", persona.description, ("curious",))

    async def prompt(self, persona: Mind, profile: Profile, outline: Sequence[str]) -> str:
        await self._called("prompt", (persona.name, profile, tuple(outline)))
        return f"You are {persona.name}. You know: {', '.join(outline)}."

    async def survey(self, persona: Mind, question: SurveyQuestion, passages: Sequence[Passage]) -> SurveyAnswer:
        """The top of the scale, the first option, or a theme."""
        await self._called("survey", (persona, question))
        if self.on_survey is not None:
            await self.on_survey(persona, question)
        value = str(question.scale[1]) if question.scale else next(iter(question.options), "Tea")
        said = self.words.format(persona.name, value)
        cited = tuple(passages[:1])
        origin = "mind_knowledge" if cited else "mind_personality"
        return SurveyAnswer(value, value, said, cited, origin, self.name, len(passages))

    async def code(
        self, question: str, texts: Mapping[str, str], known: Sequence[Code], examples: Mapping[str, Sequence[str]]
    ) -> Coded | None:
        """Themes are what each answer says of itself, unless a test says otherwise."""
        await self._called("code", (question, dict(texts), tuple(known), dict(examples)))
        return None if self.on_code is None else await self.on_code(texts, known)

    async def _called(self, what: str, told: Any) -> None:
        self.asked.append((what, told))
        if what in self.gates:
            await self.gates[what].passed()
        if self.down is not None:
            raise self.down
        if self.broken is not None:
            raise self.broken


@dataclass
class FakeSearch:
    """The chunks of a mind that share a word with the query."""

    engine: AsyncEngine

    async def search(self, mind_id: str, query: str, *, limit: int = 6) -> list[Passage]:
        wanted = {word.strip("?.,").lower() for word in query.split()}
        joined = select(knowledge_chunks, knowledge_items.c.title, knowledge_items.c.link)
        of_items = joined.join(knowledge_items, knowledge_items.c.id == knowledge_chunks.c.item_id)
        of_mind = of_items.where(knowledge_chunks.c.mind_id == mind_id)
        async with self.engine.connect() as connection:
            rows = (await connection.execute(of_mind.order_by(knowledge_chunks.c.seq))).mappings().all()
        return [
            Passage(row["id"], row["item_id"], row["text"], row["title"], row["link"], None, None, 0.5)
            for row in rows
            if wanted & {word.strip("?.,").lower() for word in row["text"].split()}
        ][:limit]


class FakePrincipals:
    """Credentials are the names of the callers."""

    def __init__(self) -> None:
        self.known = {"ada": ADA, "bob": BOB, "demo": DEMO}

    async def find(self, bearer: str) -> Principal | None:
        return self.known.get(bearer)

    def visitor(self) -> Principal:
        return DEMO


async def extract(data: IO[bytes], *, filename: str, media_type: str | None) -> Document:
    """Plain text only; what begins with %PDF is broken."""
    given = data.read()
    if given.startswith(b"%PDF"):
        raise SourceRefused("unreadable_pdf", "The PDF cannot be read.")
    if b"\0" in given:
        raise SourceRefused("not_text", "The source is not readable text.")
    return Document(filename, given.decode(), filename, None, "text/plain", None)


def chunk(document: Document) -> list[Chunk]:
    """One chunk a paragraph."""
    parts = [part for part in document.text.split("\n\n") if part.strip()]
    return [Chunk(number, part, None, None) for number, part in enumerate(parts)]


async def any_link(link: str) -> None:
    """A check of links that refuses none."""


def _no_web(request: httpx2.Request) -> httpx2.Response:
    raise AssertionError(f"asked the network for {request.url}: the world has a web of its own")


@dataclass
class World:
    """One embedded API on a real database."""

    engine: AsyncEngine
    settings: InternalApiSettings = field(default_factory=InternalApiSettings)
    clock: Clock = field(default_factory=Clock)
    web: FakeWeb = field(default_factory=FakeWeb)
    persona_engine: FakeEngine = field(default_factory=FakeEngine)
    principals: FakePrincipals = field(default_factory=FakePrincipals)
    refused_links: dict[str, SourceRefused] = field(default_factory=dict)
    clients: list[httpx2.AsyncClient] = field(default_factory=list)

    def api(self, **settings: Any) -> InternalApi:
        """Another process, as it were: the same database, a worker of its own."""
        return create_internal_api(
            engine=self.engine,
            principals=self.principals,
            web=httpx2.AsyncClient(transport=httpx2.MockTransport(_no_web), trust_env=False),
            settings=self.settings.model_copy(update=settings),
            persona_engine=self.persona_engine,
            admit_link=self._admit,
            reading=Reading(self.web.fetch, extract, chunk, FakeSearch(self.engine).search),
            clock=self.clock,
            secret=SECRET,
        )

    def client(
        self, bearer: str | None = "ada", *, headers: Mapping[str, str] | None = None, api: InternalApi | None = None
    ) -> httpx2.AsyncClient:
        """A client of this API; None for no credential at all."""
        app = (api or self.api()).app
        own = {} if bearer is None else {"Authorization": f"Bearer {bearer}"}
        client = httpx2.AsyncClient(
            transport=httpx2.ASGITransport(app=app),
            base_url="http://api.test/api/v1",
            trust_env=False,
            headers={**own, **(headers or {})},
        )
        self.clients.append(client)
        return client

    async def train(self) -> None:
        """Work until there is nothing left to do."""
        worker = self.api().worker
        while await worker.work_once():
            pass

    async def ask_all(self) -> None:
        """Put all questions that wait, until there is none left."""
        worker = self.api().panel_worker
        while await worker.work_once():
            pass

    async def mind(self, body: dict[str, Any] | None = None, bearer: str = "ada") -> str:
        """A new mind that is not trained yet."""
        created = await self.client(bearer).post("/minds", json=body or KEYWORDS)
        assert created.status_code == 201, created.text
        return str(created.json()["data"]["id"])

    async def trained(self, body: dict[str, Any] | None = None, bearer: str = "ada") -> str:
        mind_id = await self.mind(body, bearer)
        await self.train()
        return mind_id

    async def add(self, mind_id: str, **request: Any) -> httpx2.Response:
        """Add knowledge to a mind of Ada's."""
        return await self.client().post(f"/minds/{mind_id}/knowledge", **request)

    async def item_status(self, item: dict[str, Any]) -> dict[str, Any]:
        answer = await self.client().get(item["statusUrl"].removeprefix("/api/v1"))
        return dict(answer.json()["data"])

    async def _admit(self, link: str) -> None:
        if link in self.refused_links:
            raise self.refused_links[link]


async def stored_chunks(engine: AsyncEngine, mind_id: str) -> list[str]:
    """The texts that are indexed, in order."""
    of_mind = select(knowledge_chunks.c.text).where(knowledge_chunks.c.mind_id == mind_id)
    async with engine.connect() as connection:
        rows = await connection.execute(of_mind.order_by(knowledge_chunks.c.item_id, knowledge_chunks.c.position))
        return list(rows.scalars())


async def stored_jobs(engine: AsyncEngine, mind_id: str) -> list[Job]:
    """All jobs of a mind, oldest first."""
    of_mind = select(training_jobs).where(training_jobs.c.mind_id == mind_id)
    async with engine.connect() as connection:
        rows = await connection.execute(of_mind.order_by(training_jobs.c.seq))
        return [Job(**row) for row in rows.mappings()]


async def within(awaited: Any, seconds: float = 10) -> Any:
    """A bound for what should happen soon."""
    return await asyncio.wait_for(awaited, seconds)
