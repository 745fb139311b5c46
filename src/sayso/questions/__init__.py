"""Questions that are not approvals: clarifications, forms, plans and task lists.

Nothing here waits, stores or sends, and nothing here knows of approvals. Read `question.py`
first.
"""

from sayso.questions.clarification import Item, Reply
from sayso.questions.form import Form
from sayso.questions.plan import PlanAnswer
from sayso.questions.question import Kind, Question, QuestionDraft
from sayso.questions.todo import Task

__all__ = ["Form", "Item", "Kind", "PlanAnswer", "Question", "QuestionDraft", "Reply", "Task"]
