"""What the offline engine says around its quotations in a survey, per language; none of it states a fact."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Phrases:
    """Tuples are alternatives; `stances` go from a bad view to a good one, `burdens` from a heavy one to none,
    `weights` from none to a great one.
    """

    knows: tuple[str, ...]
    attached: tuple[str, ...]
    blank: tuple[str, ...]
    silent: tuple[str, ...]
    beside: tuple[str, ...]
    described: str
    field: str
    otherwise: str
    stances: tuple[tuple[str, ...], ...]
    burdens: tuple[tuple[str, ...], ...]
    weights: tuple[tuple[str, ...], ...]
    option: str
    picks: tuple[str, ...]
    nearest: tuple[str, ...]
    inclined: str
    more: str
    no_view: str
    nothing: str


_BY_LANGUAGE = {
    "en": Phrases(
        knows=("This is what I know about it:", "What I have read on it:", "What comes to my mind on that:"),
        attached=("What was attached says:", "Going by what was attached:"),
        blank=(
            "I have read nothing about this, so I go by how I am inclined.",
            "Nothing that I know speaks about this; what I say is only an inclination.",
            "My knowledge is silent on this, so take my answer as a mere leaning.",
        ),
        silent=(
            "I have come across nothing on that, so I cannot say.",
            "That lies outside what I know.",
            "I have no experience with that to speak of.",
        ),
        beside=("Nothing of that kind stands out for me.", "I can think of nothing of that kind."),
        described="This is how I am described: {description}",
        field="I look at it as somebody whose field is {field}.",
        otherwise="My own inclination goes the other way, though.",
        stances=(
            ("My view of it is clearly negative.", "It leaves me with a bad feeling."),
            ("My view of it is rather negative.", "It does not really speak to me."),
            ("My view of it is mixed.", "I see about as much for it as against it."),
            ("My view of it is rather positive.", "On the whole it speaks to me."),
            ("My view of it is clearly positive.", "It wins me over."),
        ),
        burdens=(
            ("That is a serious problem for me.", "It troubles me a great deal."),
            ("That is something of a problem for me.", "It does trouble me."),
            ("That is a problem at times, and at times it is not.", "It troubles me neither much nor little."),
            ("That is not much of a problem for me.", "It troubles me little."),
            ("That is hardly a problem for me.", "It does not trouble me."),
        ),
        weights=(
            ("That is of no weight to me.", "I could do without that."),
            ("That counts little with me.", "Other things come first for me."),
            ("That counts with me as much as other things.", "It is neither first nor last with me."),
            ("That counts a good deal with me.", "I would not want to miss that."),
            ("That counts more than almost anything else with me.", "For me this comes first."),
        ),
        option="“{option}”",
        picks=("So my answer is {choice}.", "So I settle on {choice}.", "That is why I say {choice}."),
        nearest=("What comes closest: {choice}.", "The nearest to that: {choice}."),
        inclined="To my own taste: {choice}.",
        more="Give me a page or a text about it, and I can say more than that.",
        no_view="No clear view",
        nothing="Nothing in particular",
    ),
    "de": Phrases(
        knows=("Das weiß ich darüber:", "Dazu habe ich gelesen:", "Dazu fällt mir ein:"),
        attached=("Im Anhang steht:", "Nach dem, was angehängt ist:"),
        blank=(
            "Darüber habe ich nichts gelesen, also gehe ich nach meiner Neigung.",
            "Nichts von dem, was ich weiß, handelt davon; was ich sage, ist nur eine Neigung.",
            "Mein Wissen schweigt dazu, also ist meine Antwort nur eine Tendenz.",
        ),
        silent=(
            "Dazu ist mir nichts begegnet, also kann ich nichts sagen.",
            "Das liegt außerhalb dessen, was ich weiß.",
            "Damit habe ich keine Erfahrung, von der ich reden könnte.",
        ),
        beside=("Nichts dergleichen fällt mir besonders auf.", "Mir fällt nichts dergleichen ein."),
        described="So werde ich beschrieben: {description}",
        field="Ich sehe es als jemand, dessen Gebiet {field} ist.",
        otherwise="Meine eigene Neigung geht allerdings in die andere Richtung.",
        stances=(
            ("Mein Bild davon ist klar negativ.", "Das hinterlässt bei mir ein schlechtes Gefühl."),
            ("Mein Bild davon ist eher negativ.", "Das spricht mich nicht recht an."),
            ("Mein Bild davon ist gemischt.", "Ich sehe etwa gleich viel dafür wie dagegen."),
            ("Mein Bild davon ist eher positiv.", "Im Ganzen spricht es mich an."),
            ("Mein Bild davon ist klar positiv.", "Das überzeugt mich."),
        ),
        burdens=(
            ("Das ist für mich ein ernstes Problem.", "Das macht mir sehr zu schaffen."),
            ("Das ist für mich durchaus ein Problem.", "Das macht mir schon zu schaffen."),
            ("Das ist für mich mal ein Problem und mal keines.", "Das macht mir weder viel noch wenig zu schaffen."),
            ("Das ist für mich kein großes Problem.", "Das macht mir wenig zu schaffen."),
            ("Das ist für mich kaum ein Problem.", "Das macht mir nicht zu schaffen."),
        ),
        weights=(
            ("Das hat für mich kein Gewicht.", "Darauf kann ich verzichten."),
            ("Das zählt für mich wenig.", "Anderes kommt für mich zuerst."),
            ("Das zählt für mich so viel wie anderes auch.", "Das ist für mich weder das Erste noch das Letzte."),
            ("Das zählt für mich viel.", "Darauf möchte ich nicht verzichten."),
            ("Das zählt für mich mehr als fast alles andere.", "Das kommt für mich zuerst."),
        ),
        option="„{option}“",
        picks=(
            "Meine Antwort ist deshalb {choice}.",
            "Ich entscheide mich also für {choice}.",
            "Darum sage ich {choice}.",
        ),
        nearest=("Am nächsten kommt dem: {choice}.", "Am ehesten passt dazu: {choice}."),
        inclined="Nach meinem Geschmack: {choice}.",
        more="Geben Sie mir eine Seite oder einen Text darüber, und ich kann mehr dazu sagen.",
        no_view="Keine klare Meinung",
        nothing="Nichts Besonderes",
    ),
    "es": Phrases(
        knows=("Esto es lo que sé sobre ello:", "Lo que he leído al respecto:", "Lo que me viene a la mente:"),
        attached=("Lo adjunto dice:", "Según lo que se adjuntó:"),
        blank=(
            "No he leído nada sobre esto, así que me guío por mi inclinación.",
            "Nada de lo que sé habla de esto; lo que digo es solo una inclinación.",
            "Mi conocimiento calla sobre esto, así que mi respuesta es una mera tendencia.",
        ),
        silent=(
            "No me he encontrado con nada de eso, así que no puedo decirlo.",
            "Eso queda fuera de lo que sé.",
            "No tengo experiencia con eso de la que hablar.",
        ),
        beside=("Nada de eso me llama la atención.", "No se me ocurre nada de ese tipo."),
        described="Así me describen: {description}",
        field="Lo miro como alguien cuyo campo es {field}.",
        otherwise="Sin embargo, mi propia inclinación va en sentido contrario.",
        stances=(
            ("Mi imagen de ello es claramente negativa.", "Me deja una mala sensación."),
            ("Mi imagen de ello es más bien negativa.", "No acaba de atraerme."),
            ("Mi imagen de ello es ambivalente.", "Veo más o menos lo mismo a favor que en contra."),
            ("Mi imagen de ello es más bien positiva.", "En conjunto me atrae."),
            ("Mi imagen de ello es claramente positiva.", "Eso me convence."),
        ),
        burdens=(
            ("Eso es un problema serio para mí.", "Me afecta mucho."),
            ("Eso es más bien un problema para mí.", "Me afecta bastante."),
            ("Eso es a veces un problema y a veces no.", "No me afecta ni mucho ni poco."),
            ("Eso no es un gran problema para mí.", "Me afecta poco."),
            ("Eso apenas es un problema para mí.", "No me afecta."),
        ),
        weights=(
            ("Eso no tiene peso para mí.", "Puedo prescindir de eso."),
            ("Eso cuenta poco para mí.", "Para mí hay otras cosas antes."),
            ("Eso cuenta para mí tanto como lo demás.", "Para mí no es ni lo primero ni lo último."),
            ("Eso cuenta bastante para mí.", "No querría prescindir de eso."),
            ("Eso cuenta para mí más que casi todo lo demás.", "Para mí eso es lo primero."),
        ),
        option="«{option}»",
        picks=("Por eso mi respuesta es {choice}.", "Así que me quedo con {choice}.", "Por eso digo {choice}."),
        nearest=("Lo que más se acerca: {choice}.", "Lo más cercano a eso: {choice}."),
        inclined="Para mi gusto: {choice}.",
        more="Deme una página o un texto sobre ello y podré decir más.",
        no_view="Sin opinión clara",
        nothing="Nada en particular",
    ),
    "fr": Phrases(
        knows=("Voici ce que j'en sais :", "Ce que j'ai lu à ce sujet :", "Ce qui me vient à l'esprit :"),
        attached=("La pièce jointe dit :", "D'après ce qui était joint :"),
        blank=(
            "Je n'ai rien lu à ce sujet, je suis donc mon inclination.",
            "Rien de ce que je sais n'en parle ; ce que je dis n'est qu'une inclination.",
            "Mes connaissances se taisent là-dessus, ma réponse n'est donc qu'une tendance.",
        ),
        silent=(
            "Je n'ai rien rencontré à ce sujet, je ne peux donc rien en dire.",
            "Cela dépasse ce que je sais.",
            "Je n'en ai pas d'expérience dont je pourrais parler.",
        ),
        beside=("Rien de ce genre ne me frappe.", "Rien de ce genre ne me vient à l'esprit."),
        described="Voici comment on me décrit : {description}",
        field="Je le vois comme quelqu'un dont le domaine est {field}.",
        otherwise="Ma propre inclination va toutefois dans l'autre sens.",
        stances=(
            ("L'image que j'en ai est clairement négative.", "Cela me laisse une mauvaise impression."),
            ("L'image que j'en ai est plutôt négative.", "Cela ne me parle pas vraiment."),
            ("L'image que j'en ai est partagée.", "J'y vois à peu près autant de pour que de contre."),
            ("L'image que j'en ai est plutôt positive.", "Dans l'ensemble, cela me parle."),
            ("L'image que j'en ai est clairement positive.", "Cela me convainc."),
        ),
        burdens=(
            ("C'est un vrai problème pour moi.", "Cela me touche beaucoup."),
            ("C'est plutôt un problème pour moi.", "Cela me touche assez."),
            ("C'est parfois un problème, parfois non.", "Cela ne me touche ni beaucoup ni peu."),
            ("Ce n'est pas un grand problème pour moi.", "Cela me touche peu."),
            ("C'est à peine un problème pour moi.", "Cela ne me touche pas."),
        ),
        weights=(
            ("Cela n'a aucun poids pour moi.", "Je peux m'en passer."),
            ("Cela compte peu pour moi.", "D'autres choses passent avant pour moi."),
            ("Cela compte pour moi autant que le reste.", "Ce n'est pour moi ni le premier ni le dernier point."),
            ("Cela compte beaucoup pour moi.", "Je ne voudrais pas m'en passer."),
            ("Cela compte pour moi plus que presque tout le reste.", "Pour moi, cela passe en premier."),
        ),
        option="« {option} »",
        picks=("Ma réponse est donc {choice}.", "Je retiens donc {choice}.", "C'est pourquoi je dis {choice}."),
        nearest=("Ce qui s'en rapproche le plus : {choice}.", "Le plus proche : {choice}."),
        inclined="À mon goût : {choice}.",
        more="Donnez-moi une page ou un texte à ce sujet, et je pourrai en dire plus.",
        no_view="Pas d'avis clair",
        nothing="Rien de particulier",
    ),
}


def phrases_for(language: str) -> Phrases:
    """The phrases of a language, or the English ones."""
    return _BY_LANGUAGE.get(language, _BY_LANGUAGE["en"])
