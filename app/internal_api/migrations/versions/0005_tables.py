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

ADDED = "INSERT INTO knowledge_fts(rowid, text, heading, mind_id) VALUES (new.seq, new.text, new.heading, new.mind_id);"
TAKEN_OUT = (
    "INSERT INTO knowledge_fts(knowledge_fts, rowid, text, heading, mind_id)"
    " VALUES ('delete', old.seq, old.text, old.heading, old.mind_id);"
)
SQLITE_FULL_TEXT = (
    """CREATE VIRTUAL TABLE knowledge_fts USING fts5(
        text, heading, mind_id, content='knowledge_chunks', content_rowid='seq',
        tokenize='porter unicode61 remove_diacritics 2')""",
    f"CREATE TRIGGER knowledge_fts_insert AFTER INSERT ON knowledge_chunks BEGIN {ADDED} END",
    f"CREATE TRIGGER knowledge_fts_delete AFTER DELETE ON knowledge_chunks BEGIN {TAKEN_OUT} END",
    f"CREATE TRIGGER knowledge_fts_update AFTER UPDATE ON knowledge_chunks BEGIN {TAKEN_OUT} {ADDED} END",
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
        *_owned(100),
        *_required(sa.Text, "description", "context", "search_text"),
        *_required(sa.String(16), "type", "mode", "source_policy"),
        *_required(sa.JSON, "tags", "keywords"),
        *_required(sa.Boolean, "is_real_person"),
        *_optional(sa.String(200), "discipline"),
        *_optional(sa.String(8), "locale"),
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
        *_job(),
        _part_of("minds", "mind_id"),
        *_required(sa.String(16), "kind", "stage"),
        *_required(sa.Integer, "progress"),
        *_optional(sa.String(36), "item_id"),
        *_optional(sa.Text, "message"),
        *_optional(sa.String(32), "error_reason"),
        *_optional(sa.Boolean, "retryable"),
        *_optional(sa.BigInteger, "started_at"),
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
        _part_of("minds", "mind_id"),
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
        *_numbered(),
        _part_of("knowledge_items", "item_id"),
        _part_of("minds", "mind_id"),
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


def _part_of(whole: str, name: str) -> "sa.Column[str]":
    """What goes with the row that it belongs to."""
    return sa.Column(name, sa.String(36), sa.ForeignKey(f"{whole}.id", ondelete="CASCADE"), nullable=False)


def _numbered() -> "Iterator[sa.Column[Any]]":
    yield sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True)
    yield sa.Column("id", sa.String(36), nullable=False, unique=True)


def _job() -> "Iterator[sa.Column[Any]]":
    yield from _numbered()
    yield from _required(sa.String(16), "status")
    yield from _required(sa.Integer, "attempt")
    yield from _required(sa.BigInteger, "created_at")
    yield from _optional(sa.String(32), "error_code")
    yield from _optional(sa.String(64), "lease_owner")
    yield from _optional(sa.BigInteger, "lease_until", "completed_at")


def _owned(longest_name: int) -> "Iterator[sa.Column[Any]]":
    yield sa.Column("id", sa.String(36), primary_key=True)
    yield from _required(sa.String(36), "owner_id")
    yield from _required(sa.String(longest_name), "name")
    yield from _required(sa.Boolean, "is_link_sharing_enabled")
    yield from _required(sa.BigInteger, "created_at", "updated_at")
    yield from _optional(sa.String(36), "public_share_id")


def _create_studies() -> None:
    op.create_table(
        "audiences",
        *_owned(200),
        *_optional(sa.String(128), "idempotency_key"),
        *_optional(sa.String(64), "idempotency_digest"),
        sa.UniqueConstraint("owner_id", "idempotency_key", name="audiences_idempotency"),
    )
    op.create_index("audiences_owner", "audiences", ["owner_id", "created_at"])
    op.create_table("studies", *_owned(200))
    op.create_index("studies_owner", "studies", ["owner_id", "updated_at"])
    op.create_table(
        "audience_members",
        _part_of("audiences", "audience_id"),
        _part_of("minds", "mind_id"),
        *_required(sa.Integer, "position"),
        sa.PrimaryKeyConstraint("audience_id", "mind_id"),
    )
    op.create_index("audience_members_mind", "audience_members", ["mind_id"])
    op.create_table(
        "export_jobs",
        *_job(),
        _part_of("studies", "study_id"),
        *_required(sa.String(32), "kind"),
        *_required(sa.String(8), "format"),
        *_required(sa.String(16), "length"),
        *_required(sa.Integer, "progress"),
        *_required(sa.String(64), "source_version"),
        *_optional(sa.String(200), "file_name"),
        *_optional(sa.String(100), "media_type"),
        *_optional(sa.LargeBinary, "content"),
    )
    op.create_index("export_jobs_study", "export_jobs", ["study_id", "kind", "format", "seq"])
    op.create_index("export_jobs_waiting", "export_jobs", ["status", "seq"])
    op.create_table(
        "questions",
        *_job(),
        _part_of("studies", "study_id"),
        *_required(sa.String(36), "owner_id", "question_message_id", "answer_message_id"),
        *_required(sa.Text, "text", "context"),
        *_required(sa.String(16), "type", "response_form", "history_mode"),
        *_required(sa.JSON, "options"),
        *_optional(sa.Integer, "scale_low", "scale_high", "most"),
        *_optional(sa.String(16), "source_policy"),
        *_optional(sa.String(36), "client_request_id"),
        *_optional(sa.String(200), "engine"),
        *_optional(sa.BigInteger, "started_at"),
        sa.UniqueConstraint("study_id", "client_request_id", name="questions_request"),
    )
    op.create_index("questions_study", "questions", ["study_id", "seq"])
    op.create_index("questions_waiting", "questions", ["status", "seq"])
    op.create_table(
        "study_audiences",
        _part_of("studies", "study_id"),
        _part_of("audiences", "audience_id"),
        *_required(sa.Integer, "position"),
        sa.PrimaryKeyConstraint("study_id", "audience_id"),
    )
    op.create_index("study_audiences_audience", "study_audiences", ["audience_id"])
    op.create_table(
        "answers",
        *_numbered(),
        _part_of("questions", "question_id"),
        *_required(sa.String(36), "mind_id", "audience_id"),
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
        sa.UniqueConstraint("question_id", "audience_id", "mind_id", name="answers_membership"),
    )
    op.create_index("answers_question", "answers", ["question_id", "status"])
