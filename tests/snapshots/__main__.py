"""`make snapshots`: accept the tool schemas as they are now."""

import sys

from tests.snapshots import accept

sys.stdout.write("\n".join(accept() or ["nothing has changed"]) + "\n")
