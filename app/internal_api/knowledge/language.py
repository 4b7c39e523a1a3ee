"""Stop words, the guess of a language from them, and stems: English, German, French and Spanish. Pure.

All words are folded as `terms.fold` folds them.
"""

from collections.abc import Sequence
from functools import lru_cache

import snowballstemmer

DEFAULT = "en"
_WORDS = {
    # PostgreSQL's own list, so that no word is asked for which its index has left out, and words of asking.
    "en": """
        i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers
        herself it its itself they them their theirs themselves what which who whom this that these those am is
        are was were be been being have has had having do does did doing a an the and but if or because as until
        while of at by for with about against between into through during before after above below to from up
        down in out on off over under again further then once here there when where why how all any both each few
        more most other some such no nor not only own same so than too very s t can will just don should now
        also could d describe explain give ll m many may might much must please re say shall tell think us ve
        whose would
    """,
    # Without words that carry a meaning in another of these languages: `die`, `war`, `pour`, `son`.
    "de": """
        aber als auch auf aus bei bist das dass dein deine dem den denn der des dich dir du ein eine einem einen
        einer eines er es euch haben ich ihr im ist kann mein mich mir mit nach nicht noch oder sich sie sind
        uber und uns unser von vom wann warum weil welche welcher welches wenn wer wie wird wir wo zu zum zur
    """,
    "fr": """
        a au aux avec ce ces cette comment dans de des du elle elles est et etre il ils je la le les leur lui mais
        moi ne nous on ou par pas pourquoi quand que quel quelle quelles quels qui quoi sa se ses sont sur ta te
        tes toi tu un une vous
    """,
    "es": """
        al como con cual cuando de del donde el ella ellas ellos en eres es esta este esto ha hay la las lo los
        mas mi mis muy nos para pero por porque que quien se ser si su sus tu tus un una unas unos y ya yo
    """,
}
STOP_WORDS_BY_LANGUAGE = {language: frozenset(words.split()) for language, words in _WORDS.items()}
STOP_WORDS = frozenset[str]().union(*STOP_WORDS_BY_LANGUAGE.values())
# SQLite's tokenizer is the Porter stemmer of 1980 and PostgreSQL's `english` nearly the same: what the indexes find
# is counted alike. The indexes cut the words themselves, so that no stored row depends on this table.
ALGORITHMS = {"en": "porter", "de": "german", "fr": "french", "es": "spanish"}
SHORTEST = 3
REMEMBERED = 20_000  # words; each is cut thousands of times


@lru_cache(REMEMBERED)
def stem(word: str, language: str = DEFAULT) -> str:
    """`bakers`, `baking` and `baked` meet in one stem; words of one or two letters stay as they are."""
    if len(word) < SHORTEST:
        return word
    # A stemmer holds the word that it works on, so that threads cannot share one.
    return str(snowballstemmer.stemmer(ALGORITHMS[language]).stemWord(word))


def guess_language(words: Sequence[str]) -> str:
    """The language whose stop words occur most often; English where none stands out."""
    counts = {language: sum(word in known for word in words) for language, known in STOP_WORDS_BY_LANGUAGE.items()}
    return max(counts, key=lambda language: counts[language])
