"""Questions put to groups of minds: classified, asked, stored, aggregated, exported."""
