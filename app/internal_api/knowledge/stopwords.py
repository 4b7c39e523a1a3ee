"""Words that say nothing of what a question is about: English, German, French, Spanish; folded.

The English ones hold PostgreSQL's own list, so that no word is asked for which its index has left out. Words
that carry a meaning in another of these languages (`die`, `war`, `son`, `pour`) are not here.
"""

ENGLISH = """
    i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers
    herself it its itself they them their theirs themselves what which who whom this that these those am is
    are was were be been being have has had having do does did doing a an the and but if or because as until
    while of at by for with about against between into through during before after above below to from up
    down in out on off over under again further then once here there when where why how all any both each few
    more most other some such no nor not only own same so than too very s t can will just don should now
"""
TALKING = """
    also could d describe explain give ll m many may might much must please re say shall tell think us ve
    whose would
"""
GERMAN = """
    aber als auch auf aus bei bist das dass dein deine dem den denn der des dich dir du ein eine einem einen
    einer eines er es euch haben ich ihr im ist kann mein mich mir mit nach nicht noch oder sich sie sind
    uber und uns unser von vom wann warum weil welche welcher welches wenn wer wie wird wir wo zu zum zur
"""
FRENCH = """
    au aux avec ce ces cette comment dans de des du elle elles est et etre il ils je la le les leur lui mais
    moi ne nous on ou par pas pourquoi quand que quel quelle quelles quels qui quoi sa se ses sont sur ta te
    tes toi tu un une vous
"""
SPANISH = """
    al como con cual cuando de del donde el ella ellas ellos en eres es esta este esto ha hay la las lo los
    mas mi mis muy nos para pero por porque que quien se ser si su sus tu tus un una unas unos y ya yo
"""
STOP_WORDS = frozenset(f"{ENGLISH} {TALKING} {GERMAN} {FRENCH} {SPANISH}".split())
