"""What the offline engine says in its own words, per language; none of it states a fact about a subject."""

from app.internal_api.engines.extractive.wordings.de import GERMAN
from app.internal_api.engines.extractive.wordings.en import ENGLISH
from app.internal_api.engines.extractive.wordings.es import SPANISH
from app.internal_api.engines.extractive.wordings.fr import FRENCH
from app.internal_api.engines.extractive.wordings.wording import Wording

_BY_LANGUAGE = {"en": ENGLISH, "de": GERMAN, "fr": FRENCH, "es": SPANISH}


def wording_for(language: str) -> Wording:
    """The wording of a language, or the English one."""
    return _BY_LANGUAGE.get(language, ENGLISH)
