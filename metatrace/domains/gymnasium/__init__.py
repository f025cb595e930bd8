"""Tasks of Gymnasium with discrete actions, learned by the linear agent."""
