"""Why there is no answer, in plain words. Pure."""

from collections.abc import Mapping

from mcp_server.toolsets.panels._study import Reply

REASONS: Mapping[str, str] = {
    "TIMEOUT": "too slow",
    "NOT_READY": "not trained yet",
    "TRAINING_FAILED": "its training failed",
    "MIND_GONE": "deleted meanwhile",
    "UNSUPPORTED": "its knowledge does not cover this",
    "UNREADABLE": "its answer cannot be counted",
    "BUSY": "the language model was busy",
    "FAILED": "the language model failed",
    "REFUSED": "the language model refused",
    "NO_ANSWER": "nothing was heard of it",
    "INTERNAL": "a fault of the service",
}
"""By the internal API's stable word."""


def why(reply: Reply) -> str:
    """Of a reply that failed or was too slow; a word that is not known here is told as it came."""
    word = "TIMEOUT" if reply.status == "timeout" else reply.error or ""
    return REASONS.get(word.upper(), word or "error")


def failure(reply: Reply) -> str:
    """Why this reply has no answer; nothing where it has one, or may still get one."""
    return why(reply) if reply.status in {"failed", "timeout"} else ""
