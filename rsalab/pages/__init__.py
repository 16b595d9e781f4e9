"""What a reader opens: the report as one page, the figures, the notebooks' Lab, the site."""
