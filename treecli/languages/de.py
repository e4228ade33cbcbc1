"""German."""

from __future__ import annotations

TEXTS = {
    "title": "Wie ein Entscheidungsbaum lernt: {data}",
    "facts": "{n} Zeilen, {attributes} Attribute; vorhergesagt wird {target}",
    "made_by": "Erzeugt von {program}.",
    "step_of": "Schritt {step} von {n}",
    "back": "Zurück",
    "next": "Weiter",
    "dark": "Dunkel",
    "steps": "Schritte",
    "keys": "Tasten: ← und →. Auf einem Touchscreen: wischen.",
    "classes": "Klassen",
    "cards_label": "Zeilen",
    "tree_label": "Baum",
    "lines_label": "Rechnung",
    "bars_label": "Kandidaten",
    "without_script": "Ohne JavaScript stehen die Schritte untereinander, ohne Fragen.",
    "row": "Zeile {n}",
    "cases_one": "{n} Fall",
    "cases_many": "{n} Fälle",
    "leaves_one": "{n} Blatt",
    "leaves_many": "{n} Blätter",
    "errors_none": "keine Fehler",
    "errors_one": "{n} Fehler",
    "errors_many": "{n} Fehler",
    "mean": "Mittelwert {mean}",
    "unknown": "unbekannt",
    "counts_order": "Zahlen in Klammern zählen die Klassen in der Reihenfolge {labels}.",
    "title_data": "Die Daten",
    "title_impurity": "Wie gemischt sind sie?",
    "title_attribute": "Frage nach {split}",
    "title_choice": "Welche Frage ist die beste?",
    "title_growth": "Der Baum wächst",
    "title_node": "Der nächste Knoten: {path}",
    "title_row": "Eine neue Zeile läuft hinunter",
    "title_rules": "Jeder Pfad ist eine Regel",
    "title_luck": "War es Zufall?",
    "title_pruning": "Soll er beschnitten werden?",
    "title_score": "Was du jetzt weißt",
    "title_end": "Mehr zum Rechnen",
    "say_data": "{cases}: {counts}. Jede Karte ist eine Zeile. Der Baum darf jeweils nach einem Attribut fragen.",
    "say_data_counts": "{cases}: {counts}. Für Karten sind es zu viele, deshalb zeigen die Gruppen Anzahlen.",
    "say_data_numeric": (
        "{cases} mit dem Mittelwert {mean}. Jede Karte ist eine Zeile. Der Baum darf jeweils nach einem "
        "Attribut fragen."
    ),
    "say_data_numeric_counts": (
        "{cases} mit dem Mittelwert {mean}. Für Karten sind es zu viele, deshalb zeigen die Gruppen Anzahlen."
    ),
    "say_entropy": (
        "Die Entropie misst, wie gemischt die Klassen sind: 0, wenn alle Fälle zu einer Klasse gehören, 1 "
        "Bit, wenn zwei Klassen gleich häufig sind. Mit {share} {label} ist sie {value}."
    ),
    "say_gini": (
        "Der Gini-Index misst, wie gemischt die Klassen sind: 0, wenn alle Fälle zu einer Klasse gehören, "
        "½, wenn zwei Klassen gleich häufig sind. Mit {share} {label} ist er {value}."
    ),
    "say_error": "Würden wir immer {label} vorhersagen, wären {value} der Fälle falsch.",
    "say_numbers": (
        "Eine Zahl als Vorhersage für alle Fälle: Die quadrierten Fehler sind beim Mittelwert {mean} am "
        "kleinsten, zusammen {value}."
    ),
    "say_deviation": (
        "Eine Zahl als Vorhersage für alle Fälle, der Mittelwert {mean}: Die Standardabweichung davon ist {value}."
    ),
    "curve_axis": "Anteil von {label}",
    "curve_axis_numbers": "Vorhersage für alle Fälle",
    "curve_hint": "Ziehe den Punkt, oder bewege ihn mit den Pfeiltasten.",
    "curve_value": "{x} → {y}",
    "say_attribute": (
        "{split} teilt die Fälle in {n} Zweige. Von der Unordnung bleibt, gewichtet mit der Größe der "
        "Zweige, {remainder}; der Gewinn ist {gain}."
    ),
    "say_no_split": "{split} teilt die Fälle nicht: kein Gewinn.",
    "say_choice": "Am besten ist {chosen}: {value}.",
    "say_choice_next": "Am besten ist {chosen}: {value}; dann folgt {next} mit {next_value}.",
    "say_tie": "{chosen} und {next} sind mit {value} gleich gut; die erste Spalte gewinnt.",
    "say_growth": "Die Wurzel fragt nach {chosen}. Reine Zweige werden Blätter: {n_pure} von {n}.",
    "say_leaf_root": "Keine Teilung ist erlaubt: Der Baum ist ein einziges Blatt.",
    "say_node": "{cases}: {counts}. Noch einmal dieselbe Rechnung, nur für diese Fälle.",
    "say_node_numeric": "{cases}, Mittelwert {mean}. Noch einmal dieselbe Rechnung, nur für diese Fälle.",
    "say_more_nodes_one": "Ein weiterer Knoten wird ebenso geteilt.",
    "say_more_nodes_many": "{n} weitere Knoten werden ebenso geteilt.",
    "say_no_more_nodes": "Kein Knoten ist mehr zu teilen: Jeder Zweig endet in einem Blatt.",
    "say_tie_irrelevant": "{names} sind mit {value} gleich gut, was hier nichts ausmacht.",
    "say_row": (
        "Eine Zeile, die der Baum nicht gesehen hat: {row}. Sie beantwortet die Fragen von der Wurzel an "
        "und endet in einem Blatt: {prediction}."
    ),
    "say_row_seen": (
        "Eine Zeile läuft hinunter: {row}. Sie beantwortet die Fragen von der Wurzel an und endet in einem "
        "Blatt: {prediction}."
    ),
    "say_rules": (
        "Lies jeden Pfad von der Wurzel zu einem Blatt als Regel. Zeige auf eine Regel, um ihren Pfad und "
        "ihre Fälle hervorzuheben."
    ),
    "say_luck": (
        "Dieselben Zeilen {n}-mal zufällig mit Zurücklegen gezogen, und aus jeder Stichprobe ein Baum: Das "
        "ist die Frage an der Wurzel."
    ),
    "say_luck_alone": "Alle {n} Bäume fragen zuerst nach {best}: Es war kein Zufall.",
    "say_luck_best": (
        "{best} steht in {share} der Bäume an der Wurzel: Eine andere Stichprobe hätte leicht einen anderen "
        "Baum ergeben."
    ),
    "say_luck_clear": "{best} steht in {share} der Bäume an der Wurzel.",
    "no_split": "keine Teilung",
    "say_pruning": (
        "Ein Blatt macht auf den Trainingsfällen mehr Fehler, aber weniger Blätter lernen weniger Rauschen "
        "auswendig. {method} vergleicht jeden Teilbaum mit einem Blatt an seiner Stelle, von unten nach "
        "oben."
    ),
    "pruned_none": "Nichts wird beschnitten: {leaves}.",
    "pruned_some": "Nach dem Beschneiden hat der Baum {after} statt {before}.",
    "pruning_value_pessimistic": "erwartete Fehler: als Teilbaum {subtree}, als Blatt {leaf}",
    "pruning_value": "als Teilbaum {subtree}, als Blatt {leaf}",
    "pruning_words": (
        "subtree=Teilbaum|leaf=Blatt|errors expected=erwartete Fehler|for the attribute=für das "
        "Attribut|for the split=für die Teilung|bits=Bits"
    ),
    "kept": "bleibt",
    "replaced": "ersetzt durch ein Blatt {label}",
    "say_score": "Deine Antworten, und dann ein Blatt mit anderen Zahlen.",
    "say_end": (
        "Der Baum hat {leaves} und {errors} auf seinen eigenen Trainingsfällen. Unten ist ein Aufgabenblatt "
        "mit anderen Zahlen."
    ),
    "say_end_numeric": (
        "Der Baum hat {leaves}; seine quadrierten Fehler sind {before} vor der ersten Teilung und {after} "
        "an den Blättern. Unten ist ein Aufgabenblatt mit anderen Zahlen."
    ),
    "pure": "rein",
    "rounded": "aus ungerundeten Zahlen; die gerundeten ergeben {text}",
    "unknown_branch": "unbekannt zählt als Zweig",
    "line_unknown": (
        "{attribute} ist bei {missing} von {n} Fällen unbekannt: Gewinn aus den {known} bekannten, mal {known}/{n}"
    ),
    "line_shares": "unter dem Knoten geht ein solcher Fall überallhin: {shares} von ihm",
    "line_chosen": "⇒ geteilt nach {split}: {symbol} {value}",
    "line_leaf": "⇒ ein Blatt {label}",
    "line_open": "noch gemischt",
    "line_average": "Durchschnittlicher Gewinn {value}: Ein Verhältnis zählt nur ab diesem Gewinn, weniger 0.001",
    "line_passed": "{split}: Gewinn {gain}, übergangen",
    "line_others": "nicht ausgeschrieben: {names}",
    "line_threshold": "{way}  {counts}  Gewinn {gain}",
    "line_more_one": "und eine weitere, nicht bessere",
    "line_more_many": "und {n} weitere, keine besser",
    "line_best": "die beste",
    "line_estimate": "U(Fehler, Fälle): eine obere Grenze des Fehleranteils, Konfidenz {confidence}",
    "why_one-branch": "alle Fälle hier haben denselben Wert",
    "why_too-small": "keine Teilung lässt genug Fälle in zwei Zweigen",
    "why_missing": "fehlt hier in allen Fällen",
    "why_too-little": "der Gewinn ist zu klein",
    "why_not-significant": "nicht signifikant",
    "why_below-average": "unter dem Durchschnitt",
    "hear_groups": "Gruppen: {groups}.",
    "hear_group": "{label}: {counts}",
    "hear_candidates": "Kandidaten: {candidates}.",
    "hear_tree": "Der Baum bisher: {tree}.",
    "hear_tree_open": "{path}: offen",
    "hear_tree_leaf": "{path}: {label}",
    "hear_tree_asks": "{path}: fragt nach {attribute}",
    "all_cases": "alle Fälle",
    "hear_curve": "Eine Kurve über dem {axis}, von 0 bis 1; die Daten liegen bei {x}, dort ist sie {y}.",
    "hear_parabola": "Eine Parabel über der {axis}; die Daten liegen bei {x}, dort ist sie {y}.",
    "ask_guess": "Was meinst du: Welche Frage ist die beste?",
    "noted": "Notiert. In Schritt {step} siehst du es.",
    "your_guess": "deine Vermutung",
    "ask_gain": "Rechne selbst: {name} =",
    "check": "Prüfen",
    "show": "Zeigen",
    "ask_pick": "Wähle eine Frage. Eine andere Wahl lässt einen anderen Baum wachsen.",
    "criterion": "Maß",
    "criterion_gain": "Gewinn",
    "criterion_gainratio": "Gewinnverhältnis",
    "criterion_gini": "Gini",
    "criterion_error": "Fehler",
    "criterion_variance": "Varianz",
    "criterion_sdr": "Standardabweichung",
    "ask_row": "Was sagt der Baum vorher?",
    "row_form": "Versuche eine andere Zeile",
    "row_walk": "Los",
    "row_ends": "Sie endet in: {label}",
    "row_spread": "Sie geht in mehrere Zweige: {shares}",
    "missing": "fehlt",
    "ask_pruning": "Entscheide zuerst:",
    "keep_subtree": "Teilbaum behalten",
    "make_leaf": "zum Blatt machen",
    "right": "Richtig.",
    "right_was": "Nein: {right}.",
    "shown": "Es ist {right}.",
    "not_a_number": "Gib eine Zahl ein, etwa 0,123.",
    "wrong_number": "Nein. Versuche es noch einmal, oder lass es dir zeigen.",
    "mistake": "Nein: Das sieht nach diesem Fehler aus: {mistake}.",
    "or": " oder ",
    "mistake_natural": "natürlicher Logarithmus statt zur Basis 2",
    "mistake_decimal": "Logarithmus zur Basis 10 statt 2",
    "mistake_unweighted": "Zweige nicht mit ihrer Größe gewichtet",
    "mistake_sum": "Unreinheiten der Zweige ohne Gewichte addiert",
    "mistake_remainder": "der Rest, nicht der Gewinn",
    "mistake_whole": "die Unreinheit vor der Teilung, nicht der Gewinn",
    "mistake_sign": "das Vorzeichen",
    "mistake_squares": "die Summe der quadrierten Anteile, nicht eins minus diese",
    "mistake_share": "der Anteil einer Klasse, nicht die Unreinheit",
    "mistake_not_divided": "nicht durch die Zahl der Fälle geteilt",
    "right_pick": "Richtig: {chosen} ist am besten.",
    "tied_pick": "Richtig: gleich gut wie {chosen}.",
    "other_pick": "{chosen} ist besser ({value} gegen {own}).",
    "other_tree": "{pick} zuerst: {leaves} statt {usual}, {errors}.",
    "other_tree_node": "{pick} hier: {leaves} statt {usual}, {errors}.",
    "errors_also_none": "auch keine Fehler",
    "errors_instead": "{errors} statt {usual}",
    "errors_same": "auch {errors}",
    "squares": "quadrierte Fehler {n}",
    "squares_instead": "quadrierte Fehler {own} statt {usual}",
    "keep_tree": "Diesen Baum behalten",
    "first_tree": "Zurück zum ersten Baum",
    "tree_kept": "Behalten: Die folgenden Schritte zeigen diesen Baum.",
    "too_large": "Er ist zu groß, um hier gezeigt zu werden.",
    "too_many": "Er wird hier nicht gezeigt: Diese Seite hat Platz für zehn andere Bäume.",
    "too_deep": "Er wird hier nicht gezeigt: Diese Seite zeigt die Bäume einer einzigen anderen Wahl.",
    "kept_tree": "Das ist der Baum, den du behalten hast ({pick}).",
    "score": "{right} von {n} richtig",
    "score_none": "Keine Frage wurde beantwortet.",
    "score_line_right": "{question}: {given}, richtig",
    "score_line_wrong": "{question}: {given}, aber {right}",
    "score_line_mistake": "{question}: {given} ({mistake}), aber {right}",
    "score_tree": "Dein Baum: {leaves}, {errors}.",
    "question_guess": "Die Vermutung",
    "question_gain": "{name}",
    "question_pick": "Die Frage an {path}",
    "question_row": "Die neue Zeile",
    "question_pruning": "Beschneiden an {path}",
    "sheet": "Blatt {n}",
    "another_sheet": "Ein anderes Blatt",
    "sheet_task": "Rechne von Hand, mit drei Stellen:",
    "sheet_root": "Die Frage an der Wurzel:",
    "sheet_answers": "Antworten",
    "sheet_right": "{right} von {n} richtig",
    "choose": "wähle",
}
