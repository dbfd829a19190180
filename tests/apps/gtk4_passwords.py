#!/usr/bin/python3
"""A GTK4 window with secrets: a password entry, a hidden entry and a plain entry, all with preset text.

The first two contain `hunter2-secret`, which no reader may show (GTK 4.8 itself exposes it as plain
text). The window also has a check button, a switch, a button, and a list view of 1,000 strings whose
rows are recycled while scrolling. Prints `ready` once the window is shown and `pressed` when the button
is pressed. Needs Debian's gir1.2-gtk-4.0.
"""

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import GLib, Gtk  # noqa: E402

SECRET = "hunter2-secret"


def named(widget, name):
    widget.update_property([Gtk.AccessibleProperty.LABEL], [name])
    return widget


def string_list():
    factory = Gtk.SignalListItemFactory()
    factory.connect("setup", lambda _, item: item.set_child(Gtk.Label(xalign=0)))
    factory.connect("bind", lambda _, item: item.get_child().set_label(item.get_item().get_string()))
    strings = Gtk.StringList.new([f"String {number}" for number in range(1000)])
    view = Gtk.ListView(model=Gtk.SingleSelection(model=strings), factory=factory)
    return Gtk.ScrolledWindow(child=view, vexpand=True)


def on_activate(app):
    password = Gtk.PasswordEntry(show_peek_icon=True)
    password.set_text(SECRET)
    column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=6)
    column.append(named(password, "Password"))
    column.append(named(Gtk.Entry(text=SECRET, visibility=False), "Hidden entry"))
    column.append(named(Gtk.Entry(text="plain text"), "Plain entry"))
    column.append(Gtk.CheckButton(label="Remember me"))
    column.append(named(Gtk.Switch(halign=Gtk.Align.START), "Wireless"))
    button = Gtk.Button(label="Sign in")
    button.connect("clicked", lambda _: print("pressed", flush=True))
    column.append(button)
    column.append(string_list())

    window = Gtk.ApplicationWindow(application=app, title="GTK4 passwords", child=column,
                                   default_width=400, default_height=500)
    window.present()
    GLib.timeout_add(0, lambda: print("ready", flush=True))


def main():
    app = Gtk.Application(application_id="org.deskhand.Gtk4Passwords")
    app.connect("activate", on_activate)
    app.run(None)


if __name__ == "__main__":
    main()
