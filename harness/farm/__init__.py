"""Several boards at once, over ssh."""
