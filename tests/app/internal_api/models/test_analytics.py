"""The figures of a question are those of its type alone."""

from app.internal_api.models.analytics import QuestionStats, ScaleStats


def test_figures_of_other_types_are_left_out() -> None:
    scale = ScaleStats(
        overall_mean=1, overall_median=1, overall_sigma=None, range=[1, 1], group_ranking=[], group_stats=[]
    )

    assert set(QuestionStats(scale=scale).model_dump(mode="json", by_alias=True)) == {"scale"}
    assert QuestionStats().model_dump(mode="json", by_alias=True) == {}
