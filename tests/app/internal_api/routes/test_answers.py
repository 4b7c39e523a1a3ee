"""What an answer stands on."""

from dataclasses import replace

from app.internal_api.engines.engine import Answer
from app.internal_api.knowledge.documents import Passage
from app.internal_api.routes.answers import completion_metadata, rag_citation

PASSAGE = Passage("chunk", "item", "Green tea.", "Guide", None, 3, "Green", 1.7)


def test_a_passage_of_a_paged_document_names_its_page() -> None:
    citation = rag_citation(PASSAGE, "guide.pdf", "")

    assert (citation.title, citation.page) == ("Guide", 3)
    assert (citation.display_source, citation.raw_link) == ("guide.pdf", None)
    assert citation.similarity == 1.0


def test_a_source_without_a_name_is_called_by_its_host_or_its_title() -> None:
    linked = Passage("chunk", "item", "x", "Guide", "https://example.com/a", None, None, 0.123456)

    assert rag_citation(linked, None, "").display_source == "example.com"
    assert rag_citation(linked, None, "").similarity == 0.1235
    assert rag_citation(PASSAGE, None, "").display_source == "Guide"


def test_each_citation_shows_the_sentence_that_it_was_cited_for() -> None:
    filler = "Nothing of note happened that day. " * 12
    passage = replace(
        PASSAGE, text=f"{filler}Green tea is steeped for two minutes. {filler}Black tea takes four minutes."
    )
    content = "Green tea is steeped for two minutes. [[CITE:0]] Black tea takes four minutes. [[CITE:1]]"
    said = Answer(content, (passage, passage), "mind_knowledge", "grounded", False, "offline", 2, True)

    shown = [citation.snippet for citation in completion_metadata(said, {}, "auto", 0).rag_citations]

    assert ["Green tea is steeped" in snippet for snippet in shown] == [True, False]
    assert ["Black tea takes four" in snippet for snippet in shown] == [False, True]


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
