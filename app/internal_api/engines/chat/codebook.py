"""A language model codes the answers to an open question; what it writes is checked, and mended by itself."""

import asyncio
from collections.abc import Mapping, Sequence
from itertools import islice
from uuid import uuid4

from app.internal_api.engines import coding
from app.internal_api.engines.chat.citations import find_object
from app.internal_api.engines.chat.endpoint import Endpoint
from app.internal_api.engines.chat.prompts import codebook_messages, merge_messages
from app.internal_api.engines.coding import Code, Coded, Coding
from app.internal_api.engines.engine import EngineUnavailable

METHOD = "model"
BATCH, REPAIRS = 100, 2
LONGEST_BATCH = 120_000  # characters of answers in one call; where they are more, each has the same part of it
_ANSWERS_EACH = 12  # that fit into the length and the time of one ordinary reply


async def write_codebook(endpoint: Endpoint, question: str, texts: Mapping[str, str], known: Sequence[Code]) -> Coded:
    """Code `texts`, by their keys; what cannot be read after two repairs has no coding. Raises EngineUnavailable."""
    numbered = enumerate(texts.values(), 1)
    batches = iter(lambda: dict(islice(numbered, BATCH)), {})
    parts = await asyncio.gather(*(_code(endpoint, question, _shown(batch), known) for batch in batches))
    unfit = _miscoded("The language model wrote no codes that fit the answers.", endpoint)
    codes, codings = [*known], dict[int, Coding]()
    for part_codes, part, _ in parts:
        codes += [code for code in part_codes if code not in known]
        codings |= part
    if len(parts) > 1 and len(codes) > len(known):
        into = await _merge(endpoint, question, codes, known)
        ids = {one: code.id for one, code in into.items()}
        codings = {number: coding.renamed(each, ids) for number, each in codings.items()}
        codes = [*known, *dict.fromkeys(code for code in into.values() if code not in known)]
    if not codings:
        raise unfit
    keys = dict(enumerate(texts, 1))
    used = {code.id for code in known}.union(*(each.codes for each in codings.values()))
    kept = tuple(code for code in codes if code.id in used)
    fault = next((fault for *_, fault in parts if fault), unfit)
    failure = fault.told if len(codings) < len(texts) else None
    return Coded(kept, {keys[number]: each for number, each in codings.items()}, METHOD, failure)


def _shown(batch: Mapping[int, str]) -> Mapping[int, str]:
    """What the model is shown of each answer: all of it, unless they are too long together."""
    room = None if sum(map(len, batch.values())) <= LONGEST_BATCH else LONGEST_BATCH // len(batch)
    return {number: text[:room] for number, text in batch.items()}


async def _code(
    endpoint: Endpoint, question: str, texts: Mapping[int, str], known: Sequence[Code]
) -> tuple[list[Code], dict[int, Coding], EngineUnavailable | None]:
    """The codes of one batch under new ids, its codings, and what the endpoint failed with meanwhile."""
    codes: Sequence[Code] = known
    found: dict[int, Coding] = {}
    faults: Sequence[str] = ()
    for _ in range(1 + REPAIRS):
        left = {number: text for number, text in texts.items() if number not in found}
        if not left:
            break
        long = 1 + len(left) // _ANSWERS_EACH
        try:
            wrote = await endpoint.complete(codebook_messages(question, left, codes, faults), long=long)
        except EngineUnavailable as fault:
            if not found:
                raise
            return list(codes), found, fault  # what is coded stays, and the rest is uncoded
        taken = {one for each in found.values() for one in each.codes}
        checked = coding.check(find_object(wrote, coding.WrittenCodebook), left, codes, taken)
        ids = {code.id: uuid4().hex[:8] for code in checked.codes if code not in codes}
        new = [Code(ids[code.id], code.label, code.definition) for code in checked.codes if code.id in ids]
        found |= {number: coding.renamed(each, ids) for number, each in checked.codings.items()}
        codes, faults = [*codes, *new], checked.faults
    return list(codes), found, None


async def _merge(endpoint: Endpoint, question: str, codes: Sequence[Code], known: Sequence[Code]) -> dict[str, Code]:
    """What each code becomes. Raises EngineUnavailable, also where the model cannot say it."""
    fault = ""
    for _ in range(1 + REPAIRS):
        wrote = await endpoint.complete(merge_messages(question, codes, fault), long=2)
        written = find_object(wrote, coding.WrittenMerge)
        fault = coding.check_merge(written, codes)
        if written is not None and not fault:
            return coding.merged(written.codes, codes, known)
    # Each part has codes of its own, and parts are much like groups: what is not merged would tell them apart.
    raise _miscoded("The language model did not merge its codes.", endpoint)


def _miscoded(message: str, endpoint: Endpoint) -> EngineUnavailable:
    return EngineUnavailable(message, retryable=False, kind="miscoded", host=endpoint.host)
