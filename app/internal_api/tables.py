"""The tables of the embedded API. Times are epoch milliseconds in UTC, ids are 36-character UUIDs."""

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()


def lease_columns() -> tuple[Column[Any], ...]:
    """How often a job was taken up, and who works on it until when."""
    attempt = Column("attempt", Integer, nullable=False)
    return attempt, Column("lease_owner", String(64)), Column("lease_until", BigInteger)


minds = Table(
    "minds",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("owner_id", String(36), nullable=False),
    Column("name", String(100), nullable=False),
    Column("description", Text, nullable=False),
    Column("discipline", String(200)),
    Column("type", String(16), nullable=False),
    Column("mode", String(16), nullable=False),
    Column("source_policy", String(16), nullable=False),
    Column("tags", JSON, nullable=False),
    Column("keywords", JSON, nullable=False),
    Column("context", Text, nullable=False),  # what the owner said of the persona; feeds the profile
    Column("locale", String(8)),
    Column("is_real_person", Boolean, nullable=False),
    Column("is_link_sharing_enabled", Boolean, nullable=False),
    Column("public_share_id", String(36)),
    Column("profile_image_url", Text),
    Column("profile", JSON),  # what the profile stage made: discipline, description, traits
    Column("system_prompt", Text),  # set once trained; a mind without it is never ready
    Column("search_text", Text, nullable=False),  # case-folded name, description, discipline
    Column("idempotency_key", String(128)),
    Column("demo_token_hash", String(64)),
    Column("demo_expires_at", BigInteger),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("idempotency_digest", String(64)),  # of the body that came with the key
    UniqueConstraint("owner_id", "idempotency_key", name="minds_idempotency"),
)
Index("minds_owner", minds.c.owner_id, minds.c.created_at)
Index("minds_demo", minds.c.demo_expires_at)

training_jobs = Table(
    "training_jobs",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),  # the order in which they were queued
    Column("id", String(36), nullable=False, unique=True),
    Column("mind_id", String(36), ForeignKey("minds.id", ondelete="CASCADE"), nullable=False),
    Column("kind", String(16), nullable=False),  # training | knowledge (one item) | prompt
    Column("item_id", String(36)),
    Column("status", String(16), nullable=False),  # queued | running | completed | failed
    Column("stage", String(16), nullable=False),  # the stage being worked on; those before it are finished
    Column("progress", Integer, nullable=False),
    Column("message", Text),
    Column("error_code", String(32)),
    Column("error_reason", String(32)),  # why all sources were refused, where it was the same for all
    Column("retryable", Boolean),
    *lease_columns(),
    Column("created_at", BigInteger, nullable=False),
    Column("started_at", BigInteger),
    Column("completed_at", BigInteger),
)
Index("training_jobs_mind", training_jobs.c.mind_id, training_jobs.c.kind, training_jobs.c.seq)
Index("training_jobs_waiting", training_jobs.c.status, training_jobs.c.seq)

knowledge_items = Table(
    "knowledge_items",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("mind_id", String(36), ForeignKey("minds.id", ondelete="CASCADE"), nullable=False),
    Column("source_type", String(16), nullable=False),  # link | document | text | keywords | persona
    Column("description", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("source", Text, nullable=False),  # what a citation shows: host or file name
    Column("link", Text),
    Column("file_path", Text),
    Column("media_type", String(255), nullable=False),
    Column("pages", JSON),  # offset in `text` at which each page begins
    Column("status", String(16), nullable=False),  # queued | running | collected | completed | failed
    Column("error", Text),
    Column("error_code", String(32)),  # the stable word for it
    Column("error_retryable", Boolean),
    Column("regenerate_prompt", Boolean, nullable=False),
    Column("prompt_regenerated", Boolean, nullable=False),
    Column("position", Integer, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("text", Text),  # as extracted; None until a link was read
)
Index("knowledge_items_mind", knowledge_items.c.mind_id, knowledge_items.c.position)

# Full text: SQLite has the FTS5 table `knowledge_fts(text, heading)` over this table, whose rowid is `seq`,
# kept by triggers; PostgreSQL has the generated column `search` (tsvector, 'english') with a GIN index.
# Both are made by the migration, since neither can be said in portable Core.
knowledge_chunks = Table(
    "knowledge_chunks",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("id", String(36), nullable=False, unique=True),
    Column("item_id", String(36), ForeignKey("knowledge_items.id", ondelete="CASCADE"), nullable=False),
    Column("mind_id", String(36), ForeignKey("minds.id", ondelete="CASCADE"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("heading", Text),
    Column("page", Integer),
    UniqueConstraint("item_id", "position", name="knowledge_chunks_position"),
)
Index("knowledge_chunks_mind", knowledge_chunks.c.mind_id)
