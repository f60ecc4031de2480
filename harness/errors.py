"""What can go wrong, in words a user can act on.

Every message says what was given, what was expected and the next command to type. The command line prints the message
alone (no traceback) and exits with `exit_code`; Python callers catch `AugBenchError`.
"""

from __future__ import annotations


class AugBenchError(Exception):
    """A problem the user can solve; `exit_code` is the process status the command line ends with."""

    exit_code = 1


class UsageError(AugBenchError):
    """A wrong name, option or combination of options."""

    exit_code = 2


class DataError(AugBenchError):
    """A file that is missing, empty, malformed or in the wrong encoding; names the file and, where it can, the line."""


class EncoderError(AugBenchError):
    """An encoder that cannot be loaded safely or lacks a part (tokenizer, safetensors weights, pooler)."""


class TrainingError(AugBenchError):
    """Training cannot go on (loss is NaN, a checkpoint belongs to another run)."""


class Skipped(AugBenchError):
    """Raised by a method, task or operator that cannot run here; becomes a record with this reason, not a failure."""
