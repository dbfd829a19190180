#!/usr/bin/python3
"""Performs the first action of the first element with a name, visible or not, in any app on the accessibility bus.

The referee of `soak unseen` uses it to repair what a step did not achieve, so that the next steps can run.
"""

import sys

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402


def find(element, name, depth):
    try:
        own = (element.get_name() or "").strip().rstrip(".…").casefold()
        if depth > 0 and own == name and "Action" in element.get_interfaces():
            return element
        for index in range(min(element.get_child_count(), 400)):
            child = element.get_child_at_index(index)
            found = find(child, name, depth + 1) if child is not None and depth < 40 else None
            if found is not None:
                return found
    except GLib.Error:
        # The element went away while it was read, or its app does not answer.
        return None
    return None


def main():
    Atspi.init()
    Atspi.set_timeout(1500, 3000)
    name = sys.argv[1].strip().rstrip(".…").casefold()
    element = find(Atspi.get_desktop(0), name, 0)
    if element is None:
        return f"no element is called {sys.argv[1]!r}"
    try:
        Atspi.Action.do_action(element, 0)
    except GLib.Error:
        # A dialog that runs a main loop of its own keeps the reply.
        return None
    return None


if __name__ == "__main__":
    sys.exit(main())
