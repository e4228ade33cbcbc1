"""Builder for ONNX graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from onnx import GraphProto, NodeProto, TensorProto, ValueInfoProto

OPSET = 17
LABEL_OPSET = 2
IR_VERSION = 8
"""The oldest versions that have the operators used, so that runtimes from 2022 can read the files."""

LABEL_DOMAIN = "ai.onnx.ml"
LABEL_ENCODER = "LabelEncoder"

Shape = Sequence[str | int]


@dataclass(slots=True)
class Graph:
    """Operators and constants; the name of every result is the prefix and a number."""

    prefix: str
    nodes: list[NodeProto] = field(default_factory=list)
    constants: list[TensorProto] = field(default_factory=list)
    numbers: count[int] = field(default_factory=count)

    def fresh(self) -> str:
        """Return an unused name."""
        return f"{self.prefix}{next(self.numbers)}"

    def body(self) -> Graph:
        """Return a graph for the body of a loop, which shares this graph's constants."""
        return Graph(self.prefix, constants=self.constants, numbers=self.numbers)

    def finished(self, name: str, inputs: list[ValueInfoProto], outputs: list[ValueInfoProto]) -> GraphProto:
        """Return the graph without its constants, for use as a loop body."""
        from onnx import helper

        return helper.make_graph(self.nodes, name, inputs, outputs)

    def constant(self, values: Any, kind: str) -> str:
        """Add a tensor of `int64`, `double`, `bool` or `string` and return its name."""
        import numpy as np
        from onnx import TensorProto, helper, numpy_helper

        name = self.fresh()
        if kind == "string":
            texts = [text.encode() for text in values]
            self.constants.append(helper.make_tensor(name, TensorProto.STRING, [len(texts)], texts))
        else:
            self.constants.append(numpy_helper.from_array(np.asarray(values, np.dtype(kind)), name))
        return name

    def apply(self, operator: str, *inputs: str, named: str | None = None, **attributes: Any) -> str:
        """Add an operator and return the name of its result."""
        from onnx import helper

        name = named or self.fresh()
        domain = LABEL_DOMAIN if operator == LABEL_ENCODER else ""
        self.nodes.append(helper.make_node(operator, inputs, [name], domain=domain, **attributes))
        return name

    def cast(self, value: str, kind: str) -> str:
        from onnx import TensorProto

        return self.apply("Cast", value, to=getattr(TensorProto, kind.upper()))


def described(name: str, kind: str, shape: Shape, said: str = "") -> ValueInfoProto:
    """Describe an input or output of a graph."""
    from onnx import TensorProto, helper

    return helper.make_tensor_value_info(name, getattr(TensorProto, kind.upper()), shape, said)
