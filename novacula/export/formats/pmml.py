"""A program as PMML 4.4: named numbers as derived fields, trees as tree models, and a regression model at the end.

The numbers that need no tree stand in the transformation dictionary. Trees are summed by mining models, one for each
number that they add to, whose results go on to the last model of the chain: a regression on the derived fields of the
answer, of classes one number for each, 1 for the class and 0 for the others. Probabilities are output fields.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape, quoteattr

from novacula.errors import ExportError
from novacula.export.deciding import OneTree, TreeNode, Trees
from novacula.export.formats.scalars import Language, Lowering, Scalar, free_name
from novacula.export.formats.tree_shares import tree_by_shares
from novacula.export.program import Program
from novacula.version import __version__

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<PMML xmlns="http://www.dmg.org/PMML-4_4" version="4.4">\n'
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""What XML cannot hold."""
FUNCTIONS = {"log": "ln"}
COMPARED = {"<": "lessThan", "<=": "lessOrEqual", ">": "greaterThan", ">=": "greaterOrEqual", "=": "equal"}
MISSING = '<Constant missing="true"/>'


def to_pmml(program: Program) -> str:
    """The content of a PMML file."""
    written = _PmmlLowering(program, _Pmml(program))
    written.run()
    answers = _answers(program, written)
    chances = written.of(program.chances) if program.chances is not None else []
    chances = [written.named(chance) for chance in chances]
    after = written.after_trees()
    head = f'<Header><Application name="Novacula" version={_quoted(__version__)}/></Header>\n'
    before = [_derived(name, scalar.text) for name, scalar in written.lines.items() if name not in after]
    later = [_derived(name, written.lines[name].text) for name in written.lines if name in after]
    last = _last_model(program, written, answers, chances, later)
    dictionary = f"<TransformationDictionary>\n{''.join(before)}</TransformationDictionary>\n" if before else ""
    model = _chain(program, written, last) if written.sums else last
    return f"{HEAD}{head}{_data_dictionary(program)}{dictionary}{model}</PMML>\n"


def _answers(program: Program, written: Lowering) -> list[Scalar]:
    """The numbers of the answer; of classes 1 for the class and 0 for the others, missing where there is none."""
    entries = written.of(program.answer)
    if program.classes is None:
        return [written.named(entry) for entry in entries]
    code = written.short(entries[0])
    language = written.language
    flags = []
    for k in range(len(program.classes)):
        is_k = language.compared("=", code.text, language.number(k))
        text = language.cases(
            [(language.is_missing(code.text), MISSING), (is_k, language.number(1.0))], language.number(0.0)
        )
        flags.append(written.named(Scalar(text, code.names)))
    return flags


# --- the parts of a file --------------------------------------------------------------------------------------------


def _data_dictionary(program: Program) -> str:
    fields = []
    for column in program.columns:
        name = _quoted(column.name)
        if column.kind == "number":
            fields.append(f'<DataField name={name} optype="continuous" dataType="double"/>\n')
            continue
        values = "".join(f"<Value value={_quoted(str(category))}/>" for category in column.categories)
        fields.append(f'<DataField name={name} optype="categorical" dataType="string">{values}</DataField>\n')
    target = _quoted(_target(program))
    if program.classes is None:
        fields.append(f'<DataField name={target} optype="continuous" dataType="double"/>\n')
    else:
        values = "".join(f"<Value value={_quoted(str(label))}/>" for label in program.classes)
        fields.append(f'<DataField name={target} optype="categorical" dataType="string">{values}</DataField>\n')
    return f"<DataDictionary>\n{''.join(fields)}</DataDictionary>\n"


def _target(program: Program) -> str:
    """A name for the answer that no column has."""
    return free_name("prediction", {column.name for column in program.columns})


def _mining_schema(program: Program, more: Iterable[str] = (), has_target: bool = True) -> str:
    target = f'<MiningField name={_quoted(_target(program))} usageType="target"/>' if has_target else ""
    names = [_quoted(column.name) for column in program.columns]
    active = "".join(f'<MiningField name={name} invalidValueTreatment="asMissing"/>' for name in names)
    others = "".join(f"<MiningField name={_quoted(name)}/>" for name in more)
    return f"<MiningSchema>{target}{active}{others}</MiningSchema>\n"


def _derived(name: str, text: str) -> str:
    return f'<DerivedField name={_quoted(name)} optype="continuous" dataType="double">{text}</DerivedField>\n'


def _last_model(
    program: Program, written: _PmmlLowering, answers: Sequence[Scalar], chances: Sequence[Scalar], later: Sequence[str]
) -> str:
    """A regression on the numbers of the answer."""
    classes = program.classes
    task = "regression" if classes is None else "classification"
    if classes is None and len(answers) > 1:
        raise ExportError("PMML has no model of several numbers at once: python, c, json, sql and onnx can hold it")
    tables = []
    for k, answer in enumerate(answers):
        category = "" if classes is None else f" targetCategory={_quoted(str(classes[k]))}"
        predictor = f'<NumericPredictor name={_quoted(*answer.names)} coefficient="1"/>'
        tables.append(f'<RegressionTable intercept="0"{category}>{predictor}</RegressionTable>\n')
    outputs = [
        f'<OutputField name={_quoted(f"probability({label})")} optype="continuous" dataType="double" '
        f'feature="transformedValue">{chance.text}</OutputField>\n'
        for label, chance in zip(classes or (), chances, strict=False)
    ]
    output = f"<Output>\n{''.join(outputs)}</Output>\n" if outputs else ""
    local = f"<LocalTransformations>\n{''.join(later)}</LocalTransformations>\n" if later else ""
    schema = _mining_schema(program, [name for name, _ in written.sums])
    return (
        f'<RegressionModel functionName="{task}" normalizationMethod="none">\n{schema}{output}{local}'
        f"{''.join(tables)}</RegressionModel>\n"
    )


def _chain(program: Program, written: _PmmlLowering, last: str) -> str:
    """Sums of trees, whose results the last model takes."""
    task = "regression" if program.classes is None else "classification"
    segments = [f"<Segment>\n<True/>\n{model}</Segment>\n" for _, model in written.sums]
    segments.append(f"<Segment>\n<True/>\n{last}</Segment>\n")
    chain = f'<Segmentation multipleModelMethod="modelChain">\n{"".join(segments)}</Segmentation>\n'
    return f'<MiningModel functionName="{task}">\n{_mining_schema(program)}{chain}</MiningModel>\n'


class _Pmml(Language):
    """Expressions of PMML."""

    def __init__(self, program: Program) -> None:
        self.columns = program.columns

    def number(self, value: float) -> str:
        return MISSING if math.isnan(value) else f'<Constant dataType="double">{_literal(value)}</Constant>'

    def name(self, name: str) -> str:
        return f"<FieldRef field={_quoted(name)}/>"

    def arithmetic(self, operator: str, parts: Sequence[str]) -> str:
        total = parts[0]
        for part in parts[1:]:
            total = _apply("pow" if operator == "**" else operator, total, part)
        return total

    def function(self, function: str, argument: str) -> str:
        # Some evaluators refuse functions of a missing value; without a third part `if` gives a missing one.
        return _apply("if", _apply("isNotMissing", argument), _apply(FUNCTIONS.get(function, function), argument))

    def compared(self, operator: str, left: str, right: str) -> str:
        known = [_apply("isNotMissing", part) for part in (left, right) if not part.startswith("<Constant")]
        holds = _apply(COMPARED[operator], left, right)
        for part in known:
            holds = _apply("if", part, holds, '<Constant dataType="boolean">false</Constant>')
        return holds

    def is_missing(self, argument: str) -> str:
        return _apply("isMissing", argument)

    def one_of(self, argument: str, codes: Iterable[int]) -> str:
        held = [self.number(code) for code in codes]
        if not held:
            return _apply("isMissing", self.number(0.0))
        holds = _apply("isIn", argument, *held) if len(held) > 1 else _apply("equal", argument, *held)
        return _apply("if", _apply("isNotMissing", argument), holds, '<Constant dataType="boolean">false</Constant>')

    def all_of(self, conditions: Sequence[str]) -> str:
        return _apply("and", *conditions) if len(conditions) > 1 else conditions[0]

    def cases(self, cases: Sequence[tuple[str, str]], otherwise: str) -> str:
        text = otherwise
        for condition, value in reversed(cases):
            text = _apply("if", condition, value, text)
        return text

    def read(self, place: int) -> str:
        column = self.columns[place]
        if column.kind == "number":
            return self.name(column.name)
        rows = "".join(
            f"<row><value>{_text(str(category))}</value><code>{code}</code></row>"
            for code, category in enumerate(column.categories)
        )
        if not rows:
            return MISSING
        pair = f'<FieldColumnPair field={_quoted(column.name)} column="value"/>'
        return f'<MapValues outputColumn="code" dataType="double">{pair}<InlineTable>{rows}</InlineTable></MapValues>'


class _PmmlLowering(Lowering):
    """Trees as tree models, whose sums are fields of the last model."""

    def __init__(self, program: Program, language: Language) -> None:
        super().__init__(program, language)
        self.sums: list[tuple[str, str]] = []
        self.tree_names: set[str] = set()

    def short(self, scalar: Scalar) -> Scalar:
        """A field or a constant: of other expressions evaluators do not say whether they are missing."""
        return scalar if scalar.text.startswith(("<FieldRef", "<Constant")) else self.named(scalar)

    def after_trees(self) -> set[str]:
        """The named numbers that need a sum of trees."""
        found: set[str] = set()
        for name, scalar in self.lines.items():
            if scalar.names & (found | self.tree_names):
                found.add(name)
        return found

    def trees(self, vector: Trees) -> list[Scalar]:
        if any(tree.divides for tree in vector.trees):
            return tree_by_shares(self, vector)
        found = []
        fields = [self.field(entry) for entry in self.of(vector.source)]
        for k, start in enumerate(vector.constant):
            own = [tree for tree in vector.trees if tree.output <= k < tree.output + tree.n_values]
            name = free_name(f"s{len(self.sums)}", {column.name for column in self.program.columns})
            models = "".join(self.segment(tree, k - tree.output, fields) for tree in own)
            field = f'<OutputField name="{name}" optype="continuous" dataType="double" feature="predictedValue"/>'
            output = f"<Output>{field}</Output>\n"
            target = f'<Targets><Target rescaleConstant="{_literal(start)}"/></Targets>\n' if start else ""
            segmentation = f'<Segmentation multipleModelMethod="sum">\n{models}</Segmentation>\n'
            schema = _mining_schema(self.program, has_target=False)
            self.sums.append(
                (
                    name,
                    f'<MiningModel functionName="regression">\n{schema}{output}{target}{segmentation}</MiningModel>\n',
                )
            )
            self.tree_names.add(name)
            found.append(Scalar(self.language.name(name), frozenset([name])))
        return found

    def field(self, entry: Scalar) -> str:
        """The name of a field that holds a number."""
        match = re.fullmatch(r"<FieldRef field=(.*)/>", entry.text, re.DOTALL)
        return match[1] if match else _quoted(*self.named(entry).names)

    def segment(self, tree: OneTree, k: int, fields: Sequence[str]) -> str:
        """A tree as one of the models that are summed."""
        schema = _mining_schema(self.program, has_target=False)
        return (
            '<Segment><True/><TreeModel functionName="regression" missingValueStrategy="defaultChild" '
            f'splitCharacteristic="multiSplit">{schema}{_node(tree, k, fields)}</TreeModel></Segment>\n'
        )


def _node(tree: OneTree, k: int, fields: Sequence[str]) -> str:
    """The nodes of a tree, each inside the one above it."""
    texts = [""] * len(tree.nodes)
    asked = _predicates(tree, fields)
    for place in range(len(tree.nodes) - 1, -1, -1):
        node = tree.nodes[place]
        if node.is_leaf:
            texts[place] = f'<Node id="{place}" score="{_literal(node.values[k])}">{asked[place]}</Node>\n'
            continue
        below = "".join(texts[branch] for branch in node.branches)
        default = node.branches[node.default]
        texts[place] = f'<Node id="{place}" defaultChild="{default}">{asked[place]}{below}</Node>\n'
    return texts[0]


def _predicates(tree: OneTree, fields: Sequence[str]) -> list[str]:
    """What each node asks of the rows that come to it."""
    asked = ["<True/>"] * len(tree.nodes)
    for node in tree.nodes:
        for b, branch in enumerate(node.branches):
            asked[branch] = _predicate(node, b, fields[node.entry])
    return asked


def _predicate(node: TreeNode, branch: int, field: str) -> str:
    if node.threshold is not None:
        operator = "greaterThan" if branch else "lessOrEqual"
        return f'<SimplePredicate field={field} operator="{operator}" value="{_literal(node.threshold)}"/>'
    codes = [_literal(code) for code in node.codes[branch]]
    if not codes:
        return "<False/>"
    array = f'<Array n="{len(codes)}" type="real">{" ".join(codes)}</Array>'
    return f'<SimpleSetPredicate field={field} booleanOperator="isIn">{array}</SimpleSetPredicate>'


# --- the language ---------------------------------------------------------------------------------------------------


def _apply(function: str, *parts: str) -> str:
    return f"<Apply function={_quoted(function)}>{''.join(parts)}</Apply>"


def _literal(value: float) -> str:
    if not math.isfinite(value):
        raise ExportError("a number of the model is infinite, which PMML cannot write: python, c and onnx can")
    return repr(float(value))


def _quoted(text: str) -> str:
    return quoteattr(_allowed(text), {"\r": "&#13;"})


def _text(text: str) -> str:
    return escape(_allowed(text), {"\r": "&#13;"})


def _allowed(text: str) -> str:
    if FORBIDDEN.search(text):
        raise ExportError(f"{text!r} holds a character that XML cannot: rename it, or export to python or json")
    return text
