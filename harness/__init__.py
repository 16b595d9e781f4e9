"""The part that measures.  It uses records and never imports rsalab."""
