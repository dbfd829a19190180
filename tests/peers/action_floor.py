#!/usr/bin/python3
"""Measures the time from an accessibility action to the handler of the app, without any tool.

    action_floor.py PID LOG REPEAT

Clicks the button `Write file` of `tests/apps/delayed_effects.py` through pyatspi's library and prints a JSON
list of milliseconds: from the call of `do_action` to the line that the handler of the button writes to LOG.
"""

import json
import sys
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi  # noqa: E402

BUTTON = "Write file"
TIMEOUT_S = 5


def find(element):
    """Returns the button below an element."""
    if element is None:
        return None
    if element.get_name() == BUTTON and element.get_n_actions() > 0:
        return element
    children = (element.get_child_at_index(at) for at in range(element.get_child_count()))
    return next((found for found in map(find, children) if found), None)


def last_handled(log):
    """Returns the time of the last click on the button in nanoseconds."""
    with open(log, encoding="utf-8") as lines:
        times = [int(line.split("\t")[1]) for line in lines if line.startswith(f"{BUTTON}\t") and line.endswith("\n")]
    return times[-1] if times else 0


def main():
    pid, log, repeat = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    desktop = Atspi.get_desktop(0)
    apps = [desktop.get_child_at_index(at) for at in range(desktop.get_child_count())]
    button = find(next(app for app in apps if app.get_process_id() == pid))
    times = []
    for _ in range(repeat):
        sent = time.monotonic_ns()
        button.do_action(0)
        while last_handled(log) < sent:
            if time.monotonic_ns() - sent > TIMEOUT_S * 1e9:
                sys.exit("the button has not handled the action")
            time.sleep(0.001)
        times.append((last_handled(log) - sent) / 1e6)
        time.sleep(0.2)
    print(json.dumps(times))


if __name__ == "__main__":
    main()
