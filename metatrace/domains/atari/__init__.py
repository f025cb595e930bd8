"""Five Atari games with a convolutional actor-critic (paper, section "Arcade Learning Environment").

`emulator` is the games as the agent meets them, `catch` a small game of our own to try the agent on within minutes;
`readings` lists what the paper leaves open.
"""
