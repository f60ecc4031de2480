"""MV on hand-built parses of both label schemes: tense and agreement kept in every frame, never two modals."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from outcomes import behind, consistent, expand, made
from randomdocs import documents
from trees import SCHEMES, sentences, tree, ud, unparsed

from harness.seeds import python_rng
from languages.english.grammar.verbs import lexicon, modals
from languages.english.modal import ModalVerbs

OPERATOR = ModalVerbs()

#: a conclusion, not a duty
_MUST = "must {|surely |certainly }"
_PRESENT = _PLURAL = "{must|must surely|must certainly}"
#: of a person who acts
_ACTING = "{must|must surely|must certainly|cannot help but|cannot but}"
_PAST = "must {|surely |certainly }have"
_ACTED = "{had to|could not help but}"

#: sentence -> every right output
RIGHT = {
    # the lexical verb: present and past
    "She lives in Paris.": (f"She {_PRESENT} live in Paris.",),
    "They live in Rome.": (f"They {_PLURAL} live in Rome.",),
    "It rains.": (f"It {_PRESENT} rain.",),
    "He travelled widely in Europe.": (
        f"He {_PAST} travelled widely in Europe.",
        f"He {_ACTED} travel widely in Europe.",
    ),
    "Rain fell.": (f"Rain {_PAST} fallen.",),
    "Grace left.": (f"Grace {_PAST} left.",),
    "Nobody came.": (f"Nobody {_PAST} come.",),
    "He became king.": (f"He {_PAST} become king.",),
    "He lay there.": (f"He {_PAST} lain there.", f"He {_ACTED} lie there."),
    "He has a car.": (f"He {_PRESENT} have a car.",),
    "He did his work.": (f"He {_PAST} done his work.", f"He {_ACTED} do his work."),
    "He told her that it rained.": (f"He {_PAST} told her that it rained.", f"He {_ACTED} tell her that it rained."),
    "When he arrived, she left.": (f"When he arrived, she {_PAST} left.", f"When he arrived, she {_ACTED} leave."),
    "Not everyone came.": (f"Not everyone {_PAST} come.",),
    "In the garden stands a tree.": (f"In the garden {_PRESENT} stand a tree.",),
    "You need to rest.": (f"You {_PLURAL} need to rest.",),
    "They sang a song.": (f"They {_PAST} sung a song.", f"They {_ACTED} sing a song."),
    "I've a car.": (f"I {_PLURAL} have a car.",),
    "It has no end.": ("It must have no end.",),
    # has to, had to, used to
    "He has to go.": ("He must go.",),
    "They have to go.": ("They must go.",),
    "He had to go.": ("He must have had to go.",),
    "He used to smoke.": ("He must once have smoked.",),
    # the copula
    "He is happy.": (f"He {_PRESENT} be happy.",),
    "He's happy.": (f"He {_PRESENT} be happy.",),
    "I'm tired.": (f"I {_PLURAL} be tired.",),
    "I am tired.": (f"I {_PLURAL} be tired.",),
    "We're late.": (f"We {_PLURAL} be late.",),
    "He is a king.": (f"He {_PRESENT} be a king.",),
    "He was in Paris.": (f"He {_PAST} been in Paris.",),
    "The house was empty.": (f"The house {_PAST} been empty.",),
    "The man who left is ill.": (f"The man who left {_PRESENT} be ill.",),
    "None of them is here.": (f"None of them {_PRESENT} be here.",),
    "HE WAS ILL.": ("HE MUST {|SURELY |CERTAINLY }HAVE BEEN ILL.",),
    # progressive, perfect, passive
    "They are playing chess.": (f"They {_PLURAL} be playing chess.",),
    "They were playing chess.": (f"They {_PAST} been playing chess.",),
    "He has won the race.": (f"He {_PAST} won the race.",),
    "He had won the race.": (f"He {_PAST} won the race.",),
    "They've gone.": (f"They {_PAST} gone.",),
    "He'd left early.": (f"He {_PAST} left early.",),
    "He's gone.": (f"He {_PRESENT} have gone.",),
    "You have gone.": (f"You {_PAST} gone.",),
    "The town is located in the north.": (f"The town {_PRESENT} be located in the north.",),
    "It was built in 1900.": (f"It {_PAST} been built in 1900.",),
    "It has been sold.": (f"It {_PAST} been sold.",),
    "He has been ill.": (f"He {_PAST} been ill.",),
    "He is being watched.": (f"He {_PRESENT} be being watched.",),
    # existentials
    "There is a church in the village.": (f"There {_PRESENT} be a church in the village.",),
    "There are dogs here.": (f"There {_PLURAL} be dogs here.",),
    "There was a storm.": (f"There {_PAST} been a storm.",),
    "There has been a mistake.": (f"There {_PAST} been a mistake.",),
    "There are no dogs.": (f"There {_PLURAL} be no dogs.",),
    # negated: do-support goes, `not` stays behind the modal
    "He does not sell cars.": (f"He {_MUST}not sell cars.",),
    "He didn't answer.": (f"He {_MUST}not have answered.",),
    "I don't know either.": (f"I {_MUST}not know either.",),
    "He is not happy.": (f"He {_MUST}not be happy.",),
    "It isn't cold.": (f"It {_MUST}not be cold.",),
    "He was not happy.": (f"He {_MUST}not have been happy.",),
    "He is not playing.": (f"He {_MUST}not be playing.",),
    "He has not gone.": (f"He {_MUST}not have gone.",),
    "He has never seen snow.": (f"He {_MUST}never have seen snow.",),
    "He has not yet arrived.": (f"He {_MUST}not yet have arrived.",),
    "It is no longer used.": (f"It {_MUST}no longer be used.",),
    "He was hardly ever there.": (f"He {_MUST}hardly ever have been there.",),
    "He never smokes.": (f"He {_MUST}never smoke.",),
    "He no longer lives there.": (f"He {_MUST}no longer live there.",),
    "She hardly slept.": (f"She {_MUST}hardly have slept.",),
    "Neither he nor she was happy.": ("Neither he nor she must have been happy.",),
    "He saw nothing.": (f"He {_PAST} seen nothing.",),
    # adverbs
    "He often travels.": (f"He {_MUST}often travel.",),
    "He was also happy.": (f"He {_MUST}also have been happy.",),
    "He later died.": (f"He {_MUST}{{later have|have later}} died.",),
    # a modal is rephrased
    "She can swim.": ("She can {certainly|surely} swim.",),
    "He need not go.": ("He {certainly|surely} need not go.",),
    "I won't go.": ("I {certainly|surely} won't go.",),
    "I cannot swim.": ("I {certainly|surely} cannot swim.",),
    "He can't swim.": ("He {certainly|surely} can't swim.",),
    "I shan't go.": ("I {certainly|surely} shan't go.",),
    "He could have won.": ("He could {certainly|surely} have won.",),
    "They'll wait.": ("They {will certainly|will surely|are bound to} wait.",),
    "He should go.": ("He {ought to|should certainly} go.",),
    "He may go.": ("He may well go.",),
    "You must stop.": ("You must {surely|certainly} stop.",),
    "You ought to go.": ("You should go.",),
    "He'd win.": ("He would {certainly|surely} win.",),
    "It may be true.": ("It may well be true.",),
    # coordination
    "He came and she left.": (f"He {_PAST} come and she left.", f"He {_ACTED} come and she left."),
    "It was hot, but he ran.": (f"It {_PAST} been hot, but he ran.",),
    "He can sing and dance.": ("He can {certainly|surely} sing and dance.",),
    "He also travelled and wrote books.": (f"He {_MUST}also have travelled and written books.",),
    "They live in Rome and work in Milan.": (f"They {_PLURAL} live in Rome and work in Milan.",),
    "He is tired and wants rest.": (
        f"He {_PRESENT} be tired and want rest.",
        "It must be {true|the case} that he is tired and wants rest.",
    ),
    # coordinated verbs that cannot be put right with confidence: the modal goes around them
    "He travelled and did not write.": ("It must be {true|the case} that he travelled and did not write.",),
    "The plan did not succeed and was abandoned.": (
        "It must be {true|the case} that the plan did not succeed and was abandoned.",
    ),
    "He neither drinks nor smokes.": ("It must be {true|the case} that he neither drinks nor smokes.",),
    "He wrote, directed and produced the film.": (
        f"He {_PAST} written, directed and produced the film.",
        f"He {_ACTED} write, direct and produce the film.",
    ),
    "He thought it was late and left.": ("It must be {true|the case} that he thought it was late and left.",),
    # questions
    "Does he smoke?": ("{Must|Should} he smoke?",),
    "Was she ill?": ("Must she have been ill?",),
    "Has he gone?": ("{Must|Should} he have gone?",),
    "Are you ready?": ("{Must|Should} you be ready?",),
    "Is the door open?": ("{Must|Should} the door be open?",),
    "Where do you live?": ("Where {must|should} you live?",),
    "Why did he leave?": ("Why must he have left?",),
    "What is this?": ("What {must|should} this be?",),
    "What's your name?": ("What {must|should} your name be?",),
    "Who won?": (f"Who {_PAST} won?",),
    # commands
    "Take the bus.": ("You must take the bus.",),
    "Be careful.": ("You must be careful.",),
    "Don't.": ("You must not.",),
    "Don't touch it.": ("You must not touch it.",),
    "Do not open it.": ("You must not open it.",),
    "DO NOT ENTER.": ("YOU MUST NOT ENTER.",),
    "GO HOME.": ("YOU MUST GO HOME.",),
    # openers, quotation marks, brackets, several sentences, capitals
    "But he left.": (f"But he {_PAST} left.", f"But he {_ACTED} leave."),
    "However, he left.": (f"However, he {_PAST} left.", f"However, he {_ACTED} leave."),
    '"He left."': (f'"He {_PAST} left."', f'"He {_ACTED} leave."'),
    "(He left.)": (f"(He {_PAST} left.)", f"(He {_ACTED} leave.)"),
    "He left. She stayed.": (f"He {_PAST} left. She stayed.", f"He {_ACTED} leave. She stayed."),
    "HE LIVES HERE.": ("HE MUST {|SURELY |CERTAINLY }LIVE HERE.",),
    "IT IS NOT SAFE.": ("IT MUST {|SURELY |CERTAINLY }NOT BE SAFE.",),
    "Not only did he win.": ("Not only must he have won.",),
    "Never before has he lost.": ("Never before {must|should} he have lost.",),
    # a finite verb in a lower clause only
    "A man who plays a guitar": (f"A man who {_ACTING} play a guitar",),
    # a noun phrase standing alone
    "The Battle of Hastings": ("This must be the Battle of Hastings",),
    "A man playing a guitar": ("This must be a man playing a guitar",),
}
#: nothing to put a modal to, or no right way to do it
REFUSED = (
    "Not all birds can fly.", "Can you swim?", "Yes, he did.", "No, I don't.", "You had better go.", "We'd better not go.",
    "I hope not.", "Aren't I right?", "Nobody", "No.", "Let's go.", "Let's not argue.", "If you are cold, close the window.",
    "I would rather stay.", "No entry", "Born in Paris.", "What a day!", "Isn't it cold?", "Don't you like music?",
)  # fmt: skip


#: `must no longer` would be an order
AROUND = ("He no longer lives there.", "He lay there.")
TEMPLATES = ("It must be true that", "It must be the case that")


def test_the_templates_are_those_of_the_lexicon():
    assert set(lexicon("templates")["modal"]) == set(TEMPLATES)


@pytest.mark.parametrize("text", RIGHT)
def test_tense_and_agreement_in_every_frame(text):
    """A statement may also stand whole behind a template; under some seed the modal goes inside."""
    inside = expand(*RIGHT[text])
    whole = behind(TEMPLATES, text, text) if text.endswith((".", '"', ")")) else set()
    for scheme in SCHEMES:
        outputs = made(OPERATOR, scheme(text))
        assert outputs <= inside | whole, scheme.__name__
        assert outputs & inside or text in AROUND, scheme.__name__


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text):
    for scheme in SCHEMES:
        assert made(OPERATOR, scheme(text)) == {None}, scheme.__name__


def test_never_two_modals_in_one_verb_group():
    modal = modals() - {"need", "dare"}  # full verbs as well
    for text, scheme in itertools.product(sentences(), SCHEMES):
        for output in made(OPERATOR, scheme(text)) - {None}:
            words = output.lower().replace(".", " ").split()
            for first, second in itertools.pairwise(words):
                assert not (first in modal and second in modal), output


def test_a_phrase_for_persons_is_kept_from_things():
    bread = tree("It|PRP|PRON|nsubj|2 grew|VBD|VERB|ROOT|2 .|.|PUNCT|punct|2")
    assert not {output for output in made(OPERATOR, bread) if "help" in output or "had to" in output}
    assert "He could not help but travel widely in Europe." in made(
        OPERATOR, ud("He travelled widely in Europe."), range(60)
    )


def test_phrases_vary_with_the_seed():
    assert len(made(OPERATOR, ud("She lives in Paris."))) > 1


@given(documents(), st.integers(0, 99))
def test_any_parse_is_changed_soundly_or_refused(doc, seed):
    edit = OPERATOR.apply(doc, python_rng(seed))
    assert edit == OPERATOR.apply(doc, python_rng(seed))
    if edit is not None:
        consistent(edit, doc)


def test_unparsed_text_is_refused():
    assert OPERATOR.apply(unparsed("He travelled widely."), python_rng(0)) is None


def test_unknown_variants_are_refused():
    with pytest.raises(ValueError, match="paper"):
        ModalVerbs("50")
