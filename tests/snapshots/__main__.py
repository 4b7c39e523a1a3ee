"""`make snapshots`: accept the tool schemas, and what their lists cost, as they are now."""

import asyncio
import logging
import sys

import structlog

from tests.snapshots import accept
from tests.snapshots.token_costs import PAGE, with_costs

structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
differed = accept()
page = PAGE.read_text(encoding="utf-8")
costs = asyncio.run(with_costs(page))
if costs != page:
    PAGE.write_text(costs, encoding="utf-8")
    differed.append(f"changed: {PAGE.name}")
sys.stdout.write("\n".join(differed or ["nothing has changed"]) + "\n")
