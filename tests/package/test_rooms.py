"""A room's private modules and names are its own: what two rooms need stands in a room below both."""

import ast
from pathlib import Path

import novacula

ROOT = Path(novacula.__file__).parent


def imported(path: Path):
    """The full names of everything that a module imports from the package."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports by a relative name"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def test_no_room_imports_what_is_private_to_another():
    found = []
    for path in ROOT.rglob("*.py"):
        room = path.relative_to(ROOT).with_suffix("").parts[0]
        for name in imported(path):
            package, *parts = name.split(".")
            if package == "novacula" and parts[:1] != [room] and any(map(is_private, parts)):
                found.append(f"{path.relative_to(ROOT)} imports {name}")
    assert found == []
