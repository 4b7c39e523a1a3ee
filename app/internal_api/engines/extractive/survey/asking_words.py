"""The words with which surveys ask, per language, lower case and without accents: no subject, but a direction."""

LIKE = {
    "en": "like love enjoy best favourite favorite benefit advantage appreciate strength delight prefer",
    "de": "mogen gefallt gefallen liebsten beste besten vorteil schatzen starke bevorzugen",
    "es": "gusta gustan encanta mejor favorito ventaja aprecia prefiere",
    "fr": "aimez plait preferez meilleur avantage appreciez",
}
DISLIKE = {
    "en": "frustrate frustrates frustrating frustration annoy annoys annoying irritate irritates dislike hate bother"
    " bothers worst disappoint disappoints disappointing problem issue complaint pain barrier obstacle drawback"
    " disadvantage downside weakness cancel challenge struggle least stop worry worries prevent keeps",
    "de": "stort storen argert nervt frustriert schlimmsten problem probleme nachteil hindernis schwache kundigen"
    " wenigsten enttauscht sorge sorgen",
    "es": "molesta molestan frustra disgusta peor problema problemas desventaja obstaculo menos preocupa decepciona",
    "fr": "derange agace frustre deplait pire probleme problemes inconvenient obstacle moins inquiete decoit genent",
}
CHANGE = {
    "en": "improve improvement change wish add fix missing suggest suggestion convince back need",
    "de": "verbessern verbesserung andern wunschen wunsch fehlt vorschlag uberzeugen brauchen",
    "es": "mejorar mejora mejoraria cambiar cambiaria desear falta sugerencia convenceria necesita",
    "fr": "ameliorer amelioration changer changeriez souhaitez manque suggestion convaincrait besoin",
}
WEIGH = {
    "en": "matter matters important importance priority prioritise decide decides decisive crucial essential",
    "de": "wichtig wichtigste wichtigsten wichtiger wichtigkeit entscheidend entscheidet prioritat zahlt",
    "es": "importa importan importante importantes importancia prioridad decisivo decide",
    "fr": "importe compte comptent important importants importance priorite decisif decide",
}

VERDICTS = {
    "recommend": {
        "en": "recommend recommended recommendation advise",
        "de": "empfehlen empfehle empfohlen empfiehlt weiterempfehlen weiterempfehle empfehlung",
        "es": "recomendar recomiendo recomendaria recomendable recomienda",
        "fr": "recommander recommande recommanderais recommandation conseille",
    },
    "content": {
        "en": "satisfied satisfaction happy glad pleased grateful disappointed unhappy love hate enjoy content",
        "de": "zufrieden zufriedenheit unzufrieden glucklich froh dankbar enttauscht liebe hasse",
        "es": "satisfecho satisfecha satisfaccion contento contenta feliz decepcionado encanta odio",
        "fr": "satisfait satisfaite satisfaction content contente heureux decu adore deteste",
    },
    "worry": {
        "en": "worried worry worries concerned concern afraid fear anxious scared nervous",
        "de": "besorgt sorge sorgen angst furchte beunruhigt",
        "es": "preocupado preocupada preocupa preocupan miedo temo inquieto",
        "fr": "inquiet inquiete inquietude peur crains preoccupe",
    },
    "trust": {
        "en": "trust trusting rely confident distrust doubt",
        "de": "vertrauen vertraue misstraue zweifel verlasse",
        "es": "confio confia confianza desconfio dudo",
        "fr": "confiance mefie doute",
    },
    "ease": {
        "en": "easy simple difficult hard confusing complicated intuitive cumbersome",
        "de": "einfach leicht schwierig schwer kompliziert verwirrend umstandlich",
        "es": "facil sencillo dificil complicado confuso",
        "fr": "facile simple difficile complique confus",
    },
    "stay": {
        "en": "cancel cancelled renew stay leave return continue switch",
        "de": "kundigen gekundigt verlangern bleiben bleibe wechseln",
        "es": "cancelar cancele renovar quedarme cambiar",
        "fr": "resilier resilie renouveler rester reste changer",
    },
}

REST = {
    "en": "likely likelihood satisfied interested interest willing appealing rating opinion view attractive relevant"
    " credible pay purchase buy euro dollar today currently personally biggest today feel experience overall agree"
    " anything aspect feature describe improve using user customer recently year month yes no friend"
    " scale rate per one ten pick choose select better colleague family somebody",
    "de": "wahrscheinlich wahrscheinlichkeit interessiert interesse bereit ansprechend bezahlen zahlen kaufen euro"
    " monat jahr heute derzeit gesamt erfahrung freund freunde freunden kollegen kunde aussage ja nein grosste"
    " meisten insgesamt finden bis skala punkt punkte null eins zehn wurden wurde mochten stufe gerne jemand"
    " jemandem person dabei ihnen ihrer ihren ihrem einschatzen bewerten wahlen besser",
    "es": "probable probabilidad interesado interes dispuesto atractivo mayor pagar comprar euro mes ano hoy"
    " experiencia amigo amigos familia general si no parece siente escala hasta tan punto puntos valora valorar usted"
    " ustedes conocido elegir elegiria mejor",
    "fr": "probable probabilite interesse interet pret attrayant principal payer acheter euro mois annee actuellement"
    " experience ami amis famille general oui non trouvez echelle jusqu point points noter note etes seriez avez"
    " personne proche choisir choisiriez mieux",
}
"""What else asks for a degree of liking."""

GENERAL = {
    "en": "service product offer company brand platform solution tool provider",
    "de": "dienst produkt angebot firma marke anbieter unternehmen",
    "es": "servicio producto oferta empresa marca",
    "fr": "service produit offre entreprise marque",
}
"""They name what is asked about no closer than "it" does."""

PLAIN = {
    "en": "likely agree true much often extent interested willing",
    "de": "wahrscheinlich stimmen zustimmen sehr interessiert bereit",
    "es": "probable acuerdo interesado dispuesto",
    "fr": "probable accord interesse pret",
}
"""Degrees that take the side of what follows them: "likely to recommend", "likely to cancel"."""
