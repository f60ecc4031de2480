"""The contracts everything else is written against. Nothing here imports another part of AugBench."""

from harness.protocols.embedder import Embedder
from harness.protocols.language import LanguagePack
from harness.protocols.method import (
    Batch,
    BuildContext,
    FittedConfig,
    FittedMethod,
    Loss,
    Method,
    MethodConfig,
    Rows,
    Stage,
    Step,
    View,
)
from harness.protocols.operator import Change, Doc, Edit, Operator, OperatorTools, TokenOperator
from harness.protocols.task import EncoderTask, Protocol, Score, Slice, Task, TaskOptions, TaskResult

__all__ = [
    "Batch",
    "BuildContext",
    "Change",
    "Doc",
    "Edit",
    "Embedder",
    "EncoderTask",
    "FittedConfig",
    "FittedMethod",
    "LanguagePack",
    "Loss",
    "Method",
    "MethodConfig",
    "Operator",
    "OperatorTools",
    "Protocol",
    "Rows",
    "Score",
    "Slice",
    "Stage",
    "Step",
    "Task",
    "TaskOptions",
    "TaskResult",
    "TokenOperator",
    "View",
]
