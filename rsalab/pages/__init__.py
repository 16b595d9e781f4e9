"""Pages: site, slides, report as HTML and PDF."""
