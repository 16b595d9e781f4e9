"""The notebooks: executed, and opened in JupyterLab."""
