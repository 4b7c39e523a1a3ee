"""What the answers to one question amount to: the one way in. Pure, and the same for every backend."""

from mcp_server.toolsets.panels._aggregation.caveats import caveats
from mcp_server.toolsets.panels._aggregation.differences import compare
from mcp_server.toolsets.panels._aggregation.findings import agreements, disagreements
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
    answered = [group for group in groups if group.n]
    differences = compare(gathered)
    voices = dissent(gathered)
    told = tuple(Individual.model_fields)
    listed = [Individual(**{name: getattr(entry.reply, name) for name in told}) for entry in gathered.entries]
    scale = ends(asked.scale)
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
        agreements=agreements(gathered, answered, differences),
        disagreements=disagreements(gathered, answered, differences),
        dissent=voices[:MOST_VOICES],
        quotes=strongest(gathered),
        caveats=[*caveats(gathered, overall, groups), *_left_out(len(gathered.options) if themed else 0, len(voices))],
        answers=listed[: max(0, shown)],
        answers_omitted=max(0, len(listed) - max(0, shown)),
    )


def _left_out(themes: int, voices: int) -> list[Caveat]:
    """What is too much to be listed: of how many themes and voices only the first are."""
    found = []
    if (more := themes - MOST) > 0:
        found.append(Caveat(code="more_themes", message=f"{more} more themes, of fewer personas each, are not listed."))
    if voices > MOST_VOICES:
        which = f"{voices} personas see it otherwise than their group; the {MOST_VOICES} farthest from it are listed."
        found.append(Caveat(code="more_voices", message=which))
    return found
