"""The documentation folder for people, and for programs that read `llms.txt`."""
