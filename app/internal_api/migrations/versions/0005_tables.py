"""Minds with their training and knowledge, audiences, studies with one row for each answer, and export jobs.

Full text that finds the same in both databases: by mind, without accents, without glued punctuation.

SQLite: the mind's id joins the index, so a search visits one mind's rows and not everybody's.
PostgreSQL: accents are folded as SQLite's tokenizer folds them, and punctuation is taken out, because its
parser would keep `example.com/pricing` or `1.5` as one word. `normalize` demands a database in UTF-8.
"""

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = None

SQLITE_FULL_TEXT = (
    """CREATE VIRTUAL TABLE knowledge_fts USING fts5(
        text, heading, mind_id, content='knowledge_chunks', content_rowid='seq',
        tokenize='porter unicode61 remove_diacritics 2')""",
    """CREATE TRIGGER knowledge_fts_insert AFTER INSERT ON knowledge_chunks BEGIN
        INSERT INTO knowledge_fts(rowid, text, heading, mind_id)
        VALUES (new.seq, new.text, new.heading, new.mind_id);
    END""",
    """CREATE TRIGGER knowledge_fts_delete AFTER DELETE ON knowledge_chunks BEGIN
        INSERT INTO knowledge_fts(knowledge_fts, rowid, text, heading, mind_id)
        VALUES ('delete', old.seq, old.text, old.heading, old.mind_id);
    END""",
    """CREATE TRIGGER knowledge_fts_update AFTER UPDATE ON knowledge_chunks BEGIN
        INSERT INTO knowledge_fts(knowledge_fts, rowid, text, heading, mind_id)
        VALUES ('delete', old.seq, old.text, old.heading, old.mind_id);
        INSERT INTO knowledge_fts(rowid, text, heading, mind_id)
        VALUES (new.seq, new.text, new.heading, new.mind_id);
    END""",
)
# ASCII and Latin-1 punctuation, general punctuation, CJK and full-width punctuation, by code point.
PUNCTUATION = r"[\0001-\002F\003A-\0040\005B-\0060\007B-\00BF\2000-\206F\3000-\303F\FF01-\FF0F\FF1A-\FF20]+"
FOLDED = (
    "normalize(regexp_replace(normalize(coalesce(heading, '') || ' ' || text, NFD), "
    r"U&'[\0300-\036F]', '', 'g'), NFC)"
)
SEARCH = f"to_tsvector('english', regexp_replace({FOLDED}, U&'{PUNCTUATION}', ' ', 'g'))"
POSTGRES_FULL_TEXT = (
    f"ALTER TABLE knowledge_chunks ADD COLUMN search tsvector GENERATED ALWAYS AS ({SEARCH}) STORED",
    "CREATE INDEX knowledge_chunks_search ON knowledge_chunks USING gin (search)",
)


def upgrade() -> None:
    _create_minds()
    _create_training_jobs()
    _create_knowledge()
    _create_studies()
    bind = op.get_bind()
    for statement in SQLITE_FULL_TEXT if bind.dialect.name == "sqlite" else POSTGRES_FULL_TEXT:
        bind.exec_driver_sql(statement)  # the punctuation holds colons, which are not parameters


def _create_minds() -> None:
    op.create_table(
        "minds",
        sa.Column("id", sa.String(36), primary_key=True),
        *_required(sa.String(36), "owner_id"),
        *_required(sa.String(100), "name"),
        *_required(sa.Text, "description", "context", "search_text"),
        *_required(sa.String(16), "type", "mode", "source_policy"),
        *_required(sa.JSON, "tags", "keywords"),
        *_required(sa.Boolean, "is_real_person", "is_link_sharing_enabled"),
        *_required(sa.BigInteger, "created_at", "updated_at"),
        *_optional(sa.String(200), "discipline"),
        *_optional(sa.String(8), "locale"),
        *_optional(sa.String(36), "public_share_id"),
        *_optional(sa.Text, "profile_image_url", "system_prompt"),
        *_optional(sa.JSON, "profile"),
        *_optional(sa.String(128), "idempotency_key"),
        *_optional(sa.String(64), "demo_token_hash", "idempotency_digest"),
        *_optional(sa.BigInteger, "demo_expires_at"),
        sa.UniqueConstraint("owner_id", "idempotency_key", name="minds_idempotency"),
    )
    op.create_index("minds_owner", "minds", ["owner_id", "created_at"])
    op.create_index("minds_demo", "minds", ["demo_expires_at"])


def _create_training_jobs() -> None:
    op.create_table(
        "training_jobs",
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(36), nullable=False, unique=True),
        _mind_id(),
        *_required(sa.String(16), "kind", "status", "stage"),
        *_required(sa.Integer, "progress", "attempt"),
        *_required(sa.BigInteger, "created_at"),
        *_optional(sa.String(36), "item_id"),
        *_optional(sa.Text, "message"),
        *_optional(sa.String(32), "error_code", "error_reason"),
        *_optional(sa.Boolean, "retryable"),
        *_optional(sa.String(64), "lease_owner"),
        *_optional(sa.BigInteger, "lease_until", "started_at", "completed_at"),
    )
    op.create_index("training_jobs_mind", "training_jobs", ["mind_id", "kind", "seq"])
    op.create_index("training_jobs_waiting", "training_jobs", ["status", "seq"])
    # Two facts that no race may break: one job at a time per mind, and one training not yet finished.
    op.execute("CREATE UNIQUE INDEX training_jobs_running ON training_jobs (mind_id) WHERE status = 'running'")
    op.execute(
        "CREATE UNIQUE INDEX training_jobs_unfinished ON training_jobs (mind_id) "
        "WHERE kind = 'training' AND status IN ('queued', 'running')"
    )


def _create_knowledge() -> None:
    op.create_table(
        "knowledge_items",
        sa.Column("id", sa.String(36), primary_key=True),
        _mind_id(),
        *_required(sa.String(16), "source_type", "status"),
        *_required(sa.Text, "description", "title", "source"),
        *_required(sa.String(255), "media_type"),
        *_required(sa.Boolean, "regenerate_prompt", "prompt_regenerated"),
        *_required(sa.Integer, "position"),
        *_required(sa.BigInteger, "created_at", "updated_at"),
        *_optional(sa.Text, "link", "file_path", "error", "text"),
        *_optional(sa.JSON, "pages"),
        *_optional(sa.Boolean, "error_retryable"),
        *_optional(sa.String(32), "error_code"),
    )
    op.create_index("knowledge_items_mind", "knowledge_items", ["mind_id", "position"])
    op.create_table(
        "knowledge_chunks",
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(36), nullable=False, unique=True),
        sa.Column("item_id", sa.String(36), sa.ForeignKey("knowledge_items.id", ondelete="CASCADE"), nullable=False),
        _mind_id(),
        *_required(sa.Integer, "position"),
        *_required(sa.Text, "text"),
        *_optional(sa.Text, "heading"),
        *_optional(sa.Integer, "page"),
        sa.UniqueConstraint("item_id", "position", name="knowledge_chunks_position"),
    )
    op.create_index("knowledge_chunks_mind", "knowledge_chunks", ["mind_id"])


def _required(kind: Any, *names: str) -> "Iterator[sa.Column[Any]]":
    return (sa.Column(name, kind, nullable=False) for name in names)


def _optional(kind: Any, *names: str) -> "Iterator[sa.Column[Any]]":
    return (sa.Column(name, kind) for name in names)


def _mind_id() -> "sa.Column[str]":
    return sa.Column("mind_id", sa.String(36), sa.ForeignKey("minds.id", ondelete="CASCADE"), nullable=False)


def _create_studies() -> None:
    op.create_table(
        "audiences",
        sa.Column("id", sa.String(36), primary_key=True),
        *_required(sa.String(36), "owner_id"),
        *_required(sa.String(200), "name"),
        *_required(sa.Boolean, "is_link_sharing_enabled"),
        *_required(sa.BigInteger, "created_at", "updated_at"),
        *_optional(sa.String(36), "public_share_id"),
        *_optional(sa.String(128), "idempotency_key"),
        *_optional(sa.String(64), "idempotency_digest"),
        sa.UniqueConstraint("owner_id", "idempotency_key", name="audiences_idempotency"),
    )
    op.create_index("audiences_owner", "audiences", ["owner_id", "created_at"])
    op.create_table(
        "studies",
        sa.Column("id", sa.String(36), primary_key=True),
        *_required(sa.String(36), "owner_id"),
        *_required(sa.String(200), "name"),
        *_required(sa.Boolean, "is_link_sharing_enabled"),
        *_required(sa.BigInteger, "created_at", "updated_at"),
        *_optional(sa.String(36), "public_share_id"),
    )
    op.create_index("studies_owner", "studies", ["owner_id", "updated_at"])
    op.create_table(
        "audience_members",
        *_required(sa.String(36), "audience_id", "mind_id"),
        *_required(sa.Integer, "position"),
        sa.ForeignKeyConstraint(["audience_id"], ["audiences.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["mind_id"], ["minds.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("audience_id", "mind_id"),
    )
    op.create_index("audience_members_mind", "audience_members", ["mind_id"])
    op.create_table(
        "export_jobs",
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(36), nullable=False, unique=True),
        *_required(sa.String(36), "study_id"),
        *_required(sa.String(32), "kind"),
        *_required(sa.String(8), "format"),
        *_required(sa.String(16), "length", "status"),
        *_required(sa.Integer, "progress", "attempt"),
        *_required(sa.String(64), "source_version"),
        *_required(sa.BigInteger, "created_at"),
        *_optional(sa.String(32), "error_code"),
        *_optional(sa.String(200), "file_name"),
        *_optional(sa.String(100), "media_type"),
        *_optional(sa.LargeBinary, "content"),
        *_optional(sa.String(64), "lease_owner"),
        *_optional(sa.BigInteger, "lease_until", "completed_at"),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], ondelete="CASCADE"),
    )
    op.create_index("export_jobs_study", "export_jobs", ["study_id", "kind", "format", "seq"])
    op.create_index("export_jobs_waiting", "export_jobs", ["status", "seq"])
    op.create_table(
        "questions",
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(36), nullable=False, unique=True),
        *_required(sa.String(36), "study_id", "owner_id", "question_message_id", "answer_message_id"),
        *_required(sa.Text, "text", "context"),
        *_required(sa.String(16), "type", "response_form", "history_mode", "status"),
        *_required(sa.JSON, "options"),
        *_required(sa.Integer, "attempt"),
        *_required(sa.BigInteger, "created_at"),
        *_optional(sa.Integer, "scale_low", "scale_high", "most"),
        *_optional(sa.String(16), "source_policy"),
        *_optional(sa.String(36), "client_request_id"),
        *_optional(sa.String(32), "error_code"),
        *_optional(sa.String(200), "engine"),
        *_optional(sa.String(64), "lease_owner"),
        *_optional(sa.BigInteger, "lease_until", "started_at", "completed_at"),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], ondelete="CASCADE"),
        sa.UniqueConstraint("study_id", "client_request_id", name="questions_request"),
    )
    op.create_index("questions_study", "questions", ["study_id", "seq"])
    op.create_index("questions_waiting", "questions", ["status", "seq"])
    op.create_table(
        "study_audiences",
        *_required(sa.String(36), "study_id", "audience_id"),
        *_required(sa.Integer, "position"),
        sa.ForeignKeyConstraint(["audience_id"], ["audiences.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("study_id", "audience_id"),
    )
    op.create_index("study_audiences_audience", "study_audiences", ["audience_id"])
    op.create_table(
        "answers",
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(36), nullable=False, unique=True),
        *_required(sa.String(36), "question_id", "mind_id", "audience_id"),
        *_required(sa.Integer, "position"),
        *_required(sa.String(100), "mind_name"),
        *_required(sa.String(200), "audience_name"),
        *_required(sa.String(16), "status"),
        *_optional(sa.String(200), "discipline", "engine"),
        *_optional(sa.Text, "profile_image_url", "value", "raw_value", "message"),
        *_optional(sa.Float, "sentiment"),
        *_optional(sa.String(32), "origin", "error_code"),
        *_optional(sa.Boolean, "unsupported"),
        *_optional(sa.Integer, "chunks_found"),
        *_optional(sa.JSON, "citations"),
        *_optional(sa.BigInteger, "answered_at"),
        sa.ForeignKeyConstraint(["question_id"], ["questions.id"], ondelete="CASCADE"),
        sa.UniqueConstraint("question_id", "audience_id", "mind_id", name="answers_membership"),
    )
    op.create_index("answers_question", "answers", ["question_id", "status"])
