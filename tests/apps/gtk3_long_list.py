#!/usr/bin/python3
"""A GTK3 list too long to read whole: a tree view of ROWS rows beside an entry and a button.

    gtk3_long_list.py [ROWS]      ROWS is 100000 when absent

Each line `ping` on stdin is answered with `pong` from the main loop, so a test can tell whether
the program still answers. `ready` is printed once the window is shown, `pressed` when the button
is pressed. Nothing else is ever printed. The end of stdin changes nothing; `quit` ends it.
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
    # Read past Python's buffer: a line left in it would not wake the main loop again.
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
    # A default idle would wait for the tree view to measure all its rows, which takes seconds.
    GLib.timeout_add(0, lambda: say("ready"), priority=GLib.PRIORITY_HIGH)
    Gtk.main()


if __name__ == "__main__":
    main()
