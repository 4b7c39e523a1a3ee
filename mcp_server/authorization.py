"""May this caller use this? What is public is open; the rest needs its scopes."""

from mcp_server.caller import Caller
from mcp_server.errors import AuthenticationRequired, PermissionDenied
from mcp_server.primitives import Primitive


def require(tool: Primitive, caller: Caller) -> None:
    """Return if `caller` may use `tool`.

    Asked at the edge, where a refusal can be an HTTP status, and again in the pipeline, so that nothing depends on
    the edge having read the request as the protocol library does.

    Raises:
        AuthenticationRequired: nobody is signed in and the tool is not public.
        PermissionDenied: the credential lacks scopes; all that the call needs are named.

    """
    if caller.is_anonymous:
        if tool.public:
            return
        raise AuthenticationRequired(scopes=sorted(tool.scopes))
    if not tool.scopes <= caller.scopes:
        raise PermissionDenied(scopes=sorted(tool.scopes))
