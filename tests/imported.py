"""What the fork server of `tests.forked` imports, once in each test process: all that a gateway of the tests uses."""

from pkgutil import resolve_name

from mcp_server.observability.gc_tuning import paused

with paused():
    for name, cheap in resolve_name("tests.cheap_passwords:CHEAP").items():
        setattr(resolve_name("oauth.primitives.passwords"), name, cheap)
    resolve_name("app.commands.serve")
    resolve_name("app.factory")
    resolve_name("app.console.panels")
    resolve_name("app.storage.histories")
    resolve_name("app.commands.internal_api")
    resolve_name("mcp_server.stdio_server")
    toolsets = resolve_name("mcp_server.toolset:discover")(resolve_name("mcp_server.settings:toolset_names")())
    schemas = [tool.definition for toolset in toolsets for tool in toolset.tools]
    if embed := resolve_name("app.internal_api.knowledge.embeddings:Embedder").installed():
        embed(["Any text loads the weights, which takes each server a second of the processor."])
