#!/usr/bin/python3
"""A GTK3 list that is too long to read completely: a tree view with ROWS rows, an entry and a button.

    gtk3_long_list.py [ROWS]      default: 100000

The main loop answers each line `ping` on stdin with `pong`, so a test can check that the program
responds. Prints `ready` once the window is shown and `pressed` when the button is pressed, and nothing
else. The line `quit` ends the program; the end of stdin does not.
"""

import os
import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402


def say(line):
    print(line, flush=True)


def build(rows):
    store = Gtk.ListStore(str, int)
    for number in range(rows):
        store.append((f"Row {number}", number))

    view = Gtk.TreeView(model=store)
    for column, title in enumerate(("Title", "Number")):
        view.append_column(Gtk.TreeViewColumn(title, Gtk.CellRendererText(), text=column))
    scrolled = Gtk.ScrolledWindow(hexpand=True, vexpand=True)
    scrolled.add(view)

    entry = Gtk.Entry(text="beside the list")
    entry.get_accessible().set_name("Filter")
    button = Gtk.Button(label="Refresh")
    button.connect("clicked", lambda _button: say("pressed"))

    side = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=6)
    side.pack_start(entry, False, False, 0)
    side.pack_start(button, False, False, 0)
    row = Gtk.Box(spacing=6)
    row.pack_start(scrolled, True, True, 0)
    row.pack_start(side, False, False, 0)

    window = Gtk.Window(title="Long list", default_width=700, default_height=500)
    window.add(row)
    window.connect("destroy", Gtk.main_quit)
    window.show_all()


def answer(line):
    if line == "ping":
        say("pong")
    elif line == "quit":
        Gtk.main_quit()


def read_commands(pending=bytearray()):
    # Bypass Python's buffer: a line that stays in it would not wake the main loop.
    data = os.read(0, 65536)
    pending += data
    while b"\n" in pending:
        line, _, rest = bytes(pending).partition(b"\n")
        pending[:] = rest
        answer(line.decode().strip())
    return GLib.SOURCE_CONTINUE if data else GLib.SOURCE_REMOVE


def main():
    build(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
    GLib.io_add_watch(0, GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, lambda *_: read_commands())
    # A handler with default priority would wait until the tree view has measured all rows, for seconds.
    GLib.timeout_add(0, lambda: say("ready"), priority=GLib.PRIORITY_HIGH)
    Gtk.main()


if __name__ == "__main__":
    main()
