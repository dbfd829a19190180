#!/usr/bin/python3
"""dogtail in the benchmark: a walk, a search and a read, written as its users would.

    dogtail_bench.py first-look --pid N [--repeat R] [--max-children M]
    dogtail_bench.py find --pid N --name TEXT [--repeat R]
    dogtail_bench.py attribute --pid N --name TEXT [--attribute A] [--repeat R]

Prints one JSON line: {"tool", "op", "ms": [...], "setup_ms": [...], "nodes", "rss_kb"}.
Needs Debian's python3-dogtail. dogtail creates the folder /tmp/dogtail-<user> on import.
"""

import sys

sys.dont_write_bytecode = True
import measure  # noqa: E402

# Turn off what slows dogtail down or stops it: log files, the check of GNOME's accessibility setting,
# retries after a search, and delays.
SETTINGS = {
    "checkForA11y": False,
    "defaultDelay": 0.0,
    "logDebugToFile": False,
    "logDebugToStdOut": False,
    "searchBackoffDuration": 0.0,
    "searchCutoffCount": 1,
}


class Peer:
    """The benchmark operations with dogtail."""

    def __init__(self, tree, predicate):
        self.tree = tree
        self.predicate = predicate

    def connect(self, pid):
        for app in self.tree.root.applications():
            if app.get_process_id() == pid:
                return app
        return None

    def walk(self, app, max_children):
        nodes = 0
        todo = [app]
        while todo:
            node = todo.pop()
            nodes += 1
            node.role
            node.name
            node.getState().getStates()
            node.extents
            # Not `node.children`: it adds the targets of links to the children, and two walks of a
            # Chromium page with 4,000 nodes did not end within 100 s with it.
            count = node.childCount
            if count <= max_children:
                found = (node.getChildAtIndex(index) for index in range(count))
                todo.extend(child for child in found if child is not None)
        return nodes

    def find(self, app, name):
        return app.findChild(self.predicate.GenericPredicate(name=name), retry=False, requireResult=False)

    def attribute(self, node, which):
        if which == "name":
            return node.name
        if which == "description":
            return node.description
        if which == "states":
            return node.getState().getStates()
        return node.extents


def load():
    # Load a dictionary: setting the options one by one would open the log file first.
    from dogtail.config import config
    config.load(SETTINGS)
    from dogtail import predicate, tree
    return Peer(tree, predicate)


if __name__ == "__main__":
    measure.main("dogtail", load)
