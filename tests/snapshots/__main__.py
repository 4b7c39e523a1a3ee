"""`make snapshots`: accept the tool schemas, and what their lists cost, as they are now."""

import asyncio
import sys

from tests.snapshots import accept
from tests.snapshots.token_costs import PAGE, with_costs

differed = accept()
page = PAGE.read_text(encoding="utf-8")
costs = asyncio.run(with_costs(page))
if costs != page:
    PAGE.write_text(costs, encoding="utf-8")
    differed.append(f"changed: {PAGE.name}")
sys.stdout.write("\n".join(differed or ["nothing has changed"]) + "\n")
