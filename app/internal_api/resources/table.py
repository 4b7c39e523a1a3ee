"""The table of operations: those of the contract that a tool, a widget, the account page or a person with a key needs.

The tools call `getMe`, `listMinds`, `createMind`, `getMind`, `getTraining`, `listKnowledge`, `completeWithMind`,
`listAudiences`, `createAudience`, `listStudies`, `createStudy`, `getStudy`, `askStudy`, `getMessageAnswers`,
`reviseCodebook`, `readStudyPrompts` and `readCompletionPrompts`. The others are for people: to teach a mind more and
train it again, to keep groups, and to make exports.
"""

from collections.abc import Sequence
from pathlib import Path
from pkgutil import iter_modules, resolve_name

from app.internal_api.http.operation import Operation


def operations() -> Sequence[Operation]:
    """All of them; each resource has its part of the table beside its handlers."""
    prefix = __name__.removesuffix("table")
    modules = [resolve_name(found.name) for found in iter_modules([str(Path(__file__).parent)], prefix)]
    return [each for module in modules for each in vars(module).values() if isinstance(each, Operation)]
