"""What the answers to one question amount to: the one way in. Pure, and the same for every backend."""

from mcp_server.toolsets.panels._aggregation.caveats import caveats
from mcp_server.toolsets.panels._aggregation.differences import compare
from mcp_server.toolsets.panels._aggregation.findings import findings
from mcp_server.toolsets.panels._aggregation.gathering import gather
from mcp_server.toolsets.panels._aggregation.reading import ends
from mcp_server.toolsets.panels._aggregation.summaries import summarize
from mcp_server.toolsets.panels._aggregation.themes import MOST, codebook, find_themes
from mcp_server.toolsets.panels._aggregation.voices import MOST_VOICES, dissent, strongest
from mcp_server.toolsets.panels._results import Caveat, Individual, QuestionResult
from mcp_server.toolsets.panels._study import AskedQuestion


def aggregate(asked: AskedQuestion, *, shown: int = 60) -> QuestionResult:
    """Work the figures out of the replies alone; at most `shown` answers are listed one by one."""
    gathered = gather(asked)
    themed = find_themes(gathered) if asked.type == "qualitative" else None
    gathered = themed.gathered if themed else gathered
    overall = summarize(None, gathered.everyone, gathered)
    groups = [summarize(name, entries, gathered) for name, entries in gathered.groups.items()]
    differences = compare(gathered)
    agreements, disagreements = findings(gathered, groups, differences)
    voices = dissent(gathered)
    shared = tuple(Individual.model_fields)
    listed = [Individual(**{name: getattr(entry.reply, name) for name in shared}) for entry in gathered.entries]
    scale = ends(asked.scale)
    notes = caveats(gathered, overall, groups)
    if themed and (more := len(gathered.options) - MOST) > 0:
        message = f"{more} more themes, of fewer personas each, are not listed."
        notes.append(Caveat(code="more_themes", message=message))
    if (many := len(voices)) > MOST_VOICES:
        message = f"{many} personas see it otherwise than their group; the {MOST_VOICES} farthest from it are listed."
        notes.append(Caveat(code="more_voices", message=message))
    return QuestionResult(
        question_id=asked.id,
        question=asked.text,
        type=asked.type,
        scale_range=list(scale) if scale else None,
        options=[] if themed else list(gathered.options),
        status=asked.status,
        asked_at=asked.asked_at,
        engine=asked.engine,
        overall=overall,
        groups=groups,
        themes=codebook(themed) if themed else [],
        differences=differences,
        agreements=agreements,
        disagreements=disagreements,
        dissent=voices[:MOST_VOICES],
        quotes=strongest(gathered),
        caveats=notes,
        answers=listed[: max(0, shown)],
        answers_omitted=max(0, len(listed) - max(0, shown)),
    )
