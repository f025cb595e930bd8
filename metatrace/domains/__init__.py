"""The worlds that agents learn in, a folder each."""
