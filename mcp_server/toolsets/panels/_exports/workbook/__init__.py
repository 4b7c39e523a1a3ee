"""The workbook: a summary, a sheet for each question, all answers in one table, and how the figures were made."""
