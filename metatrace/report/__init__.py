"""Claims, explorer, captions, and what is published."""
