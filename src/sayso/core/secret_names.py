"""Names behind which a secret stands: `password`, `api_key`, `pin` …"""

from __future__ import annotations

import re

SECRET_NAME = re.compile(
    r"pass(word|wd|wort|phrase|code)|secret|token|(api|access|private|session|signing)[-_ ]?key|"
    r"(recovery|seed|secret)[-_ ]?(key|phrase)|(one[-_ ]?time|verification)[-_ ]?code|"
    r"authorization|credential|cookie|bearer|"
    r"(?<![a-z])(pass|pwd|pin|otp|cvv|cvc)(?![a-z])",
    re.IGNORECASE,
)
"""Found anywhere in the name of a field or argument."""
