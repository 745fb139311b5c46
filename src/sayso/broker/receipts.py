"""Receipts for claims: written when the right to run is taken, for one audience and one run (REQ-38)."""

from __future__ import annotations

from sayso.broker.world import World
from sayso.core.call import check_name
from sayso.core.moment import Moment, plus
from sayso.core.receipt import RECEIPT_SECONDS, Receipt, public_key_of, what_runs, write_receipt
from sayso.errors import CallInvalid
from sayso.requests.approval import ApprovalRequest


def receipt_for(world: World, request: ApprovalRequest, audience: str, now: Moment) -> str:
    """The receipt of a claim; raises CallInvalid where this installation writes none."""
    call = request.call
    receipt = Receipt(
        call_id=request.request_id,
        digest=request.digest,
        what=what_runs(call.tool, call.arguments, call.server),
        audience=check_name("audience of the receipt", audience),
        nonce=world.ids.secret().hex(),
        expires_at=plus(now, RECEIPT_SECONDS),
    )
    return write_receipt(receipt, _secret(world))


def public_key(world: World) -> str:
    """The public key that receipts of this installation are checked with, in hex."""
    return public_key_of(_secret(world)).hex()


def _secret(world: World) -> bytes:
    if world.receipt_key is None:
        raise CallInvalid("this gate writes no receipts", "claim the call without an audience")
    return world.receipt_key.secret()
