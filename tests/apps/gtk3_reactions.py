#!/usr/bin/python3
"""A GTK 3 window whose widgets react in ways that are easy to misread.

A dialog blocks its caller, a check box springs back, an entry rewrites its text, a column header sorts its
table, a list with two columns has a selected row, and icons have an action that opens them. Every reaction is one line in `reactions.log` in the home
folder. Prints `ready` once the window is shown.
"""

from pathlib import Path

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

FILES = ["letter.txt", "photo.png"]
ROWS = ["report", "invoice", "contract"]


class Window(Gtk.Window):
    """The window with its widgets."""

    def __init__(self, log):
        super().__init__(title="Reactions", default_width=420, default_height=620)
        self.log = log
        column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=6, margin=6)
        for widget in (self.menus(), self.opener(), self.spring(), self.upper(), self.table(), self.listing(), self.icons(), self.idle()):
            column.pack_start(widget, False, False, 0)
        self.add(column)
        self.connect("destroy", Gtk.main_quit)

    def say(self, line):
        print(line, file=self.log, flush=True)

    def menus(self):
        options = Gtk.MenuItem(label="Options")
        options.connect("activate", self.ask)
        menu = Gtk.Menu()
        menu.append(options)
        file = Gtk.MenuItem(label="File")
        file.set_submenu(menu)
        bar = Gtk.MenuBar()
        bar.append(file)
        bar.append(self.late_menu())
        return bar

    def late_menu(self):
        """Returns a menu that has no items until it is opened."""
        menu = Gtk.Menu()
        late = Gtk.MenuItem(label="Late")
        late.set_submenu(menu)

        def fill(_late):
            if not menu.get_children():
                item = Gtk.MenuItem(label="Do it")
                item.connect("activate", lambda _item: self.say("did it"))
                menu.append(item)
                menu.show_all()

        late.connect("activate", fill)
        return late

    def opener(self):
        button = Gtk.Button(label="Open options")
        button.connect("clicked", self.ask)
        return button

    def ask(self, _widget):
        """Shows a dialog and waits for its answer in a main loop of its own."""
        dialog = Gtk.Dialog(title="Choose options", transient_for=self, modal=True)
        dialog.add_button("Accept", Gtk.ResponseType.OK)
        dialog.get_content_area().add(Gtk.Label(label="Some option"))
        dialog.show_all()
        self.say("dialog opened")
        answer = dialog.run()
        self.say("dialog accepted" if answer == Gtk.ResponseType.OK else "dialog cancelled")
        dialog.destroy()

    def spring(self):
        check = Gtk.CheckButton(label="Spring")

        def toggled(_check):
            self.say(f"spring {check.get_active()}")
            if check.get_active():
                GLib.idle_add(lambda: check.set_active(False))

        check.connect("toggled", toggled)
        return check

    def upper(self):
        entry = Gtk.Entry()
        entry.get_accessible().set_name("Upper")

        def rewrite():
            text = entry.get_text()
            if text != text.upper():
                entry.set_text(text.upper())
            self.say(f"upper {entry.get_text()}")

        entry.connect("changed", lambda _entry: GLib.idle_add(rewrite))
        return entry

    def table(self):
        store = Gtk.ListStore(str)
        for name in ("pear", "quince", "apple"):
            store.append((name,))
        store.connect("rows-reordered", lambda *_: self.say("order " + " ".join(row[0] for row in store)))
        view = Gtk.TreeView(model=store)
        column = Gtk.TreeViewColumn("Fruit", Gtk.CellRendererText(), text=0)
        column.set_sort_column_id(0)
        view.append_column(column)
        return view

    def listing(self):
        store = Gtk.ListStore(str, str)
        for name in ROWS:
            store.append((name, "4 kB"))
        view = Gtk.TreeView(model=store)
        for index, title in enumerate(("Document", "Size")):
            view.append_column(Gtk.TreeViewColumn(title, Gtk.CellRendererText(), text=index))
        selection = view.get_selection()
        selection.set_mode(Gtk.SelectionMode.MULTIPLE)
        selection.select_path(0)

        def selected(_selection):
            self.say("rows " + " ".join(store[path][0] for path in selection.get_selected_rows()[1]))

        selection.connect("changed", selected)
        return view

    def icons(self):
        store = Gtk.ListStore(str)
        for name in FILES:
            store.append((name,))
        view = Gtk.IconView(model=store, text_column=0)

        def selected(_view):
            self.say("selected " + " ".join(store[path][0] for path in view.get_selected_items()))

        view.connect("selection-changed", selected)
        view.connect("item-activated", lambda _view, path: self.say(f"opened {store[path][0]}"))
        return view

    def idle(self):
        button = Gtk.Button(label="Do nothing")
        button.connect("clicked", lambda _button: self.say("nothing done"))
        return button


def main():
    GLib.set_prgname("reactions")
    with open(Path.home() / "reactions.log", "w", encoding="utf-8") as log:
        Window(log).show_all()
        GLib.timeout_add(0, lambda: print("ready", flush=True))
        Gtk.main()


if __name__ == "__main__":
    main()
