"""The kinds of figure, a module each; `registry` lists them."""
