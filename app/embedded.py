"""The embedded internal API, opened with what the composition roots have: one for HTTP, one behind stdio."""

from collections.abc import Awaitable, Callable, Sequence

from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.engines.chat.engine import create_engine
from app.internal_api.engines.settings import EngineSettings
from app.internal_api.factory import InternalApi, create_internal_api
from app.internal_api.knowledge.documents import SourceRefused
from app.internal_api.principals import Principals
from app.internal_api.settings import InternalApiSettings
from mcp_server.upstream.addresses import AddressRefused, AllowedHosts, parse_hosts
from mcp_server.upstream.web import Resolve, check_link, open_web, resolve_host


def link_check(allow: AllowedHosts, resolve: Resolve = resolve_host) -> Callable[[str], Awaitable[None]]:
    """A check of links when they are given, so that nothing is begun for one that will never be fetched."""

    async def admit(link: str) -> None:
        try:
            await check_link(link, allow, resolve=resolve)
        except AddressRefused as refused:
            raise SourceRefused(refused.code, str(refused)) from None

    return admit


def open_embedded(
    engine: AsyncEngine, principals: Principals, fetch_allow_hosts: Sequence[str], secret: SecretStr
) -> InternalApi:
    """The embedded API on `engine`; its own settings come from the environment, as every process's do.

    `secret` is what the installation shares; links to files are signed with a key of their own that is made from it.
    The web client is made here; whoever runs the API opens and closes it, too.
    """
    allow = parse_hosts(",".join(fetch_allow_hosts))
    web = open_web(allow)
    return create_internal_api(
        engine=engine,
        principals=principals,
        web=web,
        settings=InternalApiSettings(),
        persona_engine=create_engine(EngineSettings()),
        admit_link=link_check(allow),
        secret=secret,
    )
