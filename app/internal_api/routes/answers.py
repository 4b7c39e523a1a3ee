"""What an answer stands on, in the words of the wire. Pure."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from app.internal_api.engines.engine import Answer
from app.internal_api.engines.snippets import claims, snippet
from app.internal_api.knowledge.documents import Passage
from app.internal_api.models.completion import (
    AnswerProvenance,
    CompletionMetadata,
    KnowledgeRetrieval,
    RagCitation,
)
from app.internal_api.models.wire import iso

VERIFIER = "single-mind-answer-provenance-v1"


def completion_metadata(said: Answer, sources: Mapping[str, str], source_policy: str, now: int) -> CompletionMetadata:
    """`sources` says, for each cited item, what is shown of it."""
    claimed = claims(said.content)
    citations = [
        rag_citation(passage, sources.get(passage.item_id), claimed.get(number, ""))
        for number, passage in enumerate(said.citations)
    ]
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


def rag_citation(passage: Passage, source: str | None, claim: str) -> RagCitation:
    """The passage that was cited for `claim`, and where it is to be found."""
    host = urlsplit(passage.link).hostname if passage.link else None
    return RagCitation(
        id=passage.chunk_id,
        display_source=source or host or passage.title,
        raw_link=passage.link,
        title=passage.title,
        page=passage.page,
        snippet=snippet(passage.text, claim),
        similarity=round(min(max(passage.similarity, 0.0), 1.0), 4),
        source_type="mind_knowledge",
    )
