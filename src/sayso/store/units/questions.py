"""What a write does inside its transaction, for questions."""

from __future__ import annotations

from sayso.broker.ports.questions import QuestionChange
from sayso.questions.question import Question
from sayso.store.codec.credentials import read_credential
from sayso.store.codec.logs import LogRows
from sayso.store.codec.questions import question_row, read_question
from sayso.store.codec.sessions import read_session
from sayso.store.guard import check_reviewer, check_session_goes_on, check_waiting
from sayso.store.question_guard import check_answerer, question_changed
from sayso.store.transaction import Transaction
from sayso.store.units.logs import log
from sayso.store.units.people import directory_of
from sayso.store.units.sessions import change_session

NOTHING = LogRows([], [])


def add_question(
    tx: Transaction, question: Question, logged: LogRows, at_most: int | None
) -> Question | None:
    """Keep a new question, or return the one that has its external id.

    Raises TooManyWait where it would be one too many of those of its session that wait.
    """
    found = tx.row(tx.queries.session, {"session_id": question.session_id})
    check_session_goes_on(question.session_id, None if found is None else read_session(found))
    row = question_row(question)
    if tx.write(tx.queries.add_question, row) != 1:
        return read_question(tx.row(tx.queries.question_called, row))
    if at_most is not None:
        count = tx.row(tx.queries.open_questions_in_session, {"session_id": question.session_id})
        check_waiting(0 if count is None else count[0], at_most)
    log(tx, logged)
    return None


def change_question(tx: Transaction, change: QuestionChange, logged: LogRows) -> None:
    """Replace a question, if it is one version on and whoever answered may."""
    stored = None
    if change.answerer is not None:
        key = {"credential_id": change.answerer.credential_id}
        row = tx.row(tx.queries.credential_by_id, key)
        stored = None if row is None else read_credential(row)
        check_reviewer(stored, change.at)
    row = question_row(change.question)
    values = {name: row[name] for name in ("status", "version", "document")}
    values.update(the_id=row["question_id"], expected_version=change.expected_version)
    if tx.write(tx.queries.change_question, values) != 1:
        raise question_changed(change.question.question_id)
    if stored is not None:
        found = tx.row(tx.queries.session, {"session_id": change.question.session_id})
        session = None if found is None else read_session(found)
        check_session_goes_on(change.question.session_id, session)
        check_answerer(change, stored, directory_of(tx))
    if change.switch is not None:
        change_session(tx, *change.switch, NOTHING)
    log(tx, logged)
