"""Articles, the number of the last change, and their full text: the same words in both databases."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

ADDED = """INSERT INTO articles_fts(rowid, search_title, search_labels, search_content)
        VALUES (new.id, new.search_title, new.search_labels, new.search_content);"""
REMOVED = """INSERT INTO articles_fts(articles_fts, rowid, search_title, search_labels, search_content)
        VALUES ('delete', old.id, old.search_title, old.search_labels, old.search_content);"""
SQLITE_FULL_TEXT = (
    """CREATE VIRTUAL TABLE articles_fts USING fts5(
        search_title, search_labels, search_content, content='articles', content_rowid='id',
        tokenize='unicode61 remove_diacritics 2')""",
    f"CREATE TRIGGER articles_fts_insert AFTER INSERT ON articles BEGIN {ADDED} END",
    f"CREATE TRIGGER articles_fts_delete AFTER DELETE ON articles BEGIN {REMOVED} END",
    f"CREATE TRIGGER articles_fts_update AFTER UPDATE ON articles BEGIN {REMOVED} {ADDED} END",
)
POSTGRES_FULL_TEXT = (
    """ALTER TABLE articles ADD COLUMN search tsvector GENERATED ALWAYS AS (
        setweight(to_tsvector('simple', search_title), 'A') || setweight(to_tsvector('simple', search_labels), 'B')
        || setweight(to_tsvector('simple', search_content), 'C')) STORED""",
    "CREATE INDEX articles_search ON articles USING gin (search)",
)


def upgrade() -> None:
    op.create_table(
        "articles",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("slug", sa.String(200), nullable=False, unique=True),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("title", "content", "tags")),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("search_title", "search_labels", "search_content")),
        *(sa.Column(name, sa.Text) for name in ("author", "category")),
        *(sa.Column(name, sa.BigInteger) for name in ("published_at", "deleted_at")),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in ("created_at", "updated_at", "revision")),
    )
    op.create_index("articles_published", "articles", ["published_at", "id"])
    op.create_index("articles_revision", "articles", ["revision"])
    last = op.create_table("article_revision", sa.Column("revision", sa.BigInteger, nullable=False))
    op.bulk_insert(last, [{"revision": 0}])
    bind = op.get_bind()
    for statement in SQLITE_FULL_TEXT if bind.dialect.name == "sqlite" else POSTGRES_FULL_TEXT:
        bind.exec_driver_sql(statement)
