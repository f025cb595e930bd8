"""Mountain car with tile coding and a linear actor-critic (paper, section "Mountain Car")."""
