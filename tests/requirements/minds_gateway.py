"""The main source document, `minds-gateway`: section by section, sentence by sentence."""

from functools import partial

from tests.requirements.minds_gateway_files import FILES
from tests.requirements.model import Requirement, instead, later, need
from tests.requirements.model import section as _section

section = partial(_section, "minds-gateway", "seed:gateway")

WIDGET = "comes with the persona widget; until then the tools answer in complete text"

PYTHON = "this project is written in Python"
ONE_FILE = "a tool is one file that is found by its folder: no barrel, no registration, no list to edit"

INTRODUCTION = section(
    "mcp-server",
    need("external-clients", "External AI clients reach Minds AI through the Model Context Protocol"),
    need("creates-personas", "A client can create AI personas through the protocol"),
    need("chats-with-personas", "A client can chat with its personas through the protocol"),
    need("runs-panel-surveys", "A client can run panel surveys through the protocol"),
    instead(
        "skill-when-to-use",
        "The description tells a reader when to consult the document, and not for general API routes or other auth",
        "it instructs a reader of that document; here AGENTS.md and ARCHITECTURE.md are the map",
    ),
)

ARCHITECTURE = section(
    "architecture",
    need("chatgpt-over-https", "ChatGPT Apps reach /mcp over HTTPS with Streamable HTTP"),
    need("claude-desktop-over-stdio", "Claude Desktop is configured to start the stdio server, and that works"),
    need("cursor-over-stdio", "Cursor is configured to start the stdio server, and that works"),
    need("inspector-over-http", "MCP Inspector reaches /mcp over HTTP"),
    need("one-factory", "One factory makes the server with its tools, for every transport"),
    need("same-tools-on-stdio", "The stdio server offers the same tools as the HTTP one"),
    later("factory-registers-resources", "The factory registers resources (the persona widget) too", WIDGET),
    later("same-resources-on-stdio", "The stdio server offers the same resources as the HTTP one", WIDGET),
    need("internal-api-over-http", "Tools do their work through the internal API's /api/v1/* over HTTP"),
    instead(
        "internal-api-port",
        "The internal API listens on localhost:3000",
        "MINDSAI_API_URL names it; the embedded one is served by this process, on its own port",
    ),
    instead("create-stdio-server", "stdio has a second factory, createStdioServer()", "one factory serves both"),
    instead("stdio-runs-with-tsx", "npx tsx starts the stdio server", f"python -m mcp_server.stdio; {PYTHON}"),
)

TRANSPORTS = section(
    "transports",
    need("http-endpoint", "The HTTP endpoint is /mcp"),
    need("http-endpoint-stateless", "The HTTP endpoint is stateless: no session id is required"),
    need("http-json-rpc-post", "The protocol is JSON-RPC 2.0 over HTTP POST"),
    need("http-bearer-api-key", "An API key minds_* is accepted as a bearer token"),
    need("http-bearer-legacy-key", "A legacy API key aox_* is accepted as a bearer token"),
    need("http-bearer-oauth", "An OAuth access token is accepted as a bearer token"),
    need("health-status", "GET /mcp returns the server's status"),
    need("health-breakers", "GET /mcp returns the circuit breakers' states"),
    need("health-metrics", "GET /mcp returns metrics"),
    instead(
        "http-route-file",
        "server/routes/mcp.ts handles the route with StreamableHTTPServerTransport",
        f"app/factory.py mounts the Python SDK's Streamable HTTP; {PYTHON}",
    ),
    need("stdio-standalone", "The stdio transport is a process of its own"),
    need("stdio-configuration", "A desktop client is configured with command, args and env under mcpServers.mindsai"),
    need("stdio-key-in-environment", "The stdio server takes the caller's key from MINDSAI_API_KEY"),
    instead(
        "stdio-file",
        "server/mcp/stdio.ts uses StdioServerTransport, and the configuration starts it with npx tsx and its path",
        f"mcp_server/stdio.py, started with python -m mcp_server.stdio; {PYTHON}",
    ),
)

AUTHENTICATION = section(
    "authentication",
    need("oauth-discovery", "/.well-known/oauth-authorization-server returns OAuth metadata"),
    need("oauth-authorize-pkce", "/oauth/authorize validates the PKCE parameters"),
    need("oauth-authorize-google", "/oauth/authorize begins the Google sign-in through Supabase"),
    need("oauth-callback", "/oauth/callback exchanges the Supabase session for an authorization code"),
    need("oauth-token", "/oauth/token exchanges an authorization code for an access token"),
    need("oauth-register", "/oauth/register registers clients dynamically (ChatGPT Apps SDK)"),
    need("oauth-for-chatgpt", "The ChatGPT connector signs in with OAuth 2.1 and PKCE"),
    instead(
        "oauth-key-files",
        "Key files: authorize.get.ts, callback.get.ts, token.post.ts, oauth-authorization-server.get.ts",
        f"oauth/ holds one module for each endpoint and flow; {PYTHON}",
    ),
    need("api-key-header", "Authorization: Bearer minds_… authenticates a request directly"),
    need("api-key-legacy-prefix", "The prefix aox_ authenticates as minds_ does"),
    need("public-tools", "Some tools work without authentication, for demos"),
    need("public-create", "create_ai_persona_or_digital_twin works without authentication"),
)

TOOLS = section(
    "tools",
    need("list", "list_my_ai_personas lists the caller's AI personas"),
    need("list-fuzzy", "list_my_ai_personas searches by name, fuzzily"),
    need("list-needs-auth", "list_my_ai_personas requires authentication"),
    need("create-clone", "create_ai_persona_or_digital_twin creates by clone"),
    need("create-keywords", "create_ai_persona_or_digital_twin creates from keywords"),
    need("create-link", "create_ai_persona_or_digital_twin creates from a link"),
    need("create-demo", "create_ai_persona_or_digital_twin requires no authentication: demo mode"),
    need("talk-by-id", "talk_to_ai_persona chats with a persona by its id"),
    need("talk-by-name", "talk_to_ai_persona chats with a persona by a fuzzy match of its name"),
    need("talk-needs-auth", "talk_to_ai_persona requires authentication"),
    need("check", "check_ai_persona_training_progress polls the progress of a creation"),
    need("check-needs-auth", "check_ai_persona_training_progress requires authentication"),
    need("create-panel", "create_panel creates a survey panel with groups of personas"),
    need("create-panel-needs-auth", "create_panel requires authentication"),
    need("ask-panel", "ask_panel asks all groups of a panel and returns aggregated results"),
    need("ask-panel-needs-auth", "ask_panel requires authentication"),
    need("export-panel", "export_panel exports the results of a panel"),
    need("export-panel-needs-auth", "export_panel requires authentication"),
)

TOOL_PATTERN = section(
    "tool-implementation-pattern",
    need("tool-name", "A tool has a name in snake case"),
    need("tool-title", "A tool has a title that people can read"),
    need("tool-description", "A tool's description says when to use it"),
    need("tool-input-schema", "A tool's input schema is an object with described properties and required ones"),
    need("tool-hints", "A tool states readOnlyHint, destructiveHint and idempotentHint"),
    need("tool-cost-timeout-confirmation", "A tool states costHint, timeoutHint (milliseconds) and confirmationHint"),
    need("tool-visibility", "A tool's _meta carries openai/visibility: public"),
    need("tool-scopes", "A tool's _meta carries openai/scopes, such as sparks:read"),
    need("tool-uses-callers-credential", "A tool calls the internal API with the caller's credential"),
    need("tool-api-base-url", "A tool calls the internal API at the configured base URL"),
    need("tool-posts-json", "A tool sends its arguments to /api/v1/… as JSON"),
    need("tool-answers-text", "A successful result has text content"),
    need("tool-answers-structured", "A successful result has structuredContent"),
    need("tool-answers-error", "A failed result has text content and isError: true"),
    instead(
        "tool-error-text",
        "The text of a failed result is Error: and the message of whatever was caught",
        "the text begins with a stable word and is written here; untrusted upstream text never travels in an error",
    ),
    instead("tool-typescript-object", "A tool is an exported object with config and handler", f"{ONE_FILE}; {PYTHON}"),
)

NEW_TOOL = section(
    "adding-a-new-tool",
    need("new-tool-one-file", "A new tool is a new file in the folder of its tools"),
    instead("new-tool-types", "Input types go to server/mcp/types.ts if using Zod", "type hints are the schema"),
    instead("new-tool-barrel", "The tool is exported from server/mcp/tools/index.ts", ONE_FILE),
    instead("new-tool-registered", "The tool is registered in server/mcp/server.ts with registerTool", ONE_FILE),
    need("new-tool-private", "A tool needs authentication unless it is listed as public"),
    instead(
        "new-tool-public-list",
        "PUBLIC_TOOLS in config.ts lists the public tools",
        "public=True stands in the tool's own file",
    ),
    need("new-tool-limit", "A tool may have a limit of its own in RATE_LIMIT_CONFIG.operationLimits"),
)

RESOURCES = section(
    "resources",
    later("widget", "The widget ai-persona-widget is served as HTML at ui://widget/spark.html", WIDGET),
    later("widget-creation", "In creation mode the widget shows the training progress live (SSE)", WIDGET),
    later("widget-chat", "In chat mode the widget embeds a chat with the first message and its answer", WIDGET),
    later("widget-mime", "The widget has the MIME type text/html+skybridge, for ChatGPT", WIDGET),
    instead("widget-file", "server/mcp/resources/sparkWidget.ts implements the widget", PYTHON),
)

RATE_LIMITS = section(
    "rate-limiting",
    need("limit-sliding-window", "Limits are sliding windows per address or signed-in user"),
    need("limit-unauthenticated", "Unauthenticated: 100 requests a minute for each address"),
    need("limit-authenticated", "Authenticated: 1000 requests a minute"),
    need("limit-create", "create_ai_persona_or_digital_twin: 20 a minute"),
    need("limit-talk", "talk_to_ai_persona: 60 a minute"),
    need("limit-tools-call", "Any tools/call: 100 a minute"),
    need("limit-headers", "Answers carry X-RateLimit-Limit and X-RateLimit-Remaining"),
    need("limit-retry-after", "A refusal carries Retry-After"),
    instead("limit-file", "server/mcp/middleware/rateLimit.ts implements the limits", PYTHON),
)

BREAKERS = section(
    "circuit-breakers",
    need("breaker-around-api", "Circuit breakers guard the calls to the internal API"),
    need("breaker-opens", "5 failures open the circuit"),
    need("breaker-half-open", "After 30 seconds the circuit is half-open"),
    need("breaker-closes", "2 successes close a half-open circuit"),
    need("breaker-refuses", "While the circuit is open a call is refused as unavailable, without being made"),
    instead(
        "breaker-wrapper",
        "withCircuitBreaker('internal-api', call, {fallback}) wraps each call, in utils/circuitBreaker.ts",
        f"the breaker stands once, around every call of mcp_server/minds_api/api.py; {PYTHON}",
    ),
)

CORS = section(
    "cors",
    need("cors-openai", "https://chat.openai.com and https://chatgpt.com are allowed origins"),
    need("cors-claude", "https://claude.ai is an allowed origin"),
    need("cors-getminds", "https://getminds.ai and https://staging.getminds.ai are allowed origins"),
    need("cors-development", "In development localhost:3000 and localhost:5173 are allowed origins"),
    need("cors-patterns", "A pattern such as *.openai.com allows the subdomains of a host"),
    instead(
        "cors-tunnels",
        "*.ngrok-free.app and the like are allowed",
        "anybody gets a name there in a minute: only where ALLOWED_ORIGINS names such a pattern, and with a warning",
    ),
    instead("cors-file", "The list is in server/mcp/config.ts", "ALLOWED_ORIGINS is a setting with that default"),
)

AUDIT_LOG = section(
    "audit-logging",
    need("audit-auth-attempt", "authAttempt: authentication attempts are logged"),
    need("audit-auth-failure", "authFailure: failed authentication is logged"),
    need("audit-tool-invoke", "toolInvoke: tool calls are logged"),
    need("audit-tool-success", "toolSuccess: tool results are logged"),
    need("audit-tool-failure", "toolFailure: failed tool results are logged"),
    need("audit-rate-limit", "rateLimitExceeded: limit hits are logged"),
    need("audit-internal-error", "internalError: server errors are logged"),
    instead("audit-file", "server/mcp/utils/audit.ts logs the events", PYTHON),
)

ERRORS = section(
    "error-handling",
    need("error-parse", "-32700 PARSE_ERROR has HTTP status 400"),
    need("error-invalid-request", "-32600 INVALID_REQUEST has HTTP status 400"),
    need("error-method-not-found", "-32601 METHOD_NOT_FOUND has HTTP status 404"),
    need("error-invalid-params", "-32602 INVALID_PARAMS has HTTP status 400"),
    need("error-internal", "-32603 INTERNAL_ERROR has HTTP status 500"),
    need("error-authentication-required", "-32001 AUTHENTICATION_REQUIRED has HTTP status 401"),
    need("error-rate-limit", "-32002 RATE_LIMIT_EXCEEDED has HTTP status 429"),
    need("error-not-found", "-32003 RESOURCE_NOT_FOUND has HTTP status 404"),
    need("error-permission-denied", "-32004 PERMISSION_DENIED has HTTP status 403"),
    need("error-timeout", "-32005 TIMEOUT has HTTP status 504"),
    need("error-unavailable", "-32006 SERVICE_UNAVAILABLE has HTTP status 503"),
    need("error-breaker-open", "-32008 CIRCUIT_BREAKER_OPEN has HTTP status 503"),
    need("error-challenge", "An authentication refusal names /.well-known/oauth-protected-resource"),
    need("error-retry-after", "A rate-limit refusal says after how many seconds to try again (60)"),
    need("error-names-resource", "A not-found answer names the kind and the name or id that was asked for"),
    instead(
        "error-factories",
        "Factory functions in utils/errors.ts make the errors: authenticationRequired, rateLimitExceeded, …",
        f"one exception class for each, drawn as a tree in mcp_server/errors.py; {PYTHON}",
    ),
)

CONFIGURATION = section(
    "configuration",
    need("env-mindsai-api-key", "MINDSAI_API_KEY is the API key of the stdio transport"),
    need("env-site-url", "SITE_URL is the public base URL"),
    need("env-site-url-redirects", "SITE_URL is the base of the OAuth redirects"),
    need("cache-create", "A creation is deduplicated for 10 seconds"),
    need("cache-token", "The validation of a credential is cached for 1 minute"),
    need("cache-token-oauth", "The validation of an OAuth token is cached for 1 minute"),
    later("cache-latest-spark", "The latest persona is remembered for its widget for 30 minutes", WIDGET),
    later("cache-widget-token", "A widget token is valid for 5 minutes", WIDGET),
    later("cache-recent-association", "A recent persona stays associated with its user for 30 seconds", WIDGET),
    instead("cache-file", "server/mcp/config.ts holds the times", "each is a setting with that default"),
    need("timeout-default", "A call of the internal API may take 30 seconds"),
    need("timeout-create", "The creation of a persona may take 60 seconds"),
    need("timeout-chat", "A chat completion may take 45 seconds"),
    need("timeout-polling", "A poll of the progress may take 5 seconds"),
)

INSPECTOR = section(
    "testing-with-mcp-inspector",
    need("inspector-tools", "MCP Inspector lists and calls the tools of a local server"),
    later("inspector-resources", "MCP Inspector reads the resources", WIDGET),
    instead(
        "inspector-install",
        "npm install -g @anthropic-ai/mcp-inspector",
        "tests/clients pins @modelcontextprotocol/inspector, its name today; nothing is installed globally",
    ),
    instead(
        "inspector-addresses",
        "mcp-inspector http://localhost:3000/mcp, or https://api.getminds.ai/mcp",
        "the address is SITE_URL, http://127.0.0.1:8000/mcp at first; this project runs no public server",
    ),
    instead(
        "inspector-web",
        "Or use the web interface at https://inspector.mcp.run",
        "somebody else's page, which cannot reach a server on this machine",
    ),
)

UTILITIES = section(
    "utilities",
    need("utility-api-client", "One client calls the internal API, with timeout and circuit breaker"),
    need("utility-fuzzy-match", "One function finds the best match for a persona's name"),
    later("utility-discovery-token", "A token correlates a user with a widget (generateUserDiscoveryToken)", WIDGET),
    need("utility-cache", "An in-memory cache deduplicates creations"),
    need("utility-metrics", "Requests, errors and tool calls are counted"),
    need("utility-validation", "Input is validated"),
    need("utility-audit", "Security events are logged"),
)

TASKS = section(
    "common-tasks",
    instead(
        "debug-logging",
        "isDevelopment = NODE_ENV === 'development' in server/mcp/config.ts switches debug logging on",
        "DEBUG is a setting",
    ),
    need("debug-health", "The health endpoint answers a plain curl of /mcp"),
    need("limit-new-tool", "A new tool gets a limit of 30 by one line"),
    need("oauth-locally", "The OAuth flow can be tried locally: register a test client"),
    need("oauth-tunnel", "Behind a tunnel (ngrok http 3000) the OAuth flow works with its address"),
    need("oauth-tunnel-redirects", "A client's redirect URIs may name the tunnel's address"),
    need("oauth-by-inspector", "The OAuth flow can be tried with MCP Inspector or by hand"),
    need("monitor-breakers", "The health answer has the breakers' states under components"),
)

MINDS_GATEWAY: tuple[Requirement, ...] = (
    *INTRODUCTION,
    *ARCHITECTURE,
    *TRANSPORTS,
    *AUTHENTICATION,
    *TOOLS,
    *TOOL_PATTERN,
    *NEW_TOOL,
    *RESOURCES,
    *RATE_LIMITS,
    *BREAKERS,
    *CORS,
    *AUDIT_LOG,
    *ERRORS,
    *CONFIGURATION,
    *INSPECTOR,
    *UTILITIES,
    *FILES,
    *TASKS,
)
