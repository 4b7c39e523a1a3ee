"""What an answer stands on, in the words of the wire. Pure."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from app.internal_api.knowledge.documents import Passage
from app.internal_api.models.completion import (
    AnswerProvenance,
    CompletionMetadata,
    KnowledgeRetrieval,
    RagCitation,
)
from app.internal_api.models.wire import iso
from app.internal_api.personas.words import Answer

VERIFIER = "single-mind-answer-provenance-v1"
SNIPPET_LENGTH = 300


def completion_metadata(said: Answer, sources: Mapping[str, str], source_policy: str, now: int) -> CompletionMetadata:
    """`sources` says, for each cited item, what is shown of it."""
    citations = [rag_citation(passage, sources.get(passage.item_id)) for passage in said.citations]
    shown = list(dict.fromkeys(citation.display_source for citation in citations))
    return CompletionMetadata(
        rag_citations=citations,
        images=[],
        document_analysis=None,
        source_policy=source_policy,
        knowledge_retrieval=KnowledgeRetrieval(
            status="grounded" if citations else "fallback",
            retrieval_attempted=said.retrieval_attempted,
            chunks_found=said.chunks_found,
            source_count=len(shown),
            sources=shown,
        ),
        answer_provenance=AnswerProvenance(
            origin=said.origin,
            source_policy=source_policy,
            retrieval_attempted=said.retrieval_attempted,
            retrieval_chunks_found=said.chunks_found,
            evidence_source_types=["mind_knowledge"] if citations else [],
            fallback_status=said.fallback_status,
            unsupported=said.unsupported,
            recorded_at=iso(now),
            verifier=VERIFIER,
        ),
        engine=said.engine,
    )


def rag_citation(passage: Passage, source: str | None) -> RagCitation:
    """The passage that was cited, and where it is to be found."""
    host = urlsplit(passage.link).hostname if passage.link else None
    title = passage.title if passage.page is None else f"{passage.title}, page {passage.page}"
    return RagCitation(
        id=passage.chunk_id,
        display_source=source or host or passage.title,
        raw_link=passage.link,
        title=title,
        snippet=snippet(passage.text),
        similarity=round(min(max(passage.similarity, 0.0), 1.0), 4),
        source_type="mind_knowledge",
    )


def snippet(text: str) -> str:
    """The beginning of a passage, cut between words."""
    flat = " ".join(text.split())
    if len(flat) <= SNIPPET_LENGTH:
        return flat
    return flat[:SNIPPET_LENGTH].rsplit(" ", 1)[0] + "…"
