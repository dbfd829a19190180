#!/usr/bin/python3
"""pyatspi in the benchmark: a walk, a search and a read, written as its users would.

    pyatspi_bench.py first-look --pid N [--repeat R] [--max-children M]
    pyatspi_bench.py find --pid N --name TEXT [--repeat R]
    pyatspi_bench.py attribute --pid N --name TEXT [--attribute A] [--repeat R]

Prints one JSON line: {"tool", "op", "ms": [...], "setup_ms": [...], "nodes", "rss_kb"}.
Needs Debian's python3-pyatspi.
"""

import sys

sys.dont_write_bytecode = True
import measure  # noqa: E402


class Peer:
    """The benchmark operations with pyatspi."""

    def __init__(self, pyatspi):
        self.pyatspi = pyatspi

    def connect(self, pid):
        for app in self.pyatspi.Registry.getDesktop(0):
            if app is not None and app.get_process_id() == pid:
                return app
        return None

    def extents(self, node):
        try:
            return tuple(node.queryComponent().getExtents(self.pyatspi.DESKTOP_COORDS))
        except NotImplementedError:
            return None

    def walk(self, app, max_children):
        nodes = 0
        todo = [app]
        while todo:
            node = todo.pop()
            if node is None:
                continue
            nodes += 1
            node.getRole()
            node.name
            node.getState().getStates()
            self.extents(node)
            count = node.childCount
            if count <= max_children:
                todo.extend(node.getChildAtIndex(index) for index in range(count))
        return nodes

    def find(self, app, name):
        return self.pyatspi.findDescendant(app, lambda node: node.name == name)

    def attribute(self, node, which):
        if which == "name":
            return node.name
        if which == "description":
            return node.description
        if which == "states":
            return node.getState().getStates()
        return self.extents(node)


def load():
    import pyatspi
    return Peer(pyatspi)


if __name__ == "__main__":
    measure.main("pyatspi", load)
