"""The main job, told through any client: make a persona from a document, watch it train, and talk to it."""

import asyncio
from collections.abc import Mapping
from typing import Any, Protocol

TOOLS = (
    "add_knowledge",
    "ask_panel",
    "check_ai_persona_training_progress",
    "code_answer",
    "create_ai_persona_or_digital_twin",
    "create_group",
    "create_panel",
    "create_personas",
    "delete_persona",
    "export_panel",
    "get_doc_page",
    "get_panel_results",
    "list_doc_pages",
    "list_groups",
    "list_knowledge",
    "list_my_ai_personas",
    "list_panels",
    "remove_knowledge",
    "rename",
    "retrain",
    "revise_themes",
    "search_docs",
    "set_persona_attributes",
    "talk_to_ai_persona",
)
SCOPES = "flows:read flows:write sparks:chat sparks:read sparks:write"
"""What these tools want together, as challenges and metadata write it."""

QUESTION = "How long does the dough of the Harbour Bakery rest?"
FACT = "eighteen hours"

PAUSE = 0.1
ATTEMPTS = 1200
"""Looks at a training, a tenth of a second apart; two minutes, which only a very busy machine needs."""


class Client(Protocol):
    """What the story wants of a real client."""

    async def tools(self) -> list[str]:
        """The names of the tools that it is shown."""
        ...

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The structured content of a call that succeeds."""
        ...


async def tell(client: Client, document: str, name: str) -> None:
    """Assert each step of the main job."""
    assert sorted(await client.tools()) == list(TOOLS)
    made = await client.call(
        "create_ai_persona_or_digital_twin", {"name": name, "mode": "link", "contextLink": document}
    )

    await trained(client, made["sparkId"])
    reply = await client.call("talk_to_ai_persona", {"sparkId": made["sparkId"], "message": QUESTION})
    listed = await client.call("list_my_ai_personas", {"searchQuery": name})

    assert FACT in reply["message"]
    assert document in [citation["link"] for citation in reply["citations"]]
    assert [(row["id"], row["name"]) for row in listed["personas"]] == [(made["sparkId"], name)]


async def trained(client: Client, spark_id: str) -> None:
    """Return when the training has ended well."""
    for _ in range(ATTEMPTS):
        progress = await client.call("check_ai_persona_training_progress", {"sparkId": spark_id})
        if progress["readyToChat"]:
            return
        assert progress["status"] in {"queued", "running"}, progress
        await asyncio.sleep(PAUSE)
    raise AssertionError("the training did not end")
