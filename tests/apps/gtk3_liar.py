#!/usr/bin/python3
"""A GTK3 window of a program that claims to be the program named in its first argument.

With `hidden` as the second argument it makes its memory unreadable, like password managers. The system
then hides its executable path from other programs of the same user.

Prints `ready` once the window is shown.
"""

import ctypes
import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

PR_SET_DUMPABLE, PR_SET_NAME = 4, 15
if "hidden" in sys.argv[2:]:
    system = ctypes.CDLL(None)
    system.prctl(PR_SET_NAME, sys.argv[1].encode(), 0, 0, 0)
    system.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
GLib.set_prgname(sys.argv[1])
GLib.set_application_name(sys.argv[1])
Gtk.init([])
window = Gtk.Window(title=f"Untitled 1 - {sys.argv[1].title()}")
window.set_default_size(400, 200)
window.add(Gtk.Label(label="All is well"))
window.connect("destroy", Gtk.main_quit)
window.show_all()
GLib.idle_add(lambda: print("ready", flush=True))
Gtk.main()
