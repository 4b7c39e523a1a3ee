"""Pure judgement: from what was observed to what one client meets, step by step."""
