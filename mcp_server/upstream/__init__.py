"""HTTP toward other servers: deadlines, retries, breakers, bulkheads, guarded fetches. It knows no Minds word."""
