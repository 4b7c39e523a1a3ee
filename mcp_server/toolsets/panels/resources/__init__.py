"""The widget of panels."""
