"""ONNX graphs, operator by operator."""

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
"""As old as the operators allow, so that runtimes of 2022 read what is written today."""

LABEL_DOMAIN = "ai.onnx.ml"
LABEL_ENCODER = "LabelEncoder"

Shape = Sequence[str | int]


@dataclass(slots=True)
class Graph:
    """Operators and constants; whatever they give has a name that begins with the prefix and a number."""

    prefix: str
    nodes: list[NodeProto] = field(default_factory=list)
    constants: list[TensorProto] = field(default_factory=list)
    numbers: count[int] = field(default_factory=count)

    def fresh(self) -> str:
        """A name that nothing has yet."""
        return f"{self.prefix}{next(self.numbers)}"

    def body(self) -> Graph:
        """A graph for the inside of a loop, which sees the constants of this one."""
        return Graph(self.prefix, constants=self.constants, numbers=self.numbers)

    def finished(self, name: str, inputs: list[ValueInfoProto], outputs: list[ValueInfoProto]) -> GraphProto:
        """The graph without its constants, as the inside of a loop."""
        from onnx import helper

        return helper.make_graph(self.nodes, name, inputs, outputs)

    def constant(self, values: Any, kind: str) -> str:
        """The name of a tensor of `int64`, `double`, `bool` or `string`."""
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
        """The name of what an operator makes of some values."""
        from onnx import helper

        name = named or self.fresh()
        domain = LABEL_DOMAIN if operator == LABEL_ENCODER else ""
        self.nodes.append(helper.make_node(operator, inputs, [name], domain=domain, **attributes))
        return name

    def cast(self, value: str, kind: str) -> str:
        from onnx import TensorProto

        return self.apply("Cast", value, to=getattr(TensorProto, kind.upper()))


def described(name: str, kind: str, shape: Shape, said: str = "") -> ValueInfoProto:
    """What goes into a graph or comes out of it."""
    from onnx import TensorProto, helper

    return helper.make_tensor_value_info(name, getattr(TensorProto, kind.upper()), shape, said)
