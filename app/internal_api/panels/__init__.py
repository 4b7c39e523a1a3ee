"""Questions put to groups of minds: understood, asked, kept, added up, exported."""
