"""What an answer stands on."""

from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.knowledge.documents import Passage
from app.internal_api.personas.words import Answer
from app.internal_api.routes.answers import completion_metadata, rag_citation, snippet

PASSAGE = Passage("chunk", "item", "Green tea.", "Guide", None, 3, "Green", 1.7)


def test_a_passage_of_a_paged_document_names_its_page() -> None:
    citation = rag_citation(PASSAGE, "guide.pdf")

    assert (citation.title, citation.display_source, citation.raw_link) == ("Guide, page 3", "guide.pdf", None)
    assert citation.similarity == 1.0


def test_a_source_without_a_name_is_called_by_its_host_or_its_title() -> None:
    linked = Passage("chunk", "item", "x", "Guide", "https://example.com/a", None, None, 0.123456)

    assert rag_citation(linked, None).display_source == "example.com"
    assert rag_citation(linked, None).similarity == 0.1235
    assert rag_citation(PASSAGE, None).display_source == "Guide"


@given(st.text())
def test_a_snippet_is_one_short_line(text: str) -> None:
    cut = snippet(text)

    assert len(cut) <= 301
    assert "\n" not in cut


def test_an_answer_without_citations_says_that_it_is_a_fallback() -> None:
    said = Answer("Hm.", (), "unsupported", "fallback", True, "offline", 0, True)

    metadata = completion_metadata(said, {}, "knowledge_only", 0)

    assert metadata.knowledge_retrieval.status == "fallback"
    assert metadata.answer_provenance.evidence_source_types == []
    assert (metadata.answer_provenance.origin, metadata.answer_provenance.unsupported) == ("unsupported", True)


def test_two_citations_of_one_source_are_one_source() -> None:
    said = Answer("x", (PASSAGE, PASSAGE), "mind_knowledge", "grounded", False, "offline", 2, True)

    metadata = completion_metadata(said, {"item": "guide.pdf"}, "auto", 0)

    assert (metadata.knowledge_retrieval.source_count, metadata.knowledge_retrieval.sources) == (1, ["guide.pdf"])
    assert len(metadata.rag_citations) == 2
