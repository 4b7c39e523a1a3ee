"""The table of operations: those of the contract that a tool, a widget, the account page or a person with a key needs.

The tools call `getMe`, `listMinds`, `createMind`, `getMind`, `getTraining`, `listKnowledge`, `completeWithMind`,
`listAudiences`, `createAudience`, `listStudies`, `createStudy`, `getStudy`, `askStudy`, `getMessageAnswers`,
`reviseCodebook`, `readStudyPrompts` and `readCompletionPrompts`. The others are for people: to teach a mind more and
train it again, to keep groups, and to make exports.
"""

from collections.abc import Sequence

from app.internal_api.http.operation import Operation
from app.internal_api.resources import (
    asking,
    audiences,
    completion,
    exports,
    knowledge,
    minds,
    results,
    studies,
    training,
)

RESOURCES = (minds, training, completion, knowledge, audiences, studies, asking, results, exports)


def operations() -> Sequence[Operation]:
    """All of them; each resource has its part of the table beside its handlers."""
    return [each for resource in RESOURCES for each in vars(resource).values() if isinstance(each, Operation)]
