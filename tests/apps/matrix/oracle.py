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
REFUSED = ["Nothing", "Something", "Everything"]
CLAMP = 50
SETTLE_MS = 60
SPRING_MS = 10


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


class Settled:
    """Logs the state of a widget that its app corrects, once the state has not changed for SETTLE_MS.

    `later` calls a function after a number of milliseconds, and `read` returns the state.
    """

    def __init__(self, oracle, later, widget, event, read):
        self.oracle = oracle
        self.later = later
        self.widget = widget
        self.event = event
        self.read = read
        self.changes = 0
        self.logged = None

    def changed(self, *_):
        """Starts the wait again. Every change of the widget calls it."""
        self.changes += 1
        change = self.changes
        self.later(SETTLE_MS, lambda: self.log(change))

    def log(self, change):
        now = self.read()
        if change == self.changes and now != self.logged:
            self.logged = now
            self.oracle.say(self.widget, self.event, now)

    def reset(self):
        """Makes the present state the initial one, which is not logged."""
        self.changes += 1
        self.logged = self.read()


def digits(text):
    """Returns the digits of a text."""
    return "".join(letter for letter in text if letter.isdigit())


def commands(handlers):
    """Runs the commands from standard input. Returns False at its end."""
    data = os.read(0, 4096).decode()
    for name in data.split():
        handlers[name]()
    return bool(data)
