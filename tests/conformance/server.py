"""The fixtures behind the product's own application: `python -m tests.conformance.server [--sessions]`."""

import argparse
import warnings

import uvicorn
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPDeprecationWarning
from starlette.applications import Starlette

from app.composition import Parts
from app.factory import create_app
from app.settings import Settings
from mcp_server.observability import logging
from mcp_server.runtime import Runtime
from mcp_server.toolset import Toolset
from tests.conformance.fixtures import asking, content, input_required, notices, prompts, resources
from tests.conformance.fixtures.stage import Stage


def fixtures() -> Toolset:
    """Everything that the suite asks for, as one toolset. Its tools are public, which is how the gate is off."""
    stage = Stage()

    def extend(server: Server[Runtime]) -> None:
        stage.install(server)
        prompts.install(server)
        resources.install(server)

    tools = content.TOOLS + notices.TOOLS + asking.TOOLS + input_required.TOOLS
    return Toolset("fixtures", tools, stage.open, extend)


def application(settings: Settings, *, sessions: bool) -> Starlette:
    return create_app(settings, Parts(toolsets=[fixtures()], sessions=sessions))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", action="store_true", help="keep sessions, which requests to a client need")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", MCPDeprecationWarning)  # the suite still asks for sampling and logging
    settings = Settings()
    logging.configure(debug=False)
    app = application(settings, sessions=arguments.sessions)
    uvicorn.run(app, host=settings.host, port=settings.port, log_config=None, access_log=False)


if __name__ == "__main__":
    main()
