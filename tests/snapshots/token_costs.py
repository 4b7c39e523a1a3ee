"""What the list of each toolset's tools costs a client in tokens: the table of docs/toolsets.md."""

import re
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import orjson

from app.composition import Parts
from tests.edge import MODERN, running, settings_for
from tests.node import CLIENTS, environment, node
from tests.snapshots import every_toolset

PAGE = Path(__file__).resolve().parents[2] / "docs/toolsets.md"
TABLE = re.compile(r"(?<=<!-- tokens -->\n\n).*?(?=\n\n<!-- end of tokens -->)", re.DOTALL)
FOR_MODELS = ("name", "description", "inputSchema")


def counted(texts: dict[str, str]) -> dict[str, int]:
    """The tokens of each text, in the encoding o200k_base."""
    program = [node(), str(CLIENTS / "tokens.mjs")]
    told = subprocess.run(
        program, input=orjson.dumps(texts), capture_output=True, check=True, timeout=60, env=environment(), cwd=CLIENTS
    )
    counts: dict[str, int] = orjson.loads(told.stdout)
    return counts


async def with_costs(page: str) -> str:
    """`page` with the table as it is now. The lists come from a gateway that serves all, narrowed to each."""
    toolsets = sorted(every_toolset(), key=lambda toolset: toolset.name)
    lists = {}
    with TemporaryDirectory() as folder:
        async with running(settings_for(Path(folder)), Parts(toolsets=toolsets)) as edge:
            for toolset in toolsets:
                asked = {"x-mcp-toolsets": toolset.name}
                lists[toolset.name] = (await edge.rpc("tools/list", era=MODERN, headers=asked)).json()["result"]
    models = {name: [{key: tool[key] for key in FOR_MODELS} for tool in one["tools"]] for name, one in lists.items()}
    whole = counted({name: orjson.dumps(one).decode() for name, one in lists.items()})
    shown = counted({name: orjson.dumps(one).decode() for name, one in models.items()})
    rows = [f"| `{one.name}` | {len(one.tools)} | {whole[one.name]:,} | {shown[one.name]:,} |" for one in toolsets]
    head = ["| toolset | tools | tokens of the list | of them for the model |", "|---|---|---|---|"]
    return TABLE.sub("\n".join([*head, *rows]), page)
