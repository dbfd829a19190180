#!/usr/bin/python3
"""A GTK3 window whose program starts a child process: `gtk3_parent.py OUTPUT COMMAND...`.

The output of the command goes to the file OUTPUT. Prints `ready` once the window is shown.
"""

import subprocess
import sys
import threading

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402


def start():
    with open(sys.argv[1], "wb") as output:
        subprocess.run(sys.argv[2:], stdout=output, stderr=output, check=False)


def pressed(button):
    button.set_label("Pressed")


def shown():
    print("ready", flush=True)
    threading.Thread(target=start, daemon=True).start()


window = Gtk.Window(title="Parent")
button = Gtk.Button(label="Press me")
button.connect("clicked", pressed)
window.add(button)
window.connect("destroy", Gtk.main_quit)
window.show_all()
GLib.timeout_add(500, shown)
Gtk.main()
