"""How the offline engine answers survey questions: from what was read, else from how the persona is inclined."""
