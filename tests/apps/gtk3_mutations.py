#!/usr/bin/python3
"""A GTK3 window whose rows change on command. It reports the true identity of every row.

One JSON command per line on stdin, one JSON answer per line on stdout:

    {"do": "insert", "at": 3}              {"ok": true, "id": 17}
    {"do": "remove", "at": 3}              {"ok": true, "id": 17}
    {"do": "rename", "at": 3, "to": "x"}   {"ok": true, "id": 17}
    {"do": "move", "from": 3, "to": 0}     {"ok": true, "id": 17}
    {"do": "swap", "a": 3, "b": 0}         {"ok": true, "ids": [17, 4]}
    {"do": "clear"}                        {"ok": true, "removed": 12}
    {"do": "batch", "commands": [...]}     {"ok": true, "answers": [...]}
    {"do": "list"}                         {"ok": true, "rows": [{"id", "label", "button", "check",
                                            "checked", "x", "y", "width", "height"}, ...]}
    {"do": "quit"}                         {"ok": true}

x, y, width and height describe the row's button on the screen and are null before the layout.
An invalid command answers {"ok": false, "error": "..."} and changes nothing. A batch stops there and
returns the answers so far.

Row ids are never reused. They do not appear in the accessibility tree: labels come from a few words
and repeat on purpose, and widget names are the same in every row. Pressing a row's button prints
{"pressed": id} and toggling its check box prints {"toggled": id}, which shows a test the row that it
reached. Pressing a widget outside the rows prints {"pressed": "<its label>"}. The first line is
{"ready": true}.

    gtk3_mutations.py [--rows N] [--randomness N]
"""

import argparse
import json
import os
import random

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

NOUNS = ("Invoice", "Letter", "Report", "Draft", "Photo")
VERBS = ("Open", "Delete", "Share")
CHECKS = ("Done", "Pinned")


def say(value):
    print(json.dumps(value), flush=True)


class Row:
    """One row: a label, a button and a check box, with an id that is private to this program."""

    def __init__(self, identity, words):
        self.identity = identity
        self.label = Gtk.Label(label=words.choice(NOUNS), name="row-label")
        self.button = Gtk.Button(label=words.choice(VERBS), name="row-button")
        self.check = Gtk.CheckButton(label=words.choice(CHECKS), name="row-check")
        self.button.connect("clicked", lambda _: say({"pressed": identity}))
        self.check.connect("toggled", lambda _: say({"toggled": identity}))
        self.box = Gtk.Box(spacing=6, name="row")
        for widget in (self.label, self.button, self.check):
            self.box.pack_start(widget, False, False, 0)
        self.box.show_all()

    def truth(self):
        return {
            "id": self.identity,
            "label": self.label.get_text(),
            "button": self.button.get_label(),
            "check": self.check.get_label(),
            "checked": self.check.get_active(),
            **self.place(),
        }

    def place(self):
        area = self.button.get_allocation()
        window = self.button.get_window()
        if window is None or area.width <= 1:
            return {"x": None, "y": None, "width": None, "height": None}
        _, left, top = window.get_origin()
        return {"x": left + area.x, "y": top + area.y, "width": area.width, "height": area.height}


class Rows:
    """The list of rows and its commands."""

    def __init__(self, words):
        self.words = words
        self.next_identity = 1
        self.rows = []
        self.box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=2)

    def index(self, value, limit):
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < limit:
            raise ValueError(f"index {value!r} is not in 0..{limit - 1}")
        return value

    def insert(self, command):
        at = self.index(command["at"], len(self.rows) + 1)
        row = Row(self.next_identity, self.words)
        self.next_identity += 1
        self.rows.insert(at, row)
        self.box.pack_start(row.box, False, False, 0)
        self.box.reorder_child(row.box, at)
        return {"id": row.identity}

    def remove(self, command):
        row = self.rows.pop(self.index(command["at"], len(self.rows)))
        row.box.destroy()
        return {"id": row.identity}

    def rename(self, command):
        row = self.rows[self.index(command["at"], len(self.rows))]
        row.label.set_text(command["to"])
        return {"id": row.identity}

    def move(self, command):
        source = self.index(command["from"], len(self.rows))
        target = self.index(command["to"], len(self.rows))
        row = self.rows.pop(source)
        self.rows.insert(target, row)
        self.box.reorder_child(row.box, target)
        return {"id": row.identity}

    def swap(self, command):
        a = self.index(command["a"], len(self.rows))
        b = self.index(command["b"], len(self.rows))
        self.rows[a], self.rows[b] = self.rows[b], self.rows[a]
        for at in sorted((a, b)):
            self.box.reorder_child(self.rows[at].box, at)
        return {"ids": [self.rows[b].identity, self.rows[a].identity]}

    def clear(self, _command):
        removed = len(self.rows)
        for row in self.rows:
            row.box.destroy()
        self.rows.clear()
        return {"removed": removed}

    def list(self, _command):
        return {"rows": [row.truth() for row in self.rows]}

    def batch(self, command):
        answers = []
        for each in command["commands"]:
            answers.append(self.run(each))
            if not answers[-1]["ok"]:
                return {"ok": False, "error": "a command of the batch failed", "answers": answers}
        return {"answers": answers}

    def quit(self, _command):
        # Quit after the answer is written.
        GLib.idle_add(Gtk.main_quit)
        return {}

    def run(self, command):
        known = ("insert", "remove", "rename", "move", "swap", "clear", "list", "batch", "quit")
        try:
            verb = command["do"]
            if verb not in known:
                raise ValueError(f"unknown command {verb!r}; known: {', '.join(known)}")
            return {"ok": True, **getattr(self, verb)(command)}
        except (KeyError, TypeError, ValueError) as error:
            return {"ok": False, "error": f"{type(error).__name__}: {error}"}


def static_part():
    """Widgets that no command ever touches: frames, nested boxes and notebook pages."""
    notebook = Gtk.Notebook()
    for page in ("General", "Colours", "About"):
        column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=4)
        for group in ("First", "Second"):
            frame = Gtk.Frame(label=f"{group} group")
            inner = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=2)
            inner.add(Gtk.Label(label="Fixed label"))
            for label in ("Apply", "Open", f"{page} {group}"):
                button = Gtk.Button(label=label)
                button.connect("clicked", lambda pressed: say({"pressed": pressed.get_label()}))
                inner.add(button)
            inner.add(Gtk.CheckButton(label="Done"))
            inner.add(Gtk.Entry(text="fixed text"))
            frame.add(inner)
            column.add(frame)
        notebook.append_page(column, Gtk.Label(label=page))
    return notebook


def read_commands(rows, pending):
    # Bypass Python's buffer: a line that stays in it would not wake the main loop.
    data = os.read(0, 65536)
    pending += data
    while b"\n" in pending:
        line, _, rest = bytes(pending).partition(b"\n")
        pending[:] = rest
        try:
            command = json.loads(line)
        except ValueError as error:
            say({"ok": False, "error": f"not JSON: {error}"})
            continue
        say(rows.run(command))
    if not data:
        Gtk.main_quit()
        return GLib.SOURCE_REMOVE
    return GLib.SOURCE_CONTINUE


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=12)
    parser.add_argument("--randomness", type=int, default=1, help="the choice of words repeats by it")
    args = parser.parse_args()

    rows = Rows(random.Random(args.randomness))
    for at in range(args.rows):
        rows.run({"do": "insert", "at": at})
    scrolled = Gtk.ScrolledWindow(hexpand=True, vexpand=True)
    scrolled.add(rows.box)
    outer = Gtk.Box(spacing=6)
    outer.pack_start(scrolled, True, True, 0)
    outer.pack_start(static_part(), False, False, 0)
    window = Gtk.Window(title="Mutations", default_width=800, default_height=640)
    window.add(outer)
    window.connect("destroy", Gtk.main_quit)
    window.show_all()

    pending = bytearray()
    GLib.io_add_watch(0, GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP,
                      lambda *_: read_commands(rows, pending))
    GLib.timeout_add(0, lambda: say({"ready": True}))
    Gtk.main()


if __name__ == "__main__":
    main()
