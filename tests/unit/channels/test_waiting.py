from __future__ import annotations

from typing import Any

import pytest

from sayso.channels.waiting import waiting_words
from sayso.core.approval_policy import ApprovalPolicy, merge
from sayso.core.deciders import Approver
from sayso.requests.quorum import Tally

pytestmark = pytest.mark.spec("REQ-11")
ADMIN, SRE = ApprovalPolicy(approver=Approver.ADMIN), ApprovalPolicy(role="sre")


@pytest.mark.parametrize(
    ("policy", "tally", "names", "may", "words"),
    [
        (ApprovalPolicy(), Tally(0, 1), ["owner"], True, ""),
        (ApprovalPolicy(), Tally(0, 1), ["owner"], False, "waiting for owner"),
        (ADMIN, Tally(0, 1), ["owner"], False, "waiting for an admin"),
        (SRE, Tally(0, 1), [], False, "waiting for the role sre"),
        (merge([ADMIN, SRE]), Tally(0, 1), [], False, "waiting for the role sre and an admin"),
        (ApprovalPolicy(approvers=("tg:1",)), Tally(0, 1), ["anna"], False, "waiting for anna"),
        (ApprovalPolicy(approvers=("tg:1",)), Tally(0, 1), [], False, "waiting for nobody"),
        (SRE, Tally(1, 2), ["bob"], True, "1 of 2 approved · waiting for: bob"),
        (SRE, Tally(1, 2), [], True, "1 of 2 approved"),
        (SRE, Tally(0, 9), [*"abcdefg"], True, "0 of 9 approved · waiting for: a, b, c, d, e and 2 more"),
    ],
)  # fmt: skip
def test_for_whom_it_waits(
    policy: ApprovalPolicy, tally: Tally, names: Any, may: bool, words: str
) -> None:
    assert waiting_words(policy, tally, names, may_decide=may) == words
