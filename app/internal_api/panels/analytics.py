"""The statistics of a whole study in the contract's flat shape, computed from the results of its questions. Pure."""

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

from pydantic import Field

from app.internal_api.models.outputs import AudienceOutput, QuestionType, StudyOutputData
from app.internal_api.models.wire import ResponseModel, absent
from app.internal_api.panels.values import dominant, one, point, several


class ScaleGroupStats(ResponseModel):
    """`consensus` is 1 where all chose the same point, and 0 where half chose either end of the scale."""

    group: str
    mean: float
    consensus: float | None


class ScaleStats(ResponseModel):
    """Of everyone who answered, each persona once; `range` is the lowest and the highest answer."""

    overall_mean: float
    overall_median: float
    overall_sigma: float | None
    range: list[float]
    group_ranking: list[str]
    group_stats: list[ScaleGroupStats]


class CategoricalGroupStats(ResponseModel):
    group: str
    dominant: str
    dominance_ratio: float
    unanimous: bool


class CategoricalStats(ResponseModel):
    """`divergence_score` is how far apart the groups choose: 0 where all choose alike, 1 where none do."""

    dominant_category: str
    dominance_ratio: float
    divergence_score: float
    group_stats: list[CategoricalGroupStats]


class QualitativeGroupStats(ResponseModel):
    """`diversity_index` is the chance that two mentions drawn at random are of different themes."""

    group: str
    dominant: str
    diversity_index: float


class QualitativeStats(ResponseModel):
    """`shared_themes` are those that every group speaks of; of one group there is nothing to share."""

    unique_categories: int
    shared_themes: list[str]
    group_stats: list[QualitativeGroupStats]


class QuestionStats(ResponseModel):
    """That of the question's type; none while nobody has answered."""

    scale: ScaleStats | None = Field(default=None, exclude_if=absent)
    categorical: CategoricalStats | None = Field(default=None, exclude_if=absent)
    qualitative: QualitativeStats | None = Field(default=None, exclude_if=absent)


class QuestionAnalytics(ResponseModel):
    title: str
    type: QuestionType
    stats: QuestionStats


class RankedScale(ResponseModel):
    title: str
    mean: float
    sigma: float | None


class StudyAnalytics(ResponseModel):
    """Groups without an answer that counts are left out of a question's figures."""

    panel_name: str
    total_groups: int
    total_sparks: int
    total_questions: int
    total_data_points: int
    questions: list[QuestionAnalytics]
    scale_question_ranking: list[RankedScale]


def study_analytics(name: str, groups: int, minds: int, results: Sequence[StudyOutputData]) -> StudyAnalytics:
    """`groups` and `minds` are those of the study today; a data point is an answer that counts."""
    questions = [question_analytics(result) for result in results]
    scales = [(question.title, question.stats.scale) for question in questions]
    ranked = [RankedScale(title=title, mean=of.overall_mean, sigma=of.overall_sigma) for title, of in scales if of]
    return StudyAnalytics(
        panel_name=name,
        total_groups=groups,
        total_sparks=minds,
        total_questions=len(results),
        total_data_points=sum(group.n for result in results for group in result.audiences),
        questions=questions,
        scale_question_ranking=sorted(ranked, key=lambda each: -each.mean),
    )


def question_analytics(result: StudyOutputData) -> QuestionAnalytics:
    """The statistics that the question's type has; several options are counted as one is."""
    groups = [group for group in result.audiences if group.n]
    kind = "categorical" if result.type == "multiselect" else result.type
    figures = {"scale": _scale, "categorical": _categorical, "qualitative": _qualitative}[kind]
    stats = QuestionStats.model_validate({kind: figures(result, groups)} if groups else {})
    return QuestionAnalytics(title=result.title, type=result.type, stats=stats)


def _scale(result: StudyOutputData, groups: Sequence[AudienceOutput]) -> ScaleStats:
    limits = result.classification.scale_range
    scale = (limits[0], limits[1]) if limits else None
    given = [
        {mind.mind_id: number for mind in group.answers if (number := point(mind.value, scale)) is not None}
        for group in groups
    ]
    # A persona that is in two groups answered twice, and is one voice among all.
    everyone = list({mind: number for numbers in reversed(given) for mind, number in numbers.items()}.values())
    stats = [
        ScaleGroupStats(
            group=group.audience,
            mean=statistics.fmean(numbers.values()),
            consensus=consensus([*numbers.values()], scale),
        )
        for group, numbers in zip(groups, given, strict=True)
    ]
    return ScaleStats(
        overall_mean=statistics.fmean(everyone),
        overall_median=statistics.median(everyone),
        overall_sigma=statistics.stdev(everyone) if len(everyone) > 1 else None,
        range=[min(everyone), max(everyone)],
        group_ranking=[each.group for each in sorted(stats, key=lambda each: -each.mean)],
        group_stats=stats,
    )


def _categorical(result: StudyOutputData, groups: Sequence[AudienceOutput]) -> CategoricalStats:
    read, options = one if result.type == "categorical" else several, result.classification.options or ()
    everyone: Mapping[str, tuple[str, ...]] = {
        answer.mind_id: values
        for group in reversed(groups)
        for answer in group.answers
        if answer.status == "answered" and (values := read(answer.value, options)) is not None
    }
    counts = Counter(value for values in everyone.values() for value in values)
    top = max(counts.values(), default=0)
    stats = [
        CategoricalGroupStats(
            group=group.audience,
            dominant=dominant(group.distribution),
            dominance_ratio=max(chosen.values(), default=0) / group.n,
            unanimous=all(count == group.n for count in chosen.values()),
        )
        for group, chosen in ((group, _counts(group)) for group in groups)
    ]
    return CategoricalStats(
        dominant_category=" / ".join(option for option in options if top and counts[option] == top),
        dominance_ratio=top / len(everyone),
        divergence_score=divergence([_counts(group) for group in groups]),
        group_stats=stats,
    )


def _qualitative(result: StudyOutputData, groups: Sequence[AudienceOutput]) -> QualitativeStats:
    counts = [_counts(group) for group in groups]
    shared = set.intersection(*map(set, counts)) if len(counts) > 1 else set()
    stats = [
        QualitativeGroupStats(
            group=group.audience,
            dominant=dominant(group.distribution),
            diversity_index=diversity([*named.values()]),
        )
        for group, named in zip(groups, counts, strict=True)
    ]
    labels = [category.label for category in result.category_codebook]
    return QualitativeStats(
        unique_categories=len(labels),
        shared_themes=[label for label in labels if label in shared],
        group_stats=stats,
    )


def _counts(group: AudienceOutput) -> Mapping[str, int]:
    return {share.value: share.count for share in group.distribution if share.count}


def consensus(numbers: Sequence[int], scale: tuple[int, int] | None) -> float | None:
    """1 less the deviation as a part of the largest there can be; None where the scale is not known."""
    if not numbers or scale is None or scale[0] >= scale[1]:
        return None
    return max(0.0, 1 - statistics.pstdev(numbers) / ((scale[1] - scale[0]) / 2))


def diversity(counts: Sequence[int]) -> float:
    """Simpson's index: the chance that two mentions, drawn with replacement, are of different values."""
    total = sum(counts)
    return 1 - sum((count / total) ** 2 for count in counts) if total else 0.0


def divergence(groups: Sequence[Mapping[str, int]]) -> float:
    """The total variation distance between the distributions of two groups, as the mean over all pairs."""
    distributions = [
        {value: count / sum(group.values()) for value, count in group.items()}
        for group in groups
        if any(group.values())
    ]
    distances = [
        sum(abs(left.get(value, 0) - right.get(value, 0)) for value in left.keys() | right.keys()) / 2
        for left, right in combinations(distributions, 2)
    ]
    return statistics.fmean(distances) if distances else 0.0
