"""The methods of others, one module per method, to be read next to its source. `metatrace.methods` lists them."""
