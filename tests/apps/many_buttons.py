#!/usr/bin/python3
"""A window with thousands of sibling buttons, `Button 0` to `Button N-1`.

    many_buttons.py gtk3|gtk4|qt6 [COUNT]      default: 3000

Prints `ready` once the window is shown, and `pressed N` for each pressed button. Needs Debian's
python3-gi or python3-pyqt6.
"""

import signal
import sys


def say(line):
    print(line, flush=True)


def run_gtk3(count):
    import gi

    gi.require_version("Gtk", "3.0")
    from gi.repository import GLib, Gtk

    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    for number in range(count):
        button = Gtk.Button(label=f"Button {number}")
        button.connect("clicked", lambda _button, number=number: say(f"pressed {number}"))
        box.add(button)
    scrolled = Gtk.ScrolledWindow()
    scrolled.add(box)
    window = Gtk.Window(title="Many buttons", default_width=400, default_height=400)
    window.add(scrolled)
    window.connect("destroy", Gtk.main_quit)
    window.show_all()
    GLib.timeout_add(0, lambda: say("ready"))
    Gtk.main()


def run_gtk4(count):
    import gi

    gi.require_version("Gtk", "4.0")
    from gi.repository import GLib, Gtk

    Gtk.init()
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    for number in range(count):
        button = Gtk.Button(label=f"Button {number}")
        button.connect("clicked", lambda _button, number=number: say(f"pressed {number}"))
        box.append(button)
    loop = GLib.MainLoop()
    window = Gtk.Window(title="Many buttons", default_width=400, default_height=400)
    window.set_child(Gtk.ScrolledWindow(child=box))
    window.connect("close-request", lambda _window: loop.quit())
    window.present()
    GLib.timeout_add(0, lambda: say("ready"))
    loop.run()


def run_qt6(count):
    from PyQt6.QtCore import QTimer
    from PyQt6.QtWidgets import QApplication, QPushButton, QScrollArea, QVBoxLayout, QWidget

    application = QApplication(sys.argv)
    body = QWidget()
    layout = QVBoxLayout(body)
    for number in range(count):
        button = QPushButton(f"Button {number}")
        button.clicked.connect(lambda _checked, number=number: say(f"pressed {number}"))
        layout.addWidget(button)
    window = QScrollArea()
    window.setWindowTitle("Many buttons")
    window.setWidget(body)
    window.resize(400, 400)
    window.show()
    QTimer.singleShot(0, lambda: say("ready"))
    application.exec()


def main():
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 3000
    {"gtk3": run_gtk3, "gtk4": run_gtk4, "qt6": run_qt6}[sys.argv[1]](count)


if __name__ == "__main__":
    main()
