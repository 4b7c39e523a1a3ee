"""The tables of the database sink. A row is one text, byte for byte as it was marked; columns are for finding it."""

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, MetaData, String, Table, Text

metadata = MetaData()

CHAIN, TIME, HASH, WORD, NAME = 40, 27, 64, 64, 300

audit_rows = Table(
    "audit_rows",
    metadata,
    Column("chain", String(CHAIN), primary_key=True),
    Column("seq", BigInteger().with_variant(Integer(), "sqlite"), primary_key=True, autoincrement=False),
    Column("time", String(TIME), nullable=False),  # as in the row: text of one length sorts as time does
    Column("event", String(WORD), nullable=False),
    Column("subject", String(NAME)),
    Column("row", Text, nullable=False),
    Column("hash", String(HASH), nullable=False),
    Index("ix_audit_rows_subject_time", "subject", "time"),  # nothing asks for it any more; a schema only grows
    Index("ix_audit_rows_subject_event_time", "subject", "event", "time"),
    Index("ix_audit_rows_time", "time"),
    Index("ix_audit_rows_event", "event"),
)

audit_chains = Table(
    "audit_chains",
    metadata,
    Column("chain", String(CHAIN), primary_key=True),
    Column("seq", BigInteger().with_variant(Integer(), "sqlite"), nullable=False),
    Column("hash", String(HASH), nullable=False),
    Column("quiet", Boolean, nullable=False),
    Column("time", String(TIME), nullable=False),
    Index("ix_audit_chains_time", "time"),
)
"""Where each chain was at its last write: what other chains remember. No proof of anything by itself."""
