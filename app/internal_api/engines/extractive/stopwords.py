"""Words that carry no subject, per language, and the guess of a language from them."""

from collections.abc import Iterable

DEFAULT = "en"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Accents are left out because tokens have none. Contractions come in halves: don't -> don, t.
FUNCTION: dict[str, frozenset[str]] = {
    "en": _words(
        """
        hi hello hey thanks
        a an the and or but if of at by for with about to from in on into over under between through
        during up down out off i me my you your yours he him his she her it its we us our they them
        their this that these those who whom whose which what when where why how is am are was were
        be been being have has had having do does did doing will would shall should can could may
        might must not no nor so than too very just also only own same such there here then as until
        while because s t don doesn didn isn aren wasn weren won wouldn can couldn shouldn ll re ve
        d m any some each all both few more most other another again once ever please let tell
        """
    ),
    "de": _words(
        """
        mehr hallo guten moin servus danke vielen wann
        der die das den dem des ein eine einen einem einer eines und oder aber wenn von bei fur mit
        uber zu zum zur aus in im ins an am auf unter zwischen durch wahrend ich mich mir mein meine
        du dich dir dein er ihn ihm sein sie ihr ihre es wir uns unser man dies diese dieser dieses
        jener wer wen wem wessen welche welcher welches was wann wo warum wieso weshalb wie ist bin
        bist sind war waren sei sein gewesen haben hat hatte habe werden wird wurde wurden soll
        sollte kann konnen konnte konnten darf muss mussen mag nicht kein keine nein so als auch nur
        noch schon sehr da dann hier dort dass weil doch mal bitte etwas alle jede jeder beim vom
        sich ja denn um s
        """
    ),
    "fr": _words(
        """
        bonjour bonsoir salut coucou merci
        le la les un une des du de au aux et ou mais si a par pour avec sur sous dans en entre chez
        vers je me mon ma mes tu te ton ta tes il elle lui son sa ses nous notre nos vous votre vos
        ils elles leur leurs ce cet cette ces qui que quoi quel quelle quels quelles quand ou
        pourquoi comment combien est suis es sont etait etaient etre ete avoir ai as ont avait fait
        faire peut peux doit dois faut ne pas non plus tres aussi alors donc ici la y se on qu
        est-ce tout tous toute toutes cela ca comme sans l d j n s c m t qu
        """
    ),
    "es": _words(
        """
        hola buenos buenas dias gracias adios
        el la los las un una unos unas de del al y o u pero si a por para con sobre en entre desde
        hasta yo me mi mis tu te tus el ella lo le su sus nosotros nuestro vosotros ellos ellas este
        esta estos estas ese esa eso esto aquel que quien quienes cual cuales cuando donde por
        porque como cuanto cuanta cuantos cuantas es soy eres son era eran ser sido estar esta estan
        he has ha han haber habia hay hace hacer puede puedo debe debo no ni mas muy tambien
        entonces aqui ahi se todo todos toda todas sin
        """
    ),
}

# Words of asking rather than of the subject: a passage without them may still answer.
WEAK: dict[str, frozenset[str]] = {
    "en": _words(
        """
        say says said mean means think thought know known explain describe give want wants like
        likes look looking make makes get gets go goes take takes come good bad great better best
        important main really way ways thing things people person someone anyone something anything
        kind kinds sort type types example examples reason reasons much many long often help helps
        work works happen happens matter matters need needs use used useful using difference compare
        compared contribute contribution achieve main idea point topic subject summary summarise summarize
        overview introduction gist key talk recommend recommended suggest advice opinion actually usually should worth
        exactly happens put keep first new one ones time lot different possible able ideal right
        wrong typical rate scale point affect affects influence influences impact effect appear
        appears depend depends buy choose pick stay start started begin who does try find found idea
        well less enough feel find seem called name done doing list tip tips
        """
    ),
    "de": _words(
        """
        sagen sagt meinen meinst denken denkst wissen weisst erklaren beschreiben geben gibt wollen
        will machen macht mochte gut gute guter gutes besser beste besten schlecht wichtig wirklich
        art weise ding dinge leute mensch menschen jemand beispiel grund grunde viel viele vieles
        lange oft helfen hilft passiert brauchen braucht man unterschied vergleich empfehlen
        empfiehlst rat meinung eigentlich meist lohnt erzahl erzahle halt haltst findest gehen geht
        kommt nutzen benutzen
        """
    ),
    "fr": _words(
        """
        dire dit pensez penses penser savoir sait expliquer explique decrire donner donne veux
        vouloir bon bonne mieux meilleur meilleure mauvais important importante vraiment facon
        maniere chose choses gens personne quelqu exemple raison raisons beaucoup longtemps souvent
        aide aider utiliser utile difference comparer recommander conseil avis faut necessaire
        parler parle aller va
        """
    ),
    "es": _words(
        """
        decir dice piensas pensar saber sabe explicar explica describir dar da quiero querer bueno
        buena mejor mejores malo importante realmente manera cosa cosas gente persona personas
        alguien ejemplo razon razones mucho mucha tiempo menudo ayuda ayudar usar util diferencia
        comparar recomendar recomiendas consejo opinion opinas opina crees necesita necesito hablar habla ir
        """
    ),
}


def guess_language(words: Iterable[str], otherwise: str = DEFAULT) -> str:
    """The language whose function words occur most; `otherwise` when none stands out."""
    listed = list(words)
    counts = {language: sum(word in known for word in listed) for language, known in FUNCTION.items()}
    best = max(counts.values())
    if best == 0 or counts.get(otherwise, 0) == best:
        return otherwise
    return next(language for language, count in counts.items() if count == best)
