#!/usr/bin/python3
"""A window whose modal dialog opens another modal dialog, with menus and fields of repeated names.

    nested_dialogs.py gtk3|qt6

The main window has the buttons `Sites` and `Save`, the menus `File` and `Tools`, and a field in an
editable combo box labelled `Search for`. `Sites` opens a modal dialog, whose `OK` opens the modal dialog
`Remember passwords?`. The `OK` of that dialog closes both. Each dialog has a `Save` button, too. Prints
`ready`, then a line for everything that happens, such as `sites opened` or `menu Save As`. The line
`text` on stdin prints the text of the field. Needs Debian's python3-gi or python3-pyqt6.
"""

import os
import signal
import sys


def say(line):
    print(line, flush=True)


def run_gtk3():
    import gi

    gi.require_version("Gtk", "3.0")
    from gi.repository import GLib, Gtk

    def item(label, line):
        entry = Gtk.MenuItem.new_with_mnemonic(label)
        entry.connect("activate", lambda _item: say(line))
        return entry

    def menu(label, *entries):
        title = Gtk.MenuItem.new_with_mnemonic(label)
        title.set_submenu(Gtk.Menu())
        for entry in entries:
            title.get_submenu().append(entry)
        return title

    def dialog(parent, title, line):
        made = Gtk.Dialog(title=title, transient_for=parent, modal=True)
        save = Gtk.Button(label="Save")
        save.connect("clicked", lambda _button: say(f"{line} save"))
        made.get_content_area().add(save)
        made.add_button("OK", Gtk.ResponseType.OK)
        made.connect("destroy", lambda _dialog: say(f"{line} closed"))
        return made

    def ask(sites):
        inner = dialog(sites, "Remember passwords?", "remember")
        inner.connect("response", lambda *_: (inner.destroy(), sites.destroy()))
        inner.show_all()
        say("remember opened")

    def open_sites(window):
        sites = dialog(window, "Site Manager", "sites")
        sites.connect("response", lambda *_: ask(sites))
        sites.show_all()
        say("sites opened")

    window = Gtk.Window(title="Nested dialogs")
    bar = Gtk.MenuBar()
    bar.append(menu("_File", item("_Save", "menu Save"), item("Save _As…", "menu Save As")))
    bar.append(menu("_Tools", menu("_Convert", item("To _PDF...", "menu To PDF"))))
    label = Gtk.Label.new_with_mnemonic("Search _for:")
    combo = Gtk.ComboBoxText.new_with_entry()
    for choice in ("alpha", "beta"):
        combo.append_text(choice)
    label.set_mnemonic_widget(combo)
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    sites, save = Gtk.Button(label="Sites"), Gtk.Button(label="Save")
    sites.connect("clicked", lambda _button: open_sites(window))
    save.connect("clicked", lambda _button: say("main save"))
    for child in (bar, label, combo, sites, save):
        box.pack_start(child, False, False, 0)
    window.add(box)
    window.connect("destroy", Gtk.main_quit)
    window.show_all()

    def answer():
        if os.read(0, 4096).strip() == b"text":
            say(f"text {combo.get_child().get_text()}")
        return GLib.SOURCE_CONTINUE

    GLib.io_add_watch(0, GLib.PRIORITY_DEFAULT, GLib.IO_IN, lambda *_: answer())
    GLib.timeout_add(0, lambda: say("ready"))
    Gtk.main()


def run_qt6():
    from PyQt6.QtCore import QSocketNotifier, QTimer
    from PyQt6.QtWidgets import (QApplication, QComboBox, QDialog, QFormLayout, QMainWindow,
                                 QPushButton, QVBoxLayout, QWidget)

    class Dialog(QDialog):
        """A modal dialog with `Save` and `OK`."""

        def __init__(self, parent, title, line, confirm):
            super().__init__(parent)
            self.line = line
            self.setWindowTitle(title)
            layout = QVBoxLayout(self)
            save, ok = QPushButton("Save"), QPushButton("OK")
            save.clicked.connect(lambda: say(f"{line} save"))
            ok.clicked.connect(lambda: confirm(self))
            layout.addWidget(save)
            layout.addWidget(ok)
            self.finished.connect(lambda _result: say(f"{line} closed"))

        def show_modal(self):
            QTimer.singleShot(0, lambda: say(f"{self.line} opened"))
            self.exec()

    def ask(sites):
        Dialog(sites, "Remember passwords?", "remember", lambda inner: inner.accept()).show_modal()
        sites.accept()

    application = QApplication(sys.argv)
    window = QMainWindow()
    window.setWindowTitle("Nested dialogs")
    menu = window.menuBar().addMenu("&File")
    menu.addAction("&Save", lambda: say("menu Save"))
    menu.addAction("Save &As…", lambda: say("menu Save As"))
    convert = window.menuBar().addMenu("&Tools").addMenu("&Convert")
    convert.addAction("To &PDF...", lambda: say("menu To PDF"))
    combo = QComboBox(editable=True)
    combo.addItems(("alpha", "beta"))
    combo.setEditText("")
    body = QWidget()
    form = QFormLayout(body)
    form.addRow("Search &for:", combo)
    sites, save = QPushButton("Sites"), QPushButton("Save")
    sites.clicked.connect(lambda: Dialog(window, "Site Manager", "sites", ask).show_modal())
    save.clicked.connect(lambda: say("main save"))
    form.addRow(sites)
    form.addRow(save)
    window.setCentralWidget(body)
    window.show()
    commands = QSocketNotifier(0, QSocketNotifier.Type.Read)

    def answer():
        if os.read(0, 4096).strip() == b"text":
            say(f"text {combo.currentText()}")

    commands.activated.connect(answer)
    QTimer.singleShot(0, lambda: say("ready"))
    application.exec()


def main():
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    {"gtk3": run_gtk3, "qt6": run_qt6}[sys.argv[1]]()


if __name__ == "__main__":
    main()
