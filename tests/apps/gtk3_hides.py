#!/usr/bin/python3
"""A GTK3 window that is hidden when it is closed, as apps do that stay in a tray: the X server knows it on."""

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

window = Gtk.Window(title="Hides")
window.add(Gtk.Button(label="Stay"))
window.connect("delete-event", lambda *_: window.hide_on_delete())
window.show_all()
GLib.timeout_add(0, lambda: print("ready", flush=True))
Gtk.main()
