"""The requirement manifest: every sentence of the documents that this project was built from."""

from tests.requirements.minds_gateway import MINDS_GATEWAY
from tests.requirements.model import Requirement

REQUIREMENTS: tuple[Requirement, ...] = (*MINDS_GATEWAY,)
