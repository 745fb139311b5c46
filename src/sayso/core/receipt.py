"""A receipt: proof that exactly this call may run once, which can be checked with no server (REQ-38).

It is text: `v1.<payload>.<signature>`, both in URL-safe base64 without padding. The payload is canonical
JSON, the signature Ed25519 (RFC 8032) over the payload's bytes with `sayso-receipt-v1:` before them.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)

from sayso.core.call import canonical
from sayso.core.moment import Moment, from_rfc3339, to_rfc3339
from sayso.core.strict_json import parse_json
from sayso.errors import CallInvalid, ReceiptRefused

RECEIPT_SECONDS = 60.0
"""How long a receipt can be used; a runner that claims again gets none."""

MAX_RECEIPT = 4096
_DOMAIN = b"sayso-receipt-v1:"
_FIELDS = ("audience", "call_id", "digest", "expires_at", "nonce", "what")


@dataclass(frozen=True, slots=True)
class Receipt:
    """What is proved: the call's digest, what runs (`what`), for whom, until when, once (`nonce`).

    `what` is the digest of tool and arguments alone, which the side that executes can make by itself.
    """

    call_id: str
    digest: str
    what: str
    audience: str
    nonce: str
    expires_at: Moment


def what_runs(tool: str, arguments: Mapping[str, Any], server: str | None = None) -> str:
    """The digest of what runs: server, tool and arguments, SHA-256 in hex over their canonical JSON."""
    return hashlib.sha256(canonical([server, tool, dict(arguments)])).hexdigest()


def public_key_of(secret: bytes) -> bytes:
    """The 32 bytes of the public key that belongs to a secret one."""
    return Ed25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()


def write_receipt(receipt: Receipt, secret: bytes) -> str:
    """The receipt as text, signed with a secret key of 32 bytes."""
    payload = canonical(
        {
            "audience": receipt.audience,
            "call_id": receipt.call_id,
            "digest": receipt.digest,
            "expires_at": to_rfc3339(receipt.expires_at),
            "nonce": receipt.nonce,
            "what": receipt.what,
        }
    )
    signature = Ed25519PrivateKey.from_private_bytes(secret).sign(_DOMAIN + payload)
    return f"v1.{_written(payload)}.{_written(signature)}"


def read_receipt(text: str, public: bytes) -> Receipt:
    """The receipt in a text; raises ReceiptRefused unless the key's owner signed exactly this."""
    version, _, rest = text.partition(".")
    payload_text, _, signature_text = rest.partition(".")
    if len(text) > MAX_RECEIPT or version != "v1":
        raise ReceiptRefused("this is no receipt", "send the claim's receipt as it is")
    try:
        payload, signature = _read(payload_text), _read(signature_text)
        Ed25519PublicKey.from_public_bytes(public).verify(signature, _DOMAIN + payload)
        told = parse_json(payload, "receipt")
        if sorted(told) != list(_FIELDS) or not all(isinstance(v, str) for v in told.values()):
            raise ReceiptRefused("the receipt does not hold what a receipt holds")
        return Receipt(
            told["call_id"],
            told["digest"],
            told["what"],
            told["audience"],
            told["nonce"],
            from_rfc3339(told["expires_at"]),
        )
    except InvalidSignature as error:
        raise ReceiptRefused(
            "the receipt's signature does not fit", "check which key this side trusts"
        ) from error
    except (binascii.Error, ValueError, TypeError, CallInvalid) as error:
        raise ReceiptRefused("the receipt cannot be read", "send it as it is") from error


def _written(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def _read(text: str) -> bytes:
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if _written(data) != text:  # one receipt, one spelling
        raise ValueError("it is written in another way than it was signed")
    return data
