"""The paper's figures, one module a family. Drawing only: every number comes from a table."""
