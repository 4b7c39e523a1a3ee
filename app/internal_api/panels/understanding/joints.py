"""What must not be cut although an "or", an "and" or a comma stands in it: amounts, names, brackets."""

import re

# "Two or three times a week" is one amount, while "one, two or three times" is a row of them.
QUANTITY = re.compile(
    r"(?<!one, )(?<!two, )(?<!three, )(?<!\d, )(?<!eins, )(?<!zwei, )(?<!drei, )(?<!once, )(?<!einmal, )"
    r"\b(?:once|twice|one|two|three|four|five|six|\d{1,2}|eine?n?-?|zwei-?|drei-?|vier-?|funf-?|einmal|zweimal|dreimal"
    r"|una|dos|tres|une|deux|trois)"
    r" (?:or|oder|o|ou) (?:twice|two|three|four|five|six|seven|\d{1,2}|(?:zwei|drei|vier|funf|sechs)(?:mal)?"
    r"|dos|tres|cuatro|deux|trois|quatre)"
    r"(?: (?:times|mal|days?|hours?|weeks?|months?|years?|tagen?|stunden|wochen|monaten?|jahren?"
    r"|veces|dias|horas|fois|jours|heures)\b"
    r"|(?= (?:a|an|per|each|every|pro|am|im|in der|die) \w))"
)
_ONE_NAME = re.compile(
    r"\b(?:bed and breakfast|(?:fish|steak) and (?:chips|fries)|mac(?:aroni)? and cheese|salt and (?:pepper|vinegar)"
    r"|friends and family|family and friends|food and drinks?|health and safety|research and development"
    r"|sales and marketing|marks and spencer|black and white|rock and roll|terms and conditions"
    r"|(\w{2,12}) or \1 not|freunde und familie|familie und freunde|essen und trinken|schwarz und weiss)\b"
)
_BRACKETS = re.compile(r"\([^()\n]{0,200}\)|\[[^\[\]\n]{0,200}\]")
# "5 or more" and "45 and older" are one option each.
_OPEN_ENDED = re.compile(
    r"\d[\w%$€£.+]*(?: (?!(?:or|and|oder|und|o|y|ou|et)\b)[a-z]{1,12})? (?:or|and|oder|und|o|y|ou|et)"
    r" (?:more|older|over|above|higher|up|younger|under|below|lower|less|fewer|longer|later|earlier|mehr|alter|junger"
    r"|weniger|mas|mayor|menos|menor|plus|moins)\b(?! than\b)"
)


def shielded(masked: str) -> str:
    """The text of the same length, with a word of no meaning in place of each."""
    safe = _BRACKETS.sub(lambda match: "(" + "x" * (len(match.group()) - 2) + ")", masked)
    for pattern in (_OPEN_ENDED, QUANTITY, _ONE_NAME):
        safe = pattern.sub(lambda match: "x" * len(match.group()), safe)
    return safe
