"""The log of a matrix window: one JSON line per event.

The lines go to the file named first on the command line and are flushed immediately. During a `reset`
nothing is logged, and the reset ends with the line {"event": "reset"}.
"""

import json
import os

FRUIT = ["Apple", "Banana", "Cherry", "Damson"]
LANDS = ["Finland", "Norway", "Sweden"]
SIZES = ["Small", "Medium", "Large"]
TABS = ["Page one", "Page two", "Page three"]
ROWS = [f"Row {number}" for number in range(200)]
ANIMALS = {"Animals": ["Cat", "Dog"], "Plants": ["Fern", "Moss"]}
NOTES = "first line\nsecond line"


class Oracle:
    """The log of one window."""

    def __init__(self, path):
        self.file = open(path, "a", encoding="utf-8")
        self.muted = True

    def say(self, widget, event, value=None):
        """Writes one line, except during a reset."""
        if not self.muted:
            self.write({"widget": widget, "event": event, "value": value})

    def write(self, line):
        self.file.write(json.dumps(line) + "\n")
        self.file.flush()

    def mute(self):
        self.muted = True

    def resume(self):
        """Ends a reset."""
        self.muted = False
        self.write({"event": "reset"})


def commands(handlers):
    """Runs the commands from standard input. Returns False at its end."""
    data = os.read(0, 4096).decode()
    for name in data.split():
        handlers[name]()
    return bool(data)
