"""The PDF report: what is on its pages and how they look. Runs as a program of its own (see `pdf_process`)."""
