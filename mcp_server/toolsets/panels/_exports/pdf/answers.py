"""The appendix: what everybody answered, compact."""

from collections.abc import Iterator

from mcp_server.toolsets.panels._aggregation.reading import failure
from mcp_server.toolsets.panels._exports.pdf import look
from mcp_server.toolsets.panels._exports.pdf.blocks import Block, heading, paragraph
from mcp_server.toolsets.panels._exports.pdf.breaking import cut
from mcp_server.toolsets.panels._exports.pdf.sheet import Sheet
from mcp_server.toolsets.panels._exports.pdf.tables import Column, Row, table
from mcp_server.toolsets.panels._exports.phrases import NONE, STATUSES, ordered
from mcp_server.toolsets.panels._exports.plain import one_line
from mcp_server.toolsets.panels._report import Report
from mcp_server.toolsets.panels._study import Reply

MESSAGE_AT_MOST = 600
NAME_AT_MOST = 60
CUT = (
    f"Messages of more than {MESSAGE_AT_MOST} characters are cut here, which an ellipsis shows. The other formats of "
    "this export hold every message as it was given."
)
WHOLE = "Every message is here as it was given."
COLUMNS = (Column("Group", 27), Column("Persona", 30), Column("Answer", 25), Column("Message", 92, prose=True))


def answers(sheet: Sheet, report: Report) -> Iterator[Block]:
    if not report.sections:
        return
    messages = [reply.message for section in report.sections for reply in section.asked.replies]
    yield heading(sheet, "All answers", level=0, room=look.ROOM)
    yield from paragraph(sheet, CUT if any(map(_long, messages)) else WHOLE, look.NOTE, keep=True)
    for number, section in enumerate(report.sections, 1):
        title = f"{number}. {cut(' '.join(section.asked.text.split()), 160)}"
        yield from paragraph(sheet, title, look.SUBHEADING, gap=6, keep=True)
        yield from table(sheet, COLUMNS, (_row(reply) for reply in ordered(section.asked)), look.DENSE, gap=1.5)


def _long(message: str) -> bool:
    return len(_flat(message)) > MESSAGE_AT_MOST


def _flat(message: str) -> str:
    """Without blank lines, which cost room."""
    return "\n".join(line for line in message.split("\n") if line.strip())


def _row(reply: Reply) -> Row:
    who = reply.persona
    if reply.discipline and reply.discipline != reply.persona:
        who += f"\n{reply.discipline}"
    return Row(
        [
            cut(reply.group, NAME_AT_MOST),
            cut(who, 2 * NAME_AT_MOST),
            _answer(reply),
            cut(_flat(reply.message), MESSAGE_AT_MOST),
        ]
    )


def _answer(reply: Reply) -> str:
    """The short answer, or why there is none."""
    if reply.status == "answered":
        return reply.value or NONE
    status, reason = STATUSES[reply.status], one_line(failure(reply))
    return f"{status}: {reason}" if reason and reason != status.lower() else status
