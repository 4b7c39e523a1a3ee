"""Words that praise and words that blame, per language, lower case and without accents."""

PRAISE: dict[str, str] = {
    "en": """
        good great excellent amazing awesome fantastic wonderful superb brilliant perfect love loved like liked
        enjoy enjoyable favourite favorite best better improve improved improvement benefit beneficial advantage
        useful helpful help valuable worth worthwhile recommend easy simple intuitive clear reliable trustworthy
        trust safe secure fast quick efficient effective affordable cheap fair free convenient comfortable
        comfortably pleasant nice delightful delicious tasty fresh beautiful elegant attractive appealing impressive
        innovative exciting excited enthusiastic happy glad pleased satisfied satisfying confident convinced
        convincing support supportive friendly kind welcome win success successful strong robust durable sturdy
        healthy clean calm fun inspiring optimistic promising thrive save saving gain reward positive agree yes
        likely prefer ideal smooth flexible generous honest transparent sustainable rich keen eager willing gift
        genius grateful warmly acceptable bright solid stable polite fine lovely reasonable welcome proud relaxed
        relaxing bargain
    """,
    "de": """
        gut gute guter gutes hervorragend ausgezeichnet toll super wunderbar perfekt prima liebe mag mogen gern
        gerne gefallt lieblings beste besser verbessern verbesserung vorteil vorteilhaft nutzlich hilfreich hilft
        helfen wertvoll lohnt empfehlen empfehle empfehlung einfach leicht klar verstandlich zuverlassig vertrauen
        sicher schnell effizient wirksam gunstig fair kostenlos bequem angenehm schon schone lecker frisch elegant
        attraktiv ansprechend beeindruckend spannend begeistert zufrieden uberzeugt uberzeugend freundlich erfolg
        erfolgreich stark robust haltbar gesund sauber ruhig spass optimistisch sparen gewinn positiv zustimmen ja
        wahrscheinlich ideal flexibel ehrlich transparent nachhaltig bereit freue
    """,
    "es": """
        bueno buena buenos buenas bien excelente genial fantastico maravilloso estupendo perfecto encanta gusta
        gustan favorito mejor mejores mejora mejorar beneficio ventaja util utiles ayuda valioso recomiendo
        recomendar recomendable facil sencillo claro fiable confiable confianza seguro rapido eficiente eficaz
        asequible barato justo gratis gratuito comodo agradable bonito delicioso fresco elegante atractivo
        impresionante emocionante entusiasmado feliz contento satisfecho convencido convincente amable exito exitoso
        fuerte robusto duradero sano limpio tranquilo divertido optimista ahorrar ahorro positivo acuerdo si
        probable ideal flexible honesto transparente sostenible dispuesto vale
    """,
    "fr": """
        bon bonne bons bonnes bien excellent genial fantastique merveilleux superbe parfait adore aime aimer prefere
        meilleur meilleure mieux ameliorer amelioration avantage benefice utile utiles aide precieux recommande
        recommander facile simple clair fiable confiance sur sure rapide efficace abordable juste gratuit pratique
        confortable agreable beau belle joli delicieux frais elegant attrayant impressionnant passionnant
        enthousiaste heureux heureuse content contente satisfait convaincu convaincant aimable succes reussi fort
        solide durable sain propre calme amusant optimiste economiser positif accord oui probable ideal souple
        honnete transparent pret prete
    """,
}
BLAME: dict[str, str] = {
    "en": """
        bad poor awful terrible horrible dreadful worst worse hate hated dislike annoying annoyed frustrating
        frustrated disappointing disappointed disappointment useless worthless waste wasted pointless mistake wrong
        fail failed failure problem issue trouble difficult hard complicated complex confusing confused unclear
        unreliable distrust sceptical skeptical doubt doubtful suspicious unsafe insecure dangerous danger risk
        risky harm harmful injury slow inefficient ineffective expensive costly overpriced unfair inconvenient
        uncomfortable unpleasant ugly boring dull bitter sour stale dirty broken break fragile weak flimsy damage
        defect faulty sad unhappy angry afraid fear worried worry worrying concern concerned anxious stress
        stressful pain painful drawback disadvantage downside barrier obstacle complaint complain critic criticise
        unlikely disagree reject refuse avoid against negative never unfortunately lose loss steal theft crash
        pessimistic reluctant hesitant tired burden overwhelming misleading intrusive wasteful cumbersome no cancel
        cancelled complaint late empty lag lags stuck impossible hidden missing lacking buggy bug dead bruise forget
        template impersonal rude noisy crowded leak broke refused ignore ignored waiting
    """,
    "de": """
        schlecht schlechte schlechter schlimm furchtbar schrecklich schlechteste hasse hassen argerlich argert nervt
        frustrierend enttauschend enttauscht enttauschung nutzlos wertlos verschwendung sinnlos fehler falsch
        gescheitert problem probleme schwierig schwer kompliziert komplex verwirrend unklar unzuverlassig misstrauen
        skeptisch zweifel zweifelhaft unsicher gefahrlich gefahr risiko riskant schadlich schaden langsam teuer
        uberteuert unfair unbequem unangenehm hasslich langweilig bitter sauer schmutzig kaputt zerbrechlich schwach
        defekt traurig unzufrieden wutend angst besorgt sorge sorgen stress stressig schmerz nachteil hindernis
        beschwerde kritik unwahrscheinlich ablehnen lehne vermeiden gegen negativ leider verlust verlieren diebstahl
        pessimistisch mude belastung irrefuhrend umstandlich nein stort storend nervig argere fehlt leer hakt klemmt
        verspatet unmoglich unfreundlich uberfullt laut gekundigt
    """,
    "es": """
        malo mala malos malas mal peor peores terrible horrible pesimo odio odiar molesto molesta frustrante
        frustrado decepcionante decepcionado decepcion inutil desperdicio error equivocado fracaso problema
        problemas dificil complicado complejo confuso confundido desconfianza desconfio esceptico duda dudo dudoso
        inseguro peligroso peligro riesgo arriesgado danino dano lento ineficaz caro cara costoso injusto incomodo
        desagradable feo aburrido amargo sucio roto fragil debil defecto triste infeliz enfadado miedo preocupado
        preocupa preocupacion estres dolor desventaja inconveniente obstaculo queja critica improbable desacuerdo
        rechazo rechazar evitar contra negativo lamentablemente perder perdida robo pesimista cansado carga enganoso
        vacio vacia molestan falta falla fallan retraso imposible cancele ruidoso atascado
    """,
    "fr": """
        mauvais mauvaise mal pire affreux terrible horrible deteste detester agacant frustrant frustre decevant decu
        deception inutile gaspillage erreur faux echec probleme problemes difficile complique complexe confus flou
        mefiance sceptique doute douteux dangereux danger risque risques nocif nuisible dommage lent lente
        inefficace cher chere couteux injuste inconfortable desagreable laid ennuyeux amer sale casse fragile faible
        defaut triste malheureux fache peur inquiet inquiete inquietude stress stressant douleur inconvenient
        obstacle plainte critique improbable desaccord refuse refuser eviter contre negatif malheureusement perdre
        perte vol pessimiste fatigue fardeau trompeur non vide vides manque bloque retard impossible resilie bruyant
        gene panne pannes
    """,
}
NEGATE: dict[str, str] = {
    "en": "not no never nor neither none nothing hardly barely without don doesn didn isn aren wasn weren won wouldn"
    " couldn cannot shouldn t lack lacks less solve solves reduce reduces prevent prevents",
    "de": "nicht kein keine keinen keinem keiner nie niemals nichts ohne weder kaum weniger",
    "es": "no nunca jamas ni sin nada ningun ninguna tampoco apenas menos",
    "fr": "pas jamais sans ni aucun aucune rien guere moins non",
}
INTENSIFY: dict[str, str] = {
    "en": "very really extremely highly strongly totally completely absolutely so too much far definitely",
    "de": "sehr wirklich extrem hochst stark vollig absolut so zu viel weit",
    "es": "muy realmente extremadamente altamente totalmente completamente absolutamente tan demasiado mucho",
    "fr": "tres vraiment extremement hautement fortement totalement completement absolument si trop beaucoup",
}
WEAKEN: dict[str, str] = {
    "en": "somewhat slightly fairly rather quite bit little partly",
    "de": "etwas leicht ziemlich eher wenig teilweise bisschen",
    "es": "algo ligeramente bastante poco parcialmente",
    "fr": "plutot legerement assez peu partiellement",
}

ABLE: dict[str, str] = {
    "en": "find work works working open use reserve understand reach read see load start respond afford get able",
    "de": "finden funktioniert funktionieren geht offnen nutzen benutzen verstehen erreichen lesen laden",
    "es": "encontrar funciona funcionan abrir usar entender leer cargar responden",
    "fr": "trouver fonctionne marche ouvrir utiliser comprendre lire charger repondent",
}
"""What one expects to be able to do: it takes a side only where it is denied, as in "I could not find one"."""
