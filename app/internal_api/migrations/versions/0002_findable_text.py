"""Full text that finds the same in both databases: by mind, without accents, without glued punctuation.

SQLite: the mind's id joins the index, so a search visits one mind's rows and not everybody's.
PostgreSQL: accents are folded as SQLite's tokenizer folds them, and punctuation is taken out, because its
parser would keep `example.com/pricing` or `1.5` as one word. `normalize` demands a database in UTF-8.
"""

from alembic import op

revision = "0002"
down_revision = "0001"

TRIGGERS = ("knowledge_fts_insert", "knowledge_fts_delete", "knowledge_fts_update")
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
    "INSERT INTO knowledge_fts(knowledge_fts) VALUES ('rebuild')",
)
# ASCII and Latin-1 punctuation, general punctuation, CJK and full-width punctuation, by code point.
PUNCTUATION = r"[\0001-\002F\003A-\0040\005B-\0060\007B-\00BF\2000-\206F\3000-\303F\FF01-\FF0F\FF1A-\FF20]+"
FOLDED = (
    "normalize(regexp_replace(normalize(coalesce(heading, '') || ' ' || text, NFD), "
    r"U&'[\0300-\036F]', '', 'g'), NFC)"
)
SEARCH = f"to_tsvector('english', regexp_replace({FOLDED}, U&'{PUNCTUATION}', ' ', 'g'))"
POSTGRES_FULL_TEXT = (
    "ALTER TABLE knowledge_chunks DROP COLUMN search",
    f"ALTER TABLE knowledge_chunks ADD COLUMN search tsvector GENERATED ALWAYS AS ({SEARCH}) STORED",
    "CREATE INDEX knowledge_chunks_search ON knowledge_chunks USING gin (search)",
)


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        for trigger in TRIGGERS:
            op.execute(f"DROP TRIGGER {trigger}")
        op.execute("DROP TABLE knowledge_fts")
        statements = SQLITE_FULL_TEXT
    else:
        statements = POSTGRES_FULL_TEXT
    for statement in statements:
        # Driver SQL: the punctuation holds colons, which are not parameters.
        op.get_bind().exec_driver_sql(statement)


def downgrade() -> None:
    """Both forms serve the revision before; only what they find differs."""
