"""The five small games of MinAtar (Young and Tian 2019), with a small network; the paper does not have them.

`game` is the games as the agent meets them; `readings` lists the options of MinAtar, with its published protocol first.
The games are those of the package MinAtar, which is licensed under the GPL: it is imported, and nothing of it is here.
"""
