"""The statistics of a study are those of its answers, each persona once among all."""

import pytest

from app.internal_api.panels.analytics import consensus, divergence, diversity, question_analytics, study_analytics
from app.internal_api.panels.output import study_output
from tests.app.internal_api.panels.rows import answer, answers, both_groups, question


def test_a_scale_is_told_as_the_contract_tells_it() -> None:
    result = study_output(question("scale", text="How likely?"), both_groups(["5", "5", None], ["1", "3", "9"]))

    assert question_analytics(result).model_dump(mode="json", by_alias=True) == {
        "title": "How likely?",
        "type": "scale",
        "stats": {
            "scale": {
                "overallMean": 3.5,
                "overallMedian": 4.0,
                "overallSigma": pytest.approx(1.9149, abs=1e-4),
                "range": [1.0, 5.0],
                "groupRanking": ["Gen Z", "Parents"],
                "groupStats": [
                    {"group": "Gen Z", "mean": 5.0, "consensus": 1.0},
                    {"group": "Parents", "mean": 2.0, "consensus": 0.5},
                ],
            }
        },
    }


def test_options_are_told_with_their_ties_and_distances() -> None:
    result = study_output(question("categorical"), both_groups(["Red", "Red"], ["Blue", "Blue"]))

    found = question_analytics(result).stats.categorical

    assert found is not None
    assert (found.dominant_category, found.dominance_ratio, found.divergence_score) == ("Red / Blue", 0.5, 1)
    assert [(group.dominant, group.dominance_ratio, group.unanimous) for group in found.group_stats] == [
        ("Red", 1, True),
        ("Blue", 1, True),
    ]


def test_who_chose_nothing_lowers_the_shares_of_what_was_chosen() -> None:
    chosen = question_analytics(study_output(question("multiselect"), answers("Red", "None"))).stats.categorical
    nothing = question_analytics(study_output(question("multiselect"), answers("None"))).stats.categorical

    assert chosen is not None
    assert (chosen.dominant_category, chosen.dominance_ratio) == ("Red", 0.5)
    assert nothing is not None
    assert (nothing.dominant_category, nothing.dominance_ratio, nothing.group_stats[0].dominant) == ("", 0, "")


def test_themes_are_shared_where_every_group_speaks_of_them() -> None:
    result = study_output(question(), both_groups(["Price", "Speed"], ["prices"]))

    found = question_analytics(result).stats.qualitative

    assert found is not None
    assert (found.unique_categories, found.shared_themes) == (2, ["Price"])
    assert [(group.group, group.dominant, group.diversity_index) for group in found.group_stats] == [
        ("Gen Z", "Price / Speed", 0.5),
        ("Parents", "Price", 0),
    ]


def test_a_persona_in_two_groups_is_one_voice_among_all() -> None:
    twice = [answer("5"), answer("5", position=1, group="Parents", mind_id=answer().mind_id), answer("1", position=2)]

    found = question_analytics(study_output(question("scale"), twice)).stats.scale

    assert found is not None
    assert (found.overall_mean, [group.mean for group in found.group_stats]) == (3, [3, 5])


def test_scales_are_ranked_by_their_means_and_data_points_are_answers_that_count() -> None:
    results = [
        study_output(question("scale", text="low"), answers("1", "2")),
        study_output(question("scale", text="none"), answers(None)),
        study_output(question("scale", text="high"), answers("5", "junk")),
        study_output(question("qualitative"), answers("Price", "")),
    ]

    found = study_analytics("Pricing", 1, 2, results)

    assert [ranked.title for ranked in found.scale_question_ranking] == ["high", "low"]
    assert (found.panel_name, found.total_groups, found.total_sparks) == ("Pricing", 1, 2)
    assert (found.total_questions, found.total_data_points) == (4, 5)


def test_agreement_and_distance_are_between_none_and_one() -> None:
    assert [consensus(given, (1, 5)) for given in ([3, 3, 3], [1, 5, 1, 5], [])] == [1, 0, None]
    assert consensus([3], None) is None
    assert [diversity(counts) for counts in ([7], [2, 2, 2, 2], [])] == [0, 0.75, 0]
    assert divergence([{"a": 3}, {"b": 1}]) == 1
    assert divergence([{"a": 1, "b": 1}, {"a": 5, "b": 5}]) == 0
    assert divergence([{"a": 1}]) == 0
