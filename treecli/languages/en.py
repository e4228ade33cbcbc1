"""English."""

from __future__ import annotations

TEXTS = {
    # The page
    "title": "How a decision tree learns: {data}",
    "facts": "{n} rows, {attributes} attributes; predicts {target}",
    "made_by": "Made by {program}.",
    "step_of": "Step {step} of {n}",
    "back": "Back",
    "next": "Next",
    "dark": "Dark",
    "steps": "Steps",
    "keys": "Keys: ← and →. On a touch screen: swipe.",
    "classes": "Classes",
    "cards_label": "Rows",
    "tree_label": "Tree",
    "lines_label": "Arithmetic",
    "bars_label": "Candidates",
    "without_script": "Without JavaScript the steps stand below each other, without questions.",
    "row": "row {n}",
    "cases_one": "{n} case",
    "cases_many": "{n} cases",
    "leaves_one": "{n} leaf",
    "leaves_many": "{n} leaves",
    "errors_none": "no errors",
    "errors_one": "{n} error",
    "errors_many": "{n} errors",
    "mean": "mean {mean}",
    "unknown": "unknown",
    "counts_order": "Numbers in brackets count the classes in the order {labels}.",
    # Titles of steps
    "title_data": "The data",
    "title_impurity": "How mixed are they?",
    "title_attribute": "Ask for {split}",
    "title_choice": "Which question is best?",
    "title_growth": "The tree grows",
    "title_node": "The next node: {path}",
    "title_row": "A new row walks down",
    "title_rules": "Every path is a rule",
    "title_luck": "Was it luck?",
    "title_pruning": "Should it be pruned?",
    "title_score": "What you know now",
    "title_end": "More to work out",
    # What a step says
    "say_data": "{cases}: {counts}. Each card is a row. The tree may ask for one attribute at a time.",
    "say_data_counts": "{cases}: {counts}. There are too many for cards, so groups are shown as counts.",
    "say_data_numeric": (
        "{cases}, with a mean of {mean}. Each card is a row. The tree may ask for one attribute at a time."
    ),
    "say_data_numeric_counts": (
        "{cases}, with a mean of {mean}. There are too many for cards, so groups are shown as counts."
    ),
    "say_entropy": (
        "Entropy measures how mixed the classes are: 0 if all cases are of one class, 1 bit if two classes "
        "are equally frequent. With {share} {label} it is {value}."
    ),
    "say_gini": (
        "The Gini index measures how mixed the classes are: 0 if all cases are of one class, ½ if two "
        "classes are equally frequent. With {share} {label} it is {value}."
    ),
    "say_error": "If we always predicted {label}, {value} of the cases would be wrong.",
    "say_numbers": (
        "Predict one number for all cases: the squared errors are least at the mean, {mean}, where they add "
        "up to {value}."
    ),
    "say_deviation": "Predict one number for all cases, the mean {mean}: the standard deviation around it is {value}.",
    "curve_axis": "share of {label}",
    "curve_axis_numbers": "prediction for all cases",
    "curve_hint": "Drag the dot, or use the arrow keys on it.",
    "curve_value": "{x} → {y}",
    "say_attribute": (
        "{split} divides the cases into {n} branches. What is left of the disorder, weighted by the size of "
        "the branches, is {remainder}; the gain is {gain}."
    ),
    "say_no_split": "{split} does not divide the cases: no gain.",
    "say_choice": "{chosen} is best: {value}.",
    "say_choice_next": "{chosen} is best: {value}; next is {next} with {next_value}.",
    "say_tie": "{chosen} and {next} tie at {value}; the first column wins.",
    "say_growth": "The root asks for {chosen}. Pure branches become leaves: {n_pure} of {n}.",
    "say_leaf_root": "No split is allowed: the tree is a single leaf.",
    "say_node": "{cases}: {counts}. The same arithmetic again, for these cases only.",
    "say_node_numeric": "{cases}, mean {mean}. The same arithmetic again, for these cases only.",
    "say_more_nodes_one": "One more node is split in the same way.",
    "say_more_nodes_many": "{n} more nodes are split in the same way.",
    "say_no_more_nodes": "No node is left to split: every branch ends in a leaf.",
    "say_tie_irrelevant": "{names} tie at {value}, which does not matter here.",
    "say_row": (
        "A row that the tree has not seen: {row}. It answers the questions from the root on, and ends in a "
        "leaf: {prediction}."
    ),
    "say_row_seen": (
        "A row walks down: {row}. It answers the questions from the root on, and ends in a leaf: {prediction}."
    ),
    "say_rules": "Read every path from the root to a leaf as a rule. Point at a rule to light its path and its cases.",
    "say_luck": (
        "The same rows drawn again at random, with replacement, {n} times, and a tree grown from each "
        "sample: this is the question at the root."
    ),
    "say_luck_alone": "All {n} trees ask for {best} first: it was no luck.",
    "say_luck_best": "{best} is first in {share} of the trees: another sample could well have given another tree.",
    "say_luck_clear": "{best} is first in {share} of the trees.",
    "no_split": "no split",
    "say_pruning": (
        "A leaf makes more errors on the training cases, but fewer leaves fit less noise. {method} compares "
        "each subtree with a leaf in its place, from the bottom up."
    ),
    "pruned_none": "Nothing is pruned: {leaves}.",
    "pruned_some": "After pruning the tree has {after} instead of {before}.",
    "pruning_value_pessimistic": "expected errors {subtree} as a subtree, {leaf} as a leaf",
    "pruning_value": "{subtree} as a subtree, {leaf} as a leaf",
    "pruning_words": (
        "subtree=subtree|leaf=leaf|errors expected=errors expected|for the attribute=for the attribute|for "
        "the split=for the split|bits=bits"
    ),
    "kept": "kept",
    "replaced": "replaced by a leaf {label}",
    "say_score": "Your answers, and then a sheet with other numbers.",
    "say_end": "The tree has {leaves} and {errors} on its own training cases. Below is a sheet with other numbers.",
    "say_end_numeric": (
        "The tree has {leaves}; its squared errors are {before} before the first split and {after} at the "
        "leaves. Below is a sheet with other numbers."
    ),
    # The trace's lines
    "pure": "pure",
    "rounded": "from unrounded numbers; the rounded ones give {text}",
    "unknown_branch": "unknown counts as a branch",
    "line_unknown": (
        "{attribute} is unknown for {missing} of {n} cases: gain from the {known} known ones, times {known}/{n}"
    ),
    "line_shares": "below the node such a case goes everywhere: {shares} of it",
    "line_chosen": "⇒ split on {split}: {symbol} {value}",
    "line_leaf": "⇒ a leaf {label}",
    "line_open": "still mixed",
    "line_average": "Average gain {value}: a ratio counts only from a gain of at least that, less 0.001",
    "line_passed": "{split}: gain {gain}, passed over",
    "line_others": "not spelled out: {names}",
    "line_threshold": "{way}  {counts}  gain {gain}",
    "line_more_one": "and one more, not better",
    "line_more_many": "and {n} more, none of them better",
    "line_best": "best",
    "line_estimate": "U(errors, cases): an upper limit of the share of errors, confidence {confidence}",
    "why_one-branch": "all cases here have the same value",
    "why_too-small": "no split leaves enough cases in two branches",
    "why_missing": "missing in all cases here",
    "why_too-little": "it gains too little",
    "why_not-significant": "not significant",
    "why_below-average": "below average",
    # For screen readers
    "hear_groups": "Groups: {groups}.",
    "hear_group": "{label}: {counts}",
    "hear_candidates": "Candidates: {candidates}.",
    "hear_tree": "The tree so far: {tree}.",
    "hear_tree_open": "{path}: open",
    "hear_tree_leaf": "{path}: {label}",
    "hear_tree_asks": "{path}: asks for {attribute}",
    "all_cases": "all cases",
    "hear_curve": "A curve over the {axis}, from 0 to 1; the data are at {x}, where it is {y}.",
    "hear_parabola": "A parabola over the {axis}; the data are at {x}, where it is {y}.",
    # Questions
    "ask_guess": "Your guess: which question is best?",
    "noted": "Noted. You will see in step {step}.",
    "your_guess": "your guess",
    "ask_gain": "Work it out: {name} =",
    "check": "Check",
    "show": "Show it",
    "ask_pick": "Pick a question. Another pick grows another tree.",
    "criterion": "Measure",
    "criterion_gain": "gain",
    "criterion_gainratio": "gain ratio",
    "criterion_gini": "Gini",
    "criterion_error": "error",
    "criterion_variance": "variance",
    "criterion_sdr": "standard deviation",
    "ask_row": "What does the tree predict?",
    "row_form": "Try another row",
    "row_walk": "Walk",
    "row_ends": "It ends in: {label}",
    "row_spread": "It goes down several branches: {shares}",
    "missing": "missing",
    "ask_pruning": "Decide first:",
    "keep_subtree": "keep the subtree",
    "make_leaf": "make it a leaf",
    "right": "Right.",
    "right_was": "No: {right}.",
    "shown": "It is {right}.",
    "not_a_number": "Type a number, such as 0.123.",
    "wrong_number": "No. Try again, or have it shown.",
    "mistake": "No: that looks like this mistake: {mistake}.",
    "or": " or ",
    "mistake_natural": "natural logarithm instead of base 2",
    "mistake_decimal": "logarithm to base 10 instead of 2",
    "mistake_unweighted": "branches not weighted by their size",
    "mistake_sum": "impurities of the branches added up without weights",
    "mistake_remainder": "the remainder, not the gain",
    "mistake_whole": "the impurity before the split, not the gain",
    "mistake_sign": "the sign",
    "mistake_squares": "the sum of squared shares, not one minus it",
    "mistake_share": "the share of a class, not the impurity",
    "mistake_not_divided": "not divided by the number of cases",
    "right_pick": "Right: {chosen} is best.",
    "tied_pick": "Right: it ties with {chosen}.",
    "other_pick": "{chosen} is better ({value} against {own}).",
    "other_tree": "{pick} first: {leaves} instead of {usual}, {errors}.",
    "other_tree_node": "{pick} here: {leaves} instead of {usual}, {errors}.",
    "errors_also_none": "also no errors",
    "errors_instead": "{errors} instead of {usual}",
    "errors_same": "also {errors}",
    "squares": "squared errors {n}",
    "squares_instead": "squared errors {own} instead of {usual}",
    "keep_tree": "Keep this tree",
    "first_tree": "Back to the first tree",
    "tree_kept": "Kept: the following steps use this tree.",
    "too_large": "It is too large to be shown here.",
    "too_many": "It is not shown here: this page has room for ten other trees.",
    "too_deep": "It is not shown here: this page shows the trees of one other pick.",
    "kept_tree": "This is the tree that you kept ({pick}).",
    # Score
    "score": "{right} of {n} right",
    "score_none": "No question was answered.",
    "score_line_right": "{question}: {given}, right",
    "score_line_wrong": "{question}: {given}, but {right}",
    "score_line_mistake": "{question}: {given} ({mistake}), but {right}",
    "score_tree": "Your tree: {leaves}, {errors}.",
    "question_guess": "The guess",
    "question_gain": "{name}",
    "question_pick": "The question at {path}",
    "question_row": "The new row",
    "question_pruning": "Pruning at {path}",
    "sheet": "Sheet {n}",
    "another_sheet": "Another sheet",
    "sheet_task": "Work out by hand, with three digits:",
    "sheet_root": "The question at the root:",
    "sheet_answers": "Answers",
    "sheet_right": "{right} of {n} right",
    "choose": "choose",
}
