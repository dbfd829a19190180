#!/usr/bin/python3
"""A GTK3 window with secrets: a password entry, a hidden entry and a plain entry, all with preset text.

The first two contain `hunter2-secret`, which no reader may show. The window also has a check button, a
switch and a list of 1,000 strings. With the argument `dialog`, a dialog covers a part of the passwords.
Prints `ready` once the window is shown.
"""

import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

SECRET = "hunter2-secret"


def named(widget, name):
    widget.get_accessible().set_name(name)
    return widget


def main():
    column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=6)
    column.add(named(Gtk.Entry(text=SECRET, visibility=False,
                               input_purpose=Gtk.InputPurpose.PASSWORD), "Password"))
    column.add(named(Gtk.Entry(text=SECRET, visibility=False), "Hidden entry"))
    column.add(named(Gtk.Entry(text="plain text"), "Plain entry"))
    column.add(Gtk.CheckButton(label="Remember me"))
    column.add(named(Gtk.Switch(halign=Gtk.Align.START), "Wireless"))

    store = Gtk.ListStore(str)
    for number in range(1000):
        store.append((f"String {number}",))
    view = Gtk.TreeView(model=store)
    view.append_column(Gtk.TreeViewColumn("Strings", Gtk.CellRendererText(), text=0))
    scrolled = Gtk.ScrolledWindow(vexpand=True)
    scrolled.add(view)
    column.add(scrolled)

    window = Gtk.Window(title="GTK3 passwords", default_width=400, default_height=500)
    window.add(column)
    window.connect("destroy", Gtk.main_quit)
    window.show_all()
    if "dialog" in sys.argv[1:]:
        dialog = Gtk.Dialog(title="A question", transient_for=window, default_width=200)
        dialog.get_content_area().add(Gtk.Label(label="Keep the changes?\n" * 4))
        dialog.show_all()
        dialog.move(*window.get_position())
    GLib.timeout_add(0, lambda: print("ready", flush=True))
    Gtk.main()


if __name__ == "__main__":
    main()
