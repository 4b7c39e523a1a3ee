"""A server as the Python SDK's examples build it, `mcp.server.auth` in front of a tool: `sdk_gateway.py PORT`."""

import secrets
import sys
import time

import uvicorn
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    construct_redirect_uri,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions, RevocationOptions
from mcp.server.mcpserver import MCPServer
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from mcp_types import ToolAnnotations
from pydantic import AnyHttpUrl
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

PORT = int(sys.argv[1])
ORIGIN = f"http://127.0.0.1:{PORT}"


class Provider(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """Everything in memory; whoever opens the page may say yes."""

    def __init__(self) -> None:
        self.clients: dict[str, OAuthClientInformationFull] = {}
        self.waiting: dict[str, tuple[str, AuthorizationParams]] = {}
        self.codes: dict[str, AuthorizationCode] = {}
        self.access: dict[str, AccessToken] = {}
        self.refresh: dict[str, RefreshToken] = {}

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        assert client_info.client_id is not None
        self.clients[client_info.client_id] = client_info

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        assert client.client_id is not None
        handle = secrets.token_hex(8)
        self.waiting[handle] = (client.client_id, params)
        return f"{ORIGIN}/login?handle={handle}"

    async def page(self, request: Request) -> Response:
        return HTMLResponse(f'<a href="{ORIGIN}/allow?handle={request.query_params["handle"]}">Allow</a>')

    async def allow(self, request: Request) -> Response:
        client_id, params = self.waiting.pop(request.query_params["handle"])
        code = AuthorizationCode(
            code=secrets.token_hex(16),
            client_id=client_id,
            scopes=params.scopes or [],
            expires_at=time.time() + 60,
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        self.codes[code.code] = code
        return RedirectResponse(construct_redirect_uri(str(params.redirect_uri), code=code.code, state=params.state))

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        del self.codes[authorization_code.code]
        return self._tokens(authorization_code.client_id, authorization_code.scopes)

    async def load_refresh_token(self, client: OAuthClientInformationFull, refresh_token: str) -> RefreshToken | None:
        return self.refresh.get(refresh_token)

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        del self.refresh[refresh_token.token]
        return self._tokens(refresh_token.client_id, scopes)

    async def load_access_token(self, token: str) -> AccessToken | None:
        return self.access.get(token)

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        self.access.clear()
        self.refresh.clear()

    def _tokens(self, client_id: str, scopes: list[str]) -> OAuthToken:
        access, refresh = secrets.token_hex(16), secrets.token_hex(16)
        self.access[access] = AccessToken(token=access, client_id=client_id, scopes=scopes)
        self.refresh[refresh] = RefreshToken(token=refresh, client_id=client_id, scopes=scopes)
        return OAuthToken(access_token=access, refresh_token=refresh, expires_in=3600, scope=" ".join(scopes))


async def alive(_request: Request) -> Response:
    return Response()


def main() -> None:
    provider = Provider()
    server = MCPServer(
        "sdk",
        auth_server_provider=provider,
        auth=AuthSettings(
            issuer_url=AnyHttpUrl(ORIGIN),
            resource_server_url=AnyHttpUrl(f"{ORIGIN}/mcp"),
            validate_token_resource=False,
            required_scopes=["read"],
            client_registration_options=ClientRegistrationOptions(
                enabled=True, valid_scopes=["read"], default_scopes=["read"]
            ),
            revocation_options=RevocationOptions(enabled=True),
        ),
    )

    @server.tool(annotations=ToolAnnotations(read_only_hint=True))
    def count() -> int:
        return 1

    server.custom_route("/livez", methods=["GET"])(alive)
    server.custom_route("/login", methods=["GET"])(provider.page)
    server.custom_route("/allow", methods=["GET"])(provider.allow)
    uvicorn.run(server.streamable_http_app(), port=PORT, log_level="warning", timeout_graceful_shutdown=1)


if __name__ == "__main__":
    main()
