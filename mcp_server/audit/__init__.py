"""The audit log: who did what, chained row by row so that nothing can be taken out or changed unseen."""
