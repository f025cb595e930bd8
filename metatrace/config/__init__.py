"""Config files: models, loading, overlays."""
