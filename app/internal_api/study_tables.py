"""The tables of audiences, studies, their questions and answers, and exports. Times are epoch milliseconds in UTC."""

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from app.internal_api.tables import lease_columns, metadata

audiences = Table(
    "audiences",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("owner_id", String(36), nullable=False),
    Column("name", String(200), nullable=False),
    Column("is_link_sharing_enabled", Boolean, nullable=False),
    Column("public_share_id", String(36)),
    Column("idempotency_key", String(128)),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("idempotency_digest", String(64)),  # of the body that came with the key
    UniqueConstraint("owner_id", "idempotency_key", name="audiences_idempotency"),
)
Index("audiences_owner", audiences.c.owner_id, audiences.c.created_at)

audience_members = Table(
    "audience_members",
    metadata,
    Column("audience_id", String(36), ForeignKey("audiences.id", ondelete="CASCADE"), primary_key=True),
    Column("mind_id", String(36), ForeignKey("minds.id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, nullable=False),
)
Index("audience_members_mind", audience_members.c.mind_id)

studies = Table(
    "studies",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("owner_id", String(36), nullable=False),
    Column("name", String(200), nullable=False),
    Column("is_link_sharing_enabled", Boolean, nullable=False),
    Column("public_share_id", String(36)),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
)
Index("studies_owner", studies.c.owner_id, studies.c.updated_at)

study_audiences = Table(
    "study_audiences",
    metadata,
    Column("study_id", String(36), ForeignKey("studies.id", ondelete="CASCADE"), primary_key=True),
    Column("audience_id", String(36), ForeignKey("audiences.id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, nullable=False),
)
Index("study_audiences_audience", study_audiences.c.audience_id)

questions = Table(
    "questions",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),  # the order in which they were asked
    Column("id", String(36), nullable=False, unique=True),  # the contract's questionBlockId
    Column("study_id", String(36), ForeignKey("studies.id", ondelete="CASCADE"), nullable=False),
    Column("owner_id", String(36), nullable=False),
    Column("question_message_id", String(36), nullable=False),
    Column("answer_message_id", String(36), nullable=False),
    Column("text", Text, nullable=False),
    Column("type", String(16), nullable=False),  # scale | categorical | multiselect | qualitative
    Column("scale_low", Integer),
    Column("scale_high", Integer),
    Column("options", JSON, nullable=False),
    Column("most", Integer),
    Column("response_form", String(16), nullable=False),
    Column("history_mode", String(16), nullable=False),
    Column("source_policy", String(16)),
    Column("context", Text, nullable=False),  # text of attachments and links, read once
    Column("client_request_id", String(36)),
    Column("status", String(16), nullable=False),  # queued | running | completed | failed
    Column("error_code", String(32)),
    Column("engine", String(200)),
    *lease_columns(),
    Column("created_at", BigInteger, nullable=False),
    Column("started_at", BigInteger),
    Column("completed_at", BigInteger),
    UniqueConstraint("study_id", "client_request_id", name="questions_request"),
)
Index("questions_study", questions.c.study_id, questions.c.seq)
Index("questions_waiting", questions.c.status, questions.c.seq)

# One row for each persona in each group that was asked, made when the question is: names and membership are those of
# that moment for ever, so there is no foreign key to minds or audiences.
answers = Table(
    "answers",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("id", String(36), nullable=False, unique=True),
    Column("question_id", String(36), ForeignKey("questions.id", ondelete="CASCADE"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("mind_id", String(36), nullable=False),
    Column("mind_name", String(100), nullable=False),
    Column("discipline", String(200)),
    Column("profile_image_url", Text),
    Column("audience_id", String(36), nullable=False),
    Column("audience_name", String(200), nullable=False),
    Column("status", String(16), nullable=False),  # pending | answered | failed | timeout
    Column("value", Text),
    Column("raw_value", Text),
    Column("message", Text),
    Column("sentiment", Float),
    Column("origin", String(32)),
    Column("unsupported", Boolean),
    Column("chunks_found", Integer),
    Column("citations", JSON),  # of each passage: id, title, source, link, page, snippet, similarity
    Column("engine", String(200)),
    Column("error_code", String(32)),
    Column("answered_at", BigInteger),
    UniqueConstraint("question_id", "audience_id", "mind_id", name="answers_membership"),
)
Index("answers_question", answers.c.question_id, answers.c.status)

export_jobs = Table(
    "export_jobs",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("id", String(36), nullable=False, unique=True),
    Column("study_id", String(36), ForeignKey("studies.id", ondelete="CASCADE"), nullable=False),
    Column("kind", String(32), nullable=False),
    Column("format", String(8), nullable=False),
    Column("length", String(16), nullable=False),
    Column("status", String(16), nullable=False),  # queued | running | completed | failed
    Column("progress", Integer, nullable=False),
    Column("error_code", String(32)),
    Column("file_name", String(200)),
    Column("media_type", String(100)),
    Column("content", LargeBinary),
    Column("source_version", String(64), nullable=False),  # changes with every answer of the study
    *lease_columns(),
    Column("created_at", BigInteger, nullable=False),
    Column("completed_at", BigInteger),
)
Index("export_jobs_study", export_jobs.c.study_id, export_jobs.c.kind, export_jobs.c.format, export_jobs.c.seq)
Index("export_jobs_waiting", export_jobs.c.status, export_jobs.c.seq)
