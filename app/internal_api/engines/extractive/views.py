"""Open survey questions: the view that is asked for, and whether a sentence tells one of the persona's own. Pure."""

import re
from dataclasses import replace

from app.internal_api.engines.engine import SurveyQuestion, Turn
from app.internal_api.engines.extractive.questions import WORDS, Question, read_question
from app.internal_api.engines.extractive.quotations import stems_of
from app.internal_api.engines.snippets import split_sentences
from app.internal_api.knowledge.terms import fold, stem, words_of

_LISTS = {name: frozenset(words.split()) for name, words in WORDS["survey"].items()}
_VIEWS = [tuple(view[part].replace("\n", "") for part in ("asks", "words", "shows")) for view in WORDS["views"]]
_NO_VIEW, _SUBJECT, _JUDGES = (
    re.compile(WORDS["patterns"][name].replace("\n", "")) for name in ("no_view", "subject", "judges")
)
_ARTICLE = r"\b(?:the|this|der|die|das|dem|den|le|la|les|el|los|las) "
_QUOTED = "\"'\u201d\u2019\u201c\u00bb\u00ab) "


def read_open(question: SurveyQuestion) -> Question:
    """The question as passages are compared with it: what is liked or should be improved is told in other words."""
    read = read_question([*question.earlier, Turn("user", question.text)])
    asked = fold(question.text)
    words, shows = next(((words.split(), shows) for asks, words, shows in _VIEWS if re.search(asks, asked)), ([], ""))
    terms = {term: word for term, word in read.terms.items() if word not in {*words, *_LISTS["you"]}}
    return replace(read, terms=terms, needs=shows or read.needs) if terms and words else read


def _is_about(question: Question, sentence: str) -> bool:
    """Whether it names the subject: with all of its words, or "the service" for "the bicycle hire service"."""
    if question.terms.keys() <= stems_of(sentence, question.language):
        return True
    *_, head = words = ["", *question.terms.values()]
    subject = " ".join(words[1:])
    return bool(
        question.needs and f" {subject}" in fold(question.text) and re.search(f"{_ARTICLE}{head}", fold(sentence))
    )


def is_own_view(question: Question, text: str) -> bool:
    """Whether a sentence has every word of an open question and the view that it asks for, but of nobody else."""
    asked = frozenset(words_of(question.text))
    stance = {stem(word, question.language) for word in _LISTS["stance"] | _LISTS["tells_stance"]}
    asks_stance = not question.needs and not _LISTS["asks_stance"].isdisjoint(asked)
    return any(
        not sentence.rstrip(_QUOTED).endswith("?")
        and _is_about(question, sentence)
        and (_LISTS["elsewhere"] - asked).isdisjoint(words_of(sentence))
        and all(stem(whose, question.language) in question.terms for whose in _SUBJECT.findall(fold(sentence)))
        and not _NO_VIEW.search(fold(sentence))
        and re.search(question.needs, fold(sentence))
        and (
            not asks_stance
            or _JUDGES.search(fold(sentence))
            or not stance.isdisjoint(stems_of(sentence, question.language))
        )
        for sentence in split_sentences(text)
    )
