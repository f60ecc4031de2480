"""Which augmentation suits my text? Criteria that need no labels, measured on lines that nobody trained on.

windows    a neutral view: the beginning and the ending of a line
retrieval  does a text find the one it belongs to?
material   what is looked at: held-out lines, their views, labelled pairs if there are any
trial      one training run and everything that is measured of it, kept in the cache
verdict    who is best, who cannot be told from the best, in a sentence;  result: what is stored
"""
