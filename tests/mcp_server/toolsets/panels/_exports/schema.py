"""`python -m tests.mcp_server.toolsets.panels._exports.schema` publishes the schema of exports as it is now."""

import json
from pathlib import Path

from mcp_server.toolsets.panels._exports.data import SCHEMA_ID, PanelExport

PUBLISHED = Path(__file__).resolve().parents[5] / "docs" / "panel-export.schema.json"


def rendered() -> str:
    made = PanelExport.model_json_schema(by_alias=True, mode="serialization")
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": SCHEMA_ID, **made}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PUBLISHED.write_text(rendered(), encoding="utf-8")
