"""Words that tell where things are named and what names none, per language, lower case and without accents."""

BEFORE_THINGS = {
    "en": "the a an my our your his her its their this these those that no any some more of in for with about by"
    " without from at on than every each few many less better good bad",
    "de": "der die das den dem des ein eine einen einem einer mein meine meinen meiner unser unsere ihr ihre kein keine"
    " keinen mehr von mit ohne fur im am zum zur beim uber weniger",
    "es": "el la los las un una unos unas mi mis su sus este esta estos estas de del al con sin por para mas menos en",
    "fr": "le la les l un une des mon ma mes son sa ses notre nos leur leurs ce cette ces de du d au aux avec sans pour"
    " plus moins en",
}
AFTER_THINGS = {
    "en": "is are was were has have matters matter fails fail works costs should could would needs need",
    "de": "ist sind war waren hat haben sollte konnte funktioniert kostet",
    "es": "es son esta estan era fue tiene tienen falla cuesta deberia",
    "fr": "est sont etait a ont coute devrait marche",
}
NO_THINGS = {
    "en": """
        after before without unless per every everything everyone everybody nobody nothing somebody something
        anything anyone someone none one two three four five six seven eight nine ten eleven twelve twenty thirty
        forty fifty thirteen fourteen fifteen sixteen seventeen eighteen nineteen sixty seventy eighty ninety
        hundred thousand once twice half enough quite rather almost even still yet already always never sometimes
        usually mostly really truly only ever ago away back near far along across around inside outside behind above
        below against within upon since though although however therefore because else instead together made know
        knew known think thought believe believed tell told say said see saw seen look looked get got gotten give
        gave given take took taken come came go went gone bring brought buy bought pay paid find found lose lost
        leave left keep kept put set let make want wanted need needed like liked love loved hate hated wish hope
        feel felt try tried use used start started begin began stop stopped stand stood sit sat run ran read write
        wrote hear heard call called ask asked answer answered send sent show showed shown open opened close closed
        turn turned move moved live lived happen happened seem seemed become became raise raised remove removed
        arrive arrived offer offered join joined hire hiring ride rode carry carried reach reached accept accepted
        allow allowed learn learned explain explained mention mentioned deliver delivered cancel cancelled charged
        guarantee guaranteed recommend recommended decide decided matter matters mean means meant criticise
        criticised depend depends sticks stick fail fails work works worked save saved earn include includes
        somewhere front now lighter heavier cheaper age own same other another myself yourself himself herself
        itself ourselves themselves such able available certain sure true false right wrong full empty big small
        large little long short high low new old young whole first second last next early late good bad better best
        worse worst great nice fine fair easy hard much many more most less least few several own main only single
        mixed ready main different possible warmly quickly easily simply nearly properly directly exactly finally
        especially clearly euro euros dollar dollars pound pounds cent cents percent thing things way ways lot lots
        bit kind sort part side end people person man woman lady guy january february march april may june july
        august september october november december monday mondays tuesday wednesday thursday friday saturday sunday
        today tomorrow yesterday year years month months week weeks day days hour hours minute minutes time times
        nine
    """,
    "de": """
        nach vor ohne ausser pro alles niemand nichts jemand etwas eins zwei drei vier funf sechs sieben acht neun
        zehn zwanzig dreissig vierzig hundert einmal zweimal halb genug fast sogar immer nie manchmal meistens
        wirklich bereits zuruck nahe weit innerhalb ausserhalb hinter uber unter gegen seit obwohl jedoch deshalb
        trotzdem leider ausserdem vielleicht jahr jahre jahren monat monate monaten woche wochen tag tage tagen
        stunde stunden minute minuten mal male zeit euro cent prozent ding dinge sache sachen art weise teil seite
        ende leute mensch menschen mann frau montag dienstag mittwoch donnerstag freitag samstag sonntag heute
        morgen gestern gross grosse klein kleine lang kurz neu alt gut schlecht besser ganz ganze erste zweite
        letzte
    """,
    "es": """
        despues antes sin excepto cada todo todos nadie nada alguien algo uno dos tres cuatro cinco seis siete ocho
        nueve diez veinte treinta cien vez veces medio bastante casi incluso siempre nunca realmente atras cerca
        lejos dentro fuera contra aunque embargo ano anos mes meses semana semanas dia dias hora horas minuto
        minutos tiempo euro euros cosa cosas manera parte lado fin gente persona personas hombre mujer lunes martes
        miercoles jueves viernes sabado domingo hoy manana ayer grande pequeno largo corto nuevo viejo bueno malo
        mejor peor junto primero ultimo gusta encanta molesta funciona falla tarda tiene pago recomiendo
        recomendaria
    """,
    "fr": """
        apres avant moi toi sans sauf chaque tout tous personne rien quelqu quelque deux trois quatre cinq six sept
        huit neuf dix vingt trente cent fois demi assez presque meme toujours jamais vraiment arriere pres loin
        dedans dehors contre depuis bien cependant an ans annee annees mois semaine semaines jour jours heure heures
        minute minutes temps euro euros chose choses facon partie cote fin gens homme femme lundi mardi mercredi
        jeudi vendredi samedi dimanche aujourd hui demain hier grand petit long court nouveau vieux bon mauvais
        mieux pire premier dernier aime plait marche fonctionne coute paie recommande recommanderais
    """,
}
