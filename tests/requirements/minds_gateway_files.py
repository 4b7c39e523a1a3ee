"""The file map of `minds-gateway`: where each of its TypeScript files has gone."""

from tests.requirements.model import instead, section

HERE = (
    # the file there, what it held, and what holds it here
    ("server/mcp/server.ts", "createMindsServer(), tool and resource registration", "mcp_server/factory.py"),
    (
        "server/mcp/config.ts",
        "configuration, CORS, rate limits, logging",
        "app/settings/__init__.py, mcp_server/settings.py",
    ),
    (
        "server/mcp/types.ts",
        "Zod schemas, types, McpServerContext",
        "each toolset's models.py; type hints are the schema",
    ),
    ("server/routes/mcp.ts", "HTTP route handler with rate limiting and metrics", "app/factory.py"),
    ("server/mcp/stdio.ts", "stdio entry point", "mcp_server/stdio.py"),
    ("server/mcp/stdioServer.ts", "createStdioServer()", "mcp_server/factory.py: one factory for both transports"),
    ("server/mcp/http.ts", "a standalone HTTP server for testing", "nothing: the tests run the real one"),
    ("server/mcp/main.ts", "a session-based HTTP server for testing", "nothing: the endpoint is stateless"),
    ("server/mcp/tools/index.ts", "barrel export", "nothing: tools are found by their folder"),
    ("server/mcp/tools/listSparks.ts", "list personas", "mcp_server/toolsets/personas/tools/list_my_ai_personas.py"),
    (
        "server/mcp/tools/createSpark.ts",
        "create a persona, in demo mode with progress",
        "mcp_server/toolsets/personas/tools/create_ai_persona_or_digital_twin.py",
    ),
    (
        "server/mcp/tools/chatWithSpark.ts",
        "chat with a persona",
        "mcp_server/toolsets/personas/tools/talk_to_ai_persona.py",
    ),
    (
        "server/mcp/tools/getSparkStatus.ts",
        "check the training progress",
        "mcp_server/toolsets/personas/tools/check_ai_persona_training_progress.py",
    ),
    ("server/mcp/tools/createPanel.ts", "create a survey panel", "mcp_server/toolsets/panels/tools/create_panel.py"),
    ("server/mcp/tools/askPanel.ts", "ask a panel", "mcp_server/toolsets/panels/tools/ask_panel.py"),
    ("server/mcp/tools/exportPanel.ts", "export a panel's results", "mcp_server/toolsets/panels/tools/export_panel.py"),
    ("server/mcp/resources/sparkWidget.ts", "the widget's resource", "resources.py of the personas, with the widget"),
    ("server/mcp/resources/widgetLoader.ts", "the widget's HTML", "resources.py of the personas, with the widget"),
    ("server/mcp/middleware/rateLimit.ts", "rate limiting", "app/middleware, when the limits come"),
    ("server/mcp/utils/apiClient.ts", "API client with circuit breaker", "mcp_server/minds_api/api.py"),
    ("server/mcp/utils/circuitBreaker.ts", "the circuit breaker", "mcp_server/upstream/breaker.py"),
    ("server/mcp/utils/errors.ts", "error codes and factories", "mcp_server/errors.py"),
    ("server/mcp/utils/metrics.ts", "Prometheus-style metrics", "app/metrics/metrics.py"),
    ("server/mcp/utils/audit.ts", "security audit logging", "mcp_server/audit/"),
    ("server/mcp/utils/fuzzyMatch.ts", "fuzzy string matching", "mcp_server/toolkit/names.py"),
    ("server/mcp/utils/tokens.ts", "token generation", "the personas toolset, with the widget"),
    ("server/mcp/utils/cache.ts", "in-memory caches", "mcp_server/toolkit/cache.py"),
    (
        "server/mcp/utils/validation.ts",
        "input validation",
        "mcp_server/toolkit/signature.py, from the tools' type hints",
    ),
    ("server/routes/oauth/authorize.get.ts", "OAuth authorization", "oauth/endpoints, with the authorization server"),
    ("server/routes/oauth/callback.get.ts", "OAuth callback", "oauth/endpoints, with the authorization server"),
    ("server/routes/oauth/token.post.ts", "token exchange", "oauth/endpoints, with the authorization server"),
    ("server/routes/oauth/register.post.ts", "client registration", "oauth/endpoints, with the authorization server"),
    (
        "server/routes/.well-known/oauth-authorization-server.get.ts",
        "OAuth metadata",
        "oauth/endpoints, with the authorization server",
    ),
    (
        "server/routes/.well-known/oauth-protected-resource.get.ts",
        "protected resource metadata",
        "oauth/endpoints, with the authorization server",
    ),
)

FILES = section(
    "minds-gateway",
    "seed:gateway:file",
    "file-map",
    *(instead(there.removeprefix("server/"), f"{there} holds {what}", f"here: {here}") for there, what, here in HERE),
)
