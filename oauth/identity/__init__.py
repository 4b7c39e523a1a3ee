"""Who somebody is, asked of others: OpenID Connect issuers and Supabase, over the one HTTP client of this room."""
