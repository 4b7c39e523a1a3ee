"""Cues of a question for a degree: how likely, how satisfied, to what extent. Lower case, without accents."""

import re

_DEGREES = (
    "accessible|accurate|affordable|aligned|annoyed|annoying|anxious|appealing|appropriate|attached|attractive|aware"
    "|bad"
    "|believable|bored|boring|bothered|burdensome|certain|clear|close|comfortable|committed|compelling|complete"
    "|complicated|concerned|confident|confused|confusing|consistent|content|convenient|convinced|convincing|cool"
    "|credible|critical|curious|dangerous|desirable|difficult|disappointed|disruptive|distinctive|eager|easy|effective"
    "|efficient|emotional|engaged|engaging|enjoyable|enthusiastic|essential|excited|exciting|expensive|fair|familiar"
    "|favou?rable|favou?rably|frequently|fresh|friendly|frustrated|frustrating|fun|funny|good|happy|hard|harmful"
    "|helpful"
    "|honest|important|impressed|impressive|inclined|influential|informative|innovative|inspired|inspiring|intense"
    "|interested|interesting|intrusive|intuitive|keen|knowledgeable|likable|likeable|likely|logical|loyal|luxurious"
    "|manageable|meaningful|memorable|modern|motivated|motivating|natural|necessary|needed|new|nervous|novel|open"
    "|optimistic|original|overwhelmed|overwhelming|painful|persuasive|pleasant|pleased|popular|positive|positively"
    "|negative|negatively|practical|prepared|pressing|probable|proud|ready|realistic|reasonable|reassured|reassuring"
    "|receptive|relevant|reliable|reluctant|responsive|risky|safe|satisfied|satisfying|secure|sensitive|serious|severe"
    "|similar|simple|skeptical|sceptical|smooth|stressed|stressful|strong|strongly|successful|suitable|supportive"
    "|supported|sure|surprised|surprising|sustainable|tasty|tempted|tempting|tired|tough|transparent|trustworthy"
    "|trusting"
    "|unclear|understandable|unique|unlikely|unsafe|upset|urgent|useful|user-friendly|valuable|valued|visible|vital"
    "|vulnerable|warm|well|willing|worried|worrying|worthwhile|closely|easily|clearly|confidently|seriously|deeply"
)
_GRADUAL = "like|love|enjoy|trust|agree|disagree|value|care|want|need|believe|support|identify|miss|dislike|worry|rely"
_GERMAN = (
    "wahrscheinlich|zufrieden|wichtig|sicher|klar|verstandlich|schwierig|einfach|leicht|schwer|interessiert|interessant"
    "|attraktiv|ansprechend|uberzeugend|uberzeugt|glaubwurdig|relevant|nutzlich|hilfreich|vertraut|bereit|gut|sehr"
    "|stark"
    "|zuversichtlich|besorgt|glucklich|zuverlassig|angenehm|teuer|dringend|offen|begeistert|wertvoll|sinnvoll"
)
_SPANISH = (
    "probable|satisfecho|satisfecha|satisfech[oa]s|importante|segur[oa]|clar[oa]|dificil|facil|interesad[oa]"
    "|interesante"
    "|atractiv[oa]|convincente|creible|relevante|util|dispuest[oa]|familiarizad[oa]|preocupad[oa]|feliz|content[oa]"
    "|car[oa]"
    "|confiable|de acuerdo|valios[oa]|comod[oa]|contento|urgente|bien|bueno|buena"
)
_FRENCH = (
    "probable|satisfaite?s?|importante?|sure?|claire?|difficile|facile"
    "|interessee?s?|interessante?|attrayante?|convaincue?"
    "|convaincante?|credible|pertinente?|utile|prete?s?|familiere?|inquiete?|heureux|heureuse|confiante?|d'accord"
    "|fiable|cher"
)
_LEVELS = (
    "agreement|satisfaction|interest|trust|confidence|comfort|concern|support|knowledge|familiarity|awareness|stress"
    "|pain|motivation|engagement|importance|difficulty|effort|happiness|enjoyment|likelihood"
)
_LEVELS_ES = "satisfaccion|acuerdo|interes|confianza|conocimiento|estres|dolor|motivacion|importancia|dificultad|apoyo"
_LEVELS_FR = (
    "satisfaction|accord|interet|confiance|connaissance|stress|douleur|motivation|importance|difficulte|soutien"
)
_STARTS = (
    r"(?:\A[¿\"(]?|[,:;(¿-] ?|\b(?:and|und|y|et|indicate|say|tell (?:us|me)|know|please|rate|angeben,?|sagen,?"
    r"|scale (?:of|from) [^.?!\n]{1,40}?[, ]|indique|diga) )"
)
_HOW = re.compile(
    rf"{_STARTS}(?:how (?:very |much more |more |less )?(?:{_DEGREES})\b"
    rf"|how much (?:do|does|did|would|will|can) \w{{1,20}} (?:\w{{1,12}} )?(?:{_GRADUAL})\b"
    r"|how much of an? (?:problem|issue|concern|priority|impact|influence|barrier|difference)\b"
    r"|how (?:would|do|did|will|should) (?:you|we|they) (?:personally |overall |generally )?(?:rate|score|grade)\b"
    r"|how interested|(?:to )?what (?:extent|degree)\b|what is the (?:likelihood|probability) (?:that|of)\b"
    r"|what rating\b|what score\b|how many stars\b"
    rf"|wie (?:sehr|{_GERMAN})\b|wie (?:bewerten|beurteilen|bewertest|beurteilst) (?:sie|du)\b|inwieweit\b"
    r"|inwiefern stimm"
    r"|in welchem masse?\b|wie viele sterne\b"
    rf"|(?:que tan|cuan|como de|que tanto) (?:\w{{1,12}} )?(?:{_SPANISH})\b|que tanto\b|en que medida\b"
    r"|hasta que punto\b|(?:como|cuanto) (?:calificaria|puntuaria|valoraria|evaluaria|califica|valora|puntua)[sn]?\b"
    r"|cuantas estrellas\b|que probabilidad|cual es la probabilidad\b"
    rf"|a quel point\b|dans quelle mesure\b|quelle est la probabilite\b|comment (?:evalueriez|noteriez|evaluez|notez)\b"
    r"|combien d'etoiles\b"
    r"|how (?!many\b|much\b|often\b|long\b|old\b|big\b|tall\b|far\b|late\b|early\b|soon\b|large\b|high\b|deep\b"
    r"|wide\b|small\b|few\b|come\b|about\b|else\b|exactly\b|old\b)[a-z-]{3,18}"
    r" (?:is|are|was|were) (?:the|your|our|this|that|these|those|it)\b"
    r"|wie (?!viele?\b|oft\b|haufig\b|lange\b|alt\b|gross\b|weit\b|hoch\b|spat\b|fruh\b|genau\b|klein\b|tief\b)"
    r"[a-z]{4,18} (?:ist|sind|war|waren) (?:der|die|das|ihre?|unsere?|dieser?s?|es)\b"
    rf"|(?:etes-vous|es-tu) (?:{_FRENCH}) (?:a quel point|dans quelle mesure))"
)
_LEVEL = re.compile(
    rf"\b(?:level|degree) of (?:{_LEVELS})\b|\b(?:nivel|grado) de (?:{_LEVELS_ES})\b"
    rf"|\b(?:niveau|degre) (?:de |d')(?:{_LEVELS_FR})\b"
    r"|wie (?:hoch|gross|stark) (?:ist|war|sind) (?:ihre?|die|der|dein) (?:\w+ )?"
    r"(?:zufriedenheit|zustimmung|interesse|vertrauen|bereitschaft|belastung|stress|motivation|wahrscheinlichkeit)\b"
)
_ORDERS = re.compile(
    r"(?:\A|[,:;] ?|\bplease )(?:(?:please )?(?:rate|score|grade)\b(?! limit| of )"
    r"|(?:bitte )?(?:bewerten sie|bewerte|benoten sie|benote)\b"
    r"|(?:por favor,? )?(?:califique|califica|puntue|puntua|valore|valora|evalue)\b"
    r"|(?:merci de |veuillez )?(?:notez|noter|note|evaluez|evaluer) (?:le|la|les|l'|ce|cet|cette|votre|ton|ta|notre)\b)"
)
_LIKERT = re.compile(
    r"\bstrongly (?:dis)?agree\b[^?]{0,160}?\bstrongly (?:dis)?agree\b"
    r"|\b(?:completely|totally|fully) (?:dis)?agree\b[^?]{0,160}?\b(?:completely|totally|fully) (?:dis)?agree\b"
    r"|\bstimme (?:voll|uberhaupt|gar)[^?]{0,160}?\bstimme (?:voll|uberhaupt|gar)"
    r"|\btrifft (?:voll|uberhaupt|gar)[^?]{0,160}?\btrifft (?:voll|uberhaupt|gar)"
    r"|\btotalmente (?:de acuerdo|en desacuerdo)\b[^?]{0,160}?\btotalmente (?:de acuerdo|en desacuerdo)\b"
    r"|\btout a fait d'accord\b[^?]{0,160}?\bpas du tout d'accord\b"
    r"|\bpas du tout d'accord\b[^?]{0,160}?\btout a fait d'acc"
)
_AGREE = re.compile(
    r"\b(?:agree|agreement|disagree)\b|\bstimm(?:en|st|t|e)\b|\bzustimm\w*|\bde acuerdo\b|\bd'accord\b|\bdesacuerdo\b"
)
_LIKELY = re.compile(r"likel|probab|wahrscheinlich|\bnps\b|net promoter|willing|bereit|dispuest|pret")
_RECOMMEND = re.compile(r"recommend|recomi?end|recommand|(?:weiter)?empfehl|\bnps\b|net promoter|promoter score")
_OUGHT = re.compile(
    r"\b(?:rat(?:e|ed|ing|ings)|scor(?:e|es|ed|ing)|grades?|grading|marks?|points?|stars?|number|slider)\b"
    r"|\b(?:un)?zufrieden\w*|\bwahrscheinlichkeit\b|\bbewert\w*|\bbenot\w*|\bnote(?:n|z|r)?\b|\bschulnote\w*"
    r"|\bpunkte?\b|\bsterne?\b|\bzahl\b"
    r"|\bpuntu\w*|\bvalor(?:a|e|ar|acion)\b|\bcalific\w*|\bnota\b|\bnumero\b|\bestrellas\b"
    r"|\bevalu\w*|\bchiffre\b|\betoiles\b|\blikelihood\b|\blikely\b|\b(?:dis)?satisf\w*|\bstrongly\b|\bnps\b"
    r"|\bchances?\b|\bprobability\b|\bodds\b"
    r"|\bprobabilidad\b|\bprobabilite\b|\bease of\b|\bsatisfaction\b|\bzufriedenheit\b|\bsatisfaccion\b|\bpain\b"
)
_WIDE, _LIKERT_SCALE, _PROMOTER, _STARS = (1, 10), (1, 5), (0, 10), (1, 5)
_LETTERS = re.compile(r"\b(?:from|between|von|zwischen|de|entre) a (?:to|through|and|bis|und|a|y|et) [c-h](?![\w'])")
_STAR_COUNT = re.compile(r"\bhow many stars\b|\bwie viele sterne\b|\bcuantas estrellas\b|\bcombien d'etoiles\b")


def asks_for_degree(sentence: str) -> bool:
    """Whether a sentence asks how much of something there is, or orders a rating."""
    return any(cue.search(sentence) for cue in (_HOW, _LEVEL, _ORDERS))


def speaks_of_rating(text: str) -> bool:
    """Whether a range of numbers beside it can be a scale."""
    return bool(_OUGHT.search(text)) or asks_for_degree(text)


def rates_in_letters(text: str) -> bool:
    """Whether marks such as A to E are asked for, which no scale of numbers stands for."""
    return bool(_LETTERS.search(text))


def names_agreement_steps(text: str) -> bool:
    """Whether the two ends of an agreement scale are written out."""
    return bool(_LIKERT.search(text))


def usual_scale(text: str) -> tuple[int, int]:
    """The scale of a question that asks for a degree and names none.

    Recommendation is asked from 0 to 10 everywhere (net promoter score), agreement has five named steps, and so do
    stars. Everything else gets ten points: in five, answers of a model bunch on the middle one.
    """
    if _RECOMMEND.search(text) and _LIKELY.search(text):
        return _PROMOTER
    if _STAR_COUNT.search(text):
        return _STARS
    return _LIKERT_SCALE if _AGREE.search(text) else _WIDE
