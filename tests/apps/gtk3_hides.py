#!/usr/bin/python3
"""A GTK3 window that hides instead of closing, like apps with a tray icon. The X window still exists."""

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

window = Gtk.Window(title="Hides")
window.add(Gtk.Button(label="Stay"))
window.connect("delete-event", lambda *_: window.hide_on_delete())
window.show_all()
GLib.timeout_add(0, lambda: print("ready", flush=True))
Gtk.main()
