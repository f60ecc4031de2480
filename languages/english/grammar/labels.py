"""Which dependency labels mean the same? Universal Dependencies and ClearNLP (spaCy's own English models), read alike.

The two schemes differ in more than names. In UD the content word heads its clause and auxiliaries, copulas and
prepositions hang below it (`is` ← `happy`); in ClearNLP the copula is the head and the predicate hangs below as `attr`
or `acomp`, and a preposition heads its noun (`pobj`). Rules ask about clauses (see `clauses`), and
only this folder knows which label answers them.
"""

from __future__ import annotations

#: a nominal or clausal subject
SUBJECT = {"nsubj", "nsubjpass", "nsubj:pass", "nsubj:outer", "csubj", "csubjpass", "csubj:pass", "csubj:outer"}
#: a subject that is a clause
CLAUSAL_SUBJECT = {"csubj", "csubjpass", "csubj:pass", "csubj:outer"}
#: the dummy subject: existential there (both schemes), expletive it (UD)
EXPLETIVE = {"expl", "expl:pv"}
#: auxiliaries below a verb
AUXILIARY = {"aux", "aux:pass", "auxpass"}
#: the passive auxiliary
PASSIVE_AUXILIARY = {"aux:pass", "auxpass"}
#: clauses inside a sentence
CLAUSE = {
    "acl",
    "acl:relcl",
    "advcl",
    "advcl:relcl",
    "ccomp",
    "csubj",
    "csubj:pass",
    "csubjpass",
    "relcl",
    "xcomp",
    "parataxis",
}
#: a second conjunct
CONJUNCT = {"conj"}
#: a direct object
OBJECT = {"obj", "dobj", "iobj", "dative"}
