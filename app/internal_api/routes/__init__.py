"""The endpoints under `/api/v1`, one file for each family."""
