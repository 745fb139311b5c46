"""Names behind which a secret stands: `password`, `api_key`, `pin` …"""

from __future__ import annotations

import re

SECRET_NAME = re.compile(
    r"pass(word|wd|phrase|code)|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|"
    r"authorization|credential|cookie|session[-_]?key|bearer|"
    r"(?<![a-z])(pass|pwd|pin|otp|cvv|cvc)(?![a-z])",
    re.IGNORECASE,
)
"""Found anywhere in the name of a field or argument."""
