"""The figures of a whole study, in the flat shape of the contract."""

from pydantic import Field

from app.internal_api.models.outputs import QuestionType
from app.internal_api.models.wire import ResponseModel, absent


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
