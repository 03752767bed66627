"""A tree as lines of text, as C4.5 prints it.

A leaf shows its class with the weight of its training examples, and after a stroke the weight of those of other
classes: `No (5/1)`; or its number, with their weight and deviation: `23.41 (12, ± 1.3)`. A deep tree is broken into
subtrees [S1], [S2] …, so that lines stay short.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from novacula.errors import ParameterError
from novacula.tree.export.named import NamedTree

INDENT = "|   "
BREAK = 20
"""Levels of a block; what is below is printed as a subtree of its own."""


def to_text(named: NamedTree, max_depth: int | None = None) -> str:
    """The tree as text; what is below `max_depth` tests is left out, and the last line says how much that is."""
    if max_depth is not None and max_depth < 0:
        raise ParameterError(f"max_depth is {max_depth}; it is the number of tests above what is shown, 0 or more")
    if named.is_leaf(0) or max_depth == 0:
        lines = [named.verdict(0) + ("" if named.is_leaf(0) else " …")]
    else:
        lines = list(_blocks(named, max_depth))
    if max_depth is not None:
        lines += _left_out(named, max_depth)
    return "\n".join(lines)


def _blocks(named: NamedTree, max_depth: int | None) -> Iterator[str]:
    """The lines of the tree, and after it of its subtrees."""
    roots, subtrees = deque([(0, 0)]), 0
    while roots:
        root, depth = roots.popleft()
        if depth:
            yield from ("", f"Subtree [S{subtrees - len(roots)}]", "")
        waiting = [(*branch, depth + 1) for branch in reversed(named.branches(root))]
        while waiting:
            node, condition, tests = waiting.pop()
            line = INDENT * (tests - depth - 1) + str(condition)
            if named.is_leaf(node):
                yield f"{line}: {named.verdict(node)}"
            elif tests == max_depth:
                yield f"{line}: {named.verdict(node)} …"
            elif tests - depth == BREAK:
                subtrees += 1
                roots.append((node, tests))
                yield f"{line} [S{subtrees}]"
            else:
                yield line
                waiting += [(*branch, tests + 1) for branch in reversed(named.branches(node))]


def _left_out(named: NamedTree, max_depth: int) -> list[str]:
    """The line that says what is below `max_depth`, if there is something."""
    depth, is_leaf = named.tree.depth(), named.tree.is_leaf
    tests, leaves = int((~is_leaf & (depth >= max_depth)).sum()), int((is_leaf & (depth > max_depth)).sum())
    if not tests:
        return []
    counted = f"{tests} test{'' if tests == 1 else 's'} and {leaves} lea{'f' if leaves == 1 else 'ves'}"
    return [f"Left out below depth {max_depth}: {counted}."]
