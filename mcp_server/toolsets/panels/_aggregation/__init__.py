"""From replies to figures: what the answers to one question amount to. Pure, and the same for every backend."""
