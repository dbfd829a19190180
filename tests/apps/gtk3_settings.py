#!/usr/bin/python3
"""A GTK3 window with destructive controls (a button and a switch) and harmless ones.

Every event is printed as one JSON line and shown in a label. "Save a copy" opens a dialog. The delete
button has the initial focus. Prints `ready` once the window is shown.
"""

import json

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402


def named(widget, name):
    widget.get_accessible().set_name(name)
    return widget


def main():
    GLib.set_prgname("settings")
    window = Gtk.Window(title="Settings", default_width=360, default_height=260)
    shown = Gtk.Label(label="3 items")

    def tell(**fields):
        print(json.dumps(fields), flush=True)

    def on_delete(_button):
        shown.set_text("no items")
        tell(did="delete")

    def on_reset(check):
        tell(did="reset", on=check.get_active())

    def on_keep(_button):
        shown.set_text("all kept")
        tell(did="keep")

    def on_copy(_button):
        dialog = Gtk.Dialog(title="Save As", transient_for=window)
        dialog.add_button("Cancel", Gtk.ResponseType.CANCEL)
        dialog.connect("response", lambda it, _answer: it.destroy())
        dialog.show_all()
        tell(did="copy")

    delete = Gtk.Button(label="Delete All Data")
    delete.connect("clicked", on_delete)
    reset = Gtk.CheckButton(label="Reset on exit")
    reset.connect("toggled", on_reset)
    keep = Gtk.Button(label="Keep everything")
    keep.connect("clicked", on_keep)
    copy = Gtk.Button(label="Save a copy")
    copy.connect("clicked", on_copy)

    bar = Gtk.Toolbar()
    bar.insert(Gtk.ToolButton(label="Find"), 0)
    column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=6)
    for widget in [named(bar, "Main"), delete, reset, keep, copy,
                   named(Gtk.Entry(text="tomorrow"), "Close date"), shown]:
        column.add(widget)
    window.add(column)
    window.connect("destroy", Gtk.main_quit)
    window.show_all()
    delete.grab_focus()
    GLib.timeout_add(0, lambda: print("ready", flush=True))
    Gtk.main()


if __name__ == "__main__":
    main()
