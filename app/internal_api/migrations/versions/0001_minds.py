"""Minds, their training jobs and their knowledge, with full text search over the chunks."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

SQLITE_FULL_TEXT = (
    """CREATE VIRTUAL TABLE knowledge_fts USING fts5(
        text, heading, content='knowledge_chunks', content_rowid='seq',
        tokenize='porter unicode61 remove_diacritics 2')""",
    """CREATE TRIGGER knowledge_fts_insert AFTER INSERT ON knowledge_chunks BEGIN
        INSERT INTO knowledge_fts(rowid, text, heading) VALUES (new.seq, new.text, new.heading);
    END""",
    """CREATE TRIGGER knowledge_fts_delete AFTER DELETE ON knowledge_chunks BEGIN
        INSERT INTO knowledge_fts(knowledge_fts, rowid, text, heading)
        VALUES ('delete', old.seq, old.text, old.heading);
    END""",
    """CREATE TRIGGER knowledge_fts_update AFTER UPDATE ON knowledge_chunks BEGIN
        INSERT INTO knowledge_fts(knowledge_fts, rowid, text, heading)
        VALUES ('delete', old.seq, old.text, old.heading);
        INSERT INTO knowledge_fts(rowid, text, heading) VALUES (new.seq, new.text, new.heading);
    END""",
)
POSTGRES_FULL_TEXT = (
    """ALTER TABLE knowledge_chunks ADD COLUMN search tsvector GENERATED ALWAYS AS (
        to_tsvector('english', coalesce(heading, '') || ' ' || text)) STORED""",
    "CREATE INDEX knowledge_chunks_search ON knowledge_chunks USING gin (search)",
)


def upgrade() -> None:
    _create_minds()
    _create_training_jobs()
    _create_knowledge()
    on_sqlite = op.get_bind().dialect.name == "sqlite"
    for statement in SQLITE_FULL_TEXT if on_sqlite else POSTGRES_FULL_TEXT:
        op.execute(statement)


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TABLE knowledge_fts")
    for table in ("knowledge_chunks", "knowledge_items", "training_jobs", "minds"):
        op.drop_table(table)


def _create_minds() -> None:
    op.create_table(
        "minds",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("owner_id", sa.String(36), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("discipline", sa.String(200)),
        sa.Column("type", sa.String(16), nullable=False),
        sa.Column("mode", sa.String(16), nullable=False),
        sa.Column("source_policy", sa.String(16), nullable=False),
        sa.Column("tags", sa.JSON, nullable=False),
        sa.Column("keywords", sa.JSON, nullable=False),
        sa.Column("context", sa.Text, nullable=False),
        sa.Column("locale", sa.String(8)),
        sa.Column("is_real_person", sa.Boolean, nullable=False),
        sa.Column("is_link_sharing_enabled", sa.Boolean, nullable=False),
        sa.Column("public_share_id", sa.String(36)),
        sa.Column("profile_image_url", sa.Text),
        sa.Column("profile", sa.JSON),
        sa.Column("system_prompt", sa.Text),
        sa.Column("search_text", sa.Text, nullable=False),
        sa.Column("idempotency_key", sa.String(128)),
        sa.Column("demo_token_hash", sa.String(64)),
        sa.Column("demo_expires_at", sa.BigInteger),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
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
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("item_id", sa.String(36)),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("stage", sa.String(16), nullable=False),
        sa.Column("progress", sa.Integer, nullable=False),
        sa.Column("message", sa.Text),
        sa.Column("error_code", sa.String(32)),
        sa.Column("retryable", sa.Boolean),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("lease_owner", sa.String(64)),
        sa.Column("lease_until", sa.BigInteger),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("started_at", sa.BigInteger),
        sa.Column("completed_at", sa.BigInteger),
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
        sa.Column("source_type", sa.String(16), nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("link", sa.Text),
        sa.Column("file_path", sa.Text),
        sa.Column("media_type", sa.String(255), nullable=False),
        sa.Column("pages", sa.JSON),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("error", sa.Text),
        sa.Column("error_retryable", sa.Boolean),
        sa.Column("regenerate_prompt", sa.Boolean, nullable=False),
        sa.Column("prompt_regenerated", sa.Boolean, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
        sa.Column("text", sa.Text),
    )
    op.create_index("knowledge_items_mind", "knowledge_items", ["mind_id", "position"])
    op.create_table(
        "knowledge_chunks",
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(36), nullable=False, unique=True),
        sa.Column("item_id", sa.String(36), sa.ForeignKey("knowledge_items.id", ondelete="CASCADE"), nullable=False),
        _mind_id(),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("heading", sa.Text),
        sa.Column("page", sa.Integer),
        sa.UniqueConstraint("item_id", "position", name="knowledge_chunks_position"),
    )
    op.create_index("knowledge_chunks_mind", "knowledge_chunks", ["mind_id"])


def _mind_id() -> "sa.Column[str]":
    return sa.Column("mind_id", sa.String(36), sa.ForeignKey("minds.id", ondelete="CASCADE"), nullable=False)
