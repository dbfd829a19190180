#!/usr/bin/python3
"""Clicks with the real pointer on the middle of the first showing element with a name.

The referee of `soak unseen` uses it to repair what a step did not achieve, so that the next steps can run. With a second
argument, it then types that text over the content of the element under the pointer.
"""

import subprocess
import sys

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402


def plain(text):
    return (text or "").strip().rstrip(".…:").casefold()


def find(element, name, depth, found):
    try:
        if depth > 1 and not element.get_state_set().contains(Atspi.StateType.SHOWING):
            return
        if depth > 1 and plain(element.get_name()) == name and "Component" in element.get_interfaces():
            area = element.get_extents(Atspi.CoordType.SCREEN)
            if area.width > 0 and area.height > 0:
                found.append(area)
        for index in range(min(element.get_child_count(), 400)):
            child = element.get_child_at_index(index)
            if child is not None and depth < 40:
                find(child, name, depth + 1, found)
    except GLib.Error:
        # The element went away while it was read, or its app does not answer.
        return


def main():
    Atspi.init()
    Atspi.set_timeout(1500, 3000)
    found = []
    find(Atspi.get_desktop(0), plain(sys.argv[1]), 0, found)
    if not found:
        return f"no showing element is called {sys.argv[1]!r}"
    # Dialogs come after the window that they belong to.
    area = found[-1]
    x, y = area.x + area.width // 2, area.y + area.height // 2
    subprocess.run(["xdotool", "mousemove", str(x), str(y), "click", "1"], check=True)
    if len(sys.argv) > 2:
        subprocess.run(["xdotool", "key", "ctrl+a"], check=True)
        subprocess.run(["xdotool", "type", sys.argv[2]], check=True)
    return None


if __name__ == "__main__":
    sys.exit(main())
