"""How many files a process may have open, seen from a process of its own: the limit cannot be raised again."""

import subprocess
import sys

import pytest

from tests.processes import ROOT, environment

ASK = """
import resource, sys
soft, hard = int(sys.argv[1]), int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
from app.process.descriptors import descriptors
print(descriptors(), resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""


@pytest.mark.parametrize(("soft", "hard", "expected"), [(128, 512, 512), (256, 256, 256)])
def test_the_limit_is_raised_as_far_as_it_may_be(soft: int, hard: int, expected: int) -> None:
    said = subprocess.run(
        [sys.executable, "-c", ASK, str(soft), str(hard)], cwd=ROOT, env=environment(), capture_output=True, check=True
    )

    assert said.stdout.split() == [str(expected).encode()] * 2
