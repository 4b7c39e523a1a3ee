"""Training as a durable job: claimed, worked on stage by stage, resumed where a killed process left it."""
