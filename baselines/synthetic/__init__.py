"""Training on synthetic pairs: DINO (Schick and Schütze, 2021) and RISE (Kim et al., COLING 2022), in stages.

instructions, debiasing, generation   a causal language model writes a second sentence for each similarity level
rule_pairs                            ours, not a paper's: pairs from a pack's rules where there is no such model
pairs                                 files of pairs, clean-up, label smoothing, random pairs
sdi, importance                       how human does a sentence look? a classifier, its temperature, the weights
regression                            weighted regression on the cosine
deciles                               what do the pairs with most and least weight look like? (RISE, Table 1)
method                                the stages put together: `dino` and `rise`
"""
