"""A follow-up is read as a question of its own where its form tells how."""

import pytest

from pulsedocs.answering.asked.follow_up import resolved


@pytest.mark.parametrize(
    ("before", "question", "reads"),
    [
        (["May I have a dog?"], "And a cat?", "May I have a cat?"),
        (["May I have a dog?", "And a cat?"], "What about a snake?", "May I have a snake?"),
        (
            ["How much is the deposit for the hall?"],
            "And for the pool?",
            "How much is the deposit for the pool?",
        ),
        (
            ["When does the harvest festival begin?"],
            "And the summer party?",
            "When does the summer party begin?",
        ),
        (
            ["What does the hotel in London cost?"],
            "and in Paris",
            "What does the hotel in Paris cost?",
        ),
        (
            ["How long is the notice?"],
            "And after five years?",
            "How long is the notice after five years?",
        ),
        (["Are dogs allowed in the garden?"], "And cats?", "Are cats allowed in the garden?"),
        (["How much was net profit?"], "And revenue?", "How much was revenue?"),
        (
            ["When does the first bus leave on Monday?"],
            "And the last bus on Sunday?",
            "When does the last bus leave on Sunday?",
        ),
        (
            ["When does the first one leave on Monday?"],
            "And the last on Friday?",
            "When does the last one leave on Friday?",
        ),
        (
            ["How much is the deposit for the hall?"],
            "And the rent for the pool?",
            "How much is the rent for the pool?",
        ),
        (
            ["How much is the deposit for the hall?"],
            "And the pool?",
            "How much is the deposit for the pool?",
        ),
        (
            ["When is the pool open in winter?"],
            "And the sauna in summer?",
            "When is the sauna open in summer?",
        ),
        (
            ["When does the office close?"],
            "And the Bank of England?",
            "When does the Bank of England close?",
        ),
        (["May I have a dog?"], "And a cat in the flat?", "May I have a cat in the flat?"),
        (["Are dogs allowed in the garden?"], "And in winter?", "Are dogs allowed in winter?"),
        (
            ["Was kostet die Halle im Sommer?"],
            "Und der Saal im Winter?",
            "Was kostet der Saal im Winter?",
        ),
        (["Why is the roof being repaired?"], "When was it built?", "When was the roof built?"),
        (["When is the museum open on Mondays?"], "How much is it?", "How much is the museum?"),
        (["WHERE IS THE PUMP?"], "WHO CLEANS IT?", "WHO CLEANS THE PUMP?"),
        (["Where is the pump?"], "When was it replaced?", "When was the pump replaced?"),
        (["Who repairs the lift?"], "And who pays for it?", "Who pays for the lift?"),
        (["How many days may I carry over?"], "Until when?", "Until when may I carry over days?"),
        (["When are wages paid?"], "How?", "How are wages paid?"),
        (["Is smoking allowed in the vans?"], "why", "Why is smoking allowed in the vans?"),
        (["Which offers were received?"], "which one was chosen?", "which offer was chosen?"),
        (["Wann muss ich k\u00fcndigen?"], "Und wie?", "Wie muss ich k\u00fcndigen?"),
        (["Where is the staff kitchen?"], "Who cleans it?", "Who cleans the staff kitchen?"),
        (["Where is the old garden?"], "How large is it?", "How large is the old garden?"),
        (["How much is the Fox Pro?"], "And its range?", "What is the range of the Fox Pro?"),
        (
            ["How much is the Fox Pro?", "And its range?"],
            "What about the Mule?",
            "What is the range of the Mule?",
        ),
        (
            ["Who is the head of People?"],
            "What is her phone number?",
            "What is the phone number of the head of People?",
        ),
        (["What does error E05 mean?"], "and E08?", "What does error E08 mean?"),
        (["What does the Family plan cost?"], "And Basic?", "What does the Basic plan cost?"),
        (
            ["How much is the Family plan of Lumen?"],
            "And Basic?",
            "How much is the Basic plan of Lumen?",
        ),
        (["Can I cancel the Family plan?"], "And Basic?", "Can I cancel the Basic plan?"),
        (["Sind Hunde im Garten erlaubt?"], "Und Katzen?", "Sind Katzen im Garten erlaubt?"),
        (["Are dogs allowed in Building B?"], "And Cats?", "Are Cats allowed in Building B?"),
        (
            ["Wie hoch ist die Miete?"],
            "Wann muss sie gezahlt werden?",
            "Wann muss die Miete gezahlt werden?",
        ),
        (["Darf ich einen Hund halten?"], "Und eine Katze?", "Darf ich eine Katze halten?"),
        (
            ["Combien co\u00fbte la location de la salle ?"],
            "Et de la piscine ?",
            "Combien co\u00fbte la location de la piscine ?",
        ),
    ],
)
def test_what_is_short_of_a_question_takes_the_place_of_the_like(
    before: list[str], question: str, reads: str
) -> None:
    assert resolved(question, before) == reads


@pytest.mark.parametrize(
    ("before", "question"),
    [
        ([], "And a cat?"),
        (["Ist Rauchen erlaubt?"], "Und wurde der M\u00fcll geleert?"),
        (["May I have a dog?"], "Does she have to agree?"),
        (["May I have a dog?"], "When is the rent due?"),
        (["May I have a dog?"], "And what has to be paid at the end of the lease of the flat?"),
        (["Thank you."], "And a cat?"),
        (["What does Ann pay Ben?"], "And Tim?"),
        (["What is the notice period?"], "What does the gym charge for its courses?"),
        (["What is the fee?"], "Where do members leave their coats?"),
        (["Was kostet die Karte?"], "Darf der Hund in den Garten, wenn er angeleint ist?"),
        (["How long is the lease?"], "What are the rights of tenants, and what are their duties?"),
        (["Wie hoch ist die Miete?"], "K\u00f6nnen Sie mir das sagen?"),
        (["hello"], "?"),
        (["Where is the pump?"], "Who works in IT?"),
        (["Where is the pump?"], "And when does IT support close?"),
    ],
)
def test_what_fits_no_form_is_left_as_asked(before: list[str], question: str) -> None:
    assert resolved(question, before) is None
