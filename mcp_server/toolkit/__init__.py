"""What several toolsets share: signatures, argument checks, name matching, caches and files."""
