#!/usr/bin/python3
"""A window whose buttons have effects of each kind: late ones, windows, and one that the tree does not show.

The buttons `Timer DELAY` change the label after a delay by a timer of the main loop, `Thread DELAY` by a
thread, and `Program DELAY` by a program that the app waits for. `Write file` only writes a line, `Open window`
opens a second window, and `Ask` a dialog that blocks its caller (not in GTK 4, which has none). Every effect
is one line in `effects.log` in the home folder: its name, a tab, and the monotonic time in nanoseconds.
Prints `ready` once the window is shown.

    delayed_effects.py gtk3|gtk4|qt5|qt6
"""

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

DELAYS_MS = {"none": 0, "short": 100, "medium": 300, "long": 500, "longest": 850}
TIMERS = [f"Timer {delay}" for delay in DELAYS_MS]
BUTTONS = [*TIMERS, "Thread long", "Program long", "Write file", "Open window", "Ask"]


class Effects:
    """The buttons' reactions, for any toolkit.

    `after` calls a function after some milliseconds, `invoke` calls one in the main loop from another
    thread, `show` changes the label, and `open_window` and `ask` open windows.
    """

    def __init__(self, log, after, invoke, show, open_window, ask):
        self.log = log
        self.after = after
        self.invoke = invoke
        self.show = show
        self.others = {"Write file": lambda: None, "Open window": open_window, "Ask": ask}

    def clicked(self, name):
        if name in self.others:
            self.say(name)
            self.others[name]()
            return
        kind, delay = name.split(" ")
        delay = DELAYS_MS[delay]
        if kind == "Timer":
            self.after(delay, lambda: self.finish(name))
        elif kind == "Thread":
            self.wait_in_thread(lambda: time.sleep(delay / 1000), name)
        else:
            program = subprocess.Popen(["sleep", str(delay / 1000)])
            self.wait_in_thread(program.wait, name)

    def wait_in_thread(self, wait, name):
        def run():
            wait()
            self.invoke(lambda: self.finish(name))

        threading.Thread(target=run, daemon=True).start()

    def finish(self, name):
        self.show(f"{name} has finished")
        self.say(name)

    def say(self, line):
        print(line, time.monotonic_ns(), sep="\t", file=self.log, flush=True)


def gtk(version, log):
    import gi

    gi.require_version("Gtk", version)
    from gi.repository import GLib, Gtk

    GLib.set_prgname("delayed-effects")
    label = Gtk.Label(label="Nothing has finished")

    def once(function):
        function()
        return GLib.SOURCE_REMOVE

    loop = GLib.MainLoop()
    window = Gtk.Window(title="Delayed effects", default_width=360)

    def open_window():
        other = Gtk.Window(title="Result")
        button = Gtk.Button(label="Close result")
        button.connect("clicked", lambda _button: other.destroy())
        if version == "3.0":
            other.add(button)
            other.show_all()
        else:
            other.set_child(button)
            other.present()

    def ask():
        dialog = Gtk.Dialog(title="Question", transient_for=window, modal=True)
        dialog.add_button("Accept", Gtk.ResponseType.OK)
        dialog.run()
        dialog.destroy()

    effects = Effects(
        log,
        lambda ms, function: GLib.timeout_add(ms, once, function),
        lambda function: GLib.idle_add(once, function),
        label.set_text,
        open_window,
        ask,
    )
    column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=6)
    widgets = [label, Gtk.CheckButton(label="Remember")]
    for name in BUTTONS:
        if name == "Ask" and version == "4.0":
            continue
        button = Gtk.Button(label=name)
        button.connect("clicked", lambda _button, name=name: effects.clicked(name))
        widgets.append(button)
    for widget in widgets:
        column.add(widget) if version == "3.0" else column.append(widget)
    if version == "3.0":
        window.add(column)
        window.connect("destroy", lambda _window: loop.quit())
        window.show_all()
    else:
        window.set_child(column)
        window.connect("close-request", lambda _window: loop.quit())
        window.present()
    GLib.timeout_add(0, lambda: print("ready", flush=True))
    loop.run()


def qt(version, log):
    if version == "5":
        from PyQt5.QtCore import QObject, QTimer, pyqtSignal
        from PyQt5.QtWidgets import QApplication, QCheckBox, QDialog, QLabel, QPushButton, QVBoxLayout, QWidget
    else:
        from PyQt6.QtCore import QObject, QTimer, pyqtSignal
        from PyQt6.QtWidgets import QApplication, QCheckBox, QDialog, QLabel, QPushButton, QVBoxLayout, QWidget

    class Caller(QObject):
        """Calls a function in the thread of the main loop."""

        called = pyqtSignal(object)

    # Qt's event loop does not run Python signal handlers, so the default handler must end the process.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    app = QApplication(sys.argv[:1])
    window = QWidget()
    window.setWindowTitle("Delayed effects")
    label = QLabel("Nothing has finished")
    caller = Caller()
    caller.called.connect(lambda function: function())

    def dialog(title, answer):
        opened = QDialog(window)
        opened.setWindowTitle(title)
        button = QPushButton(answer)
        button.clicked.connect(opened.accept)
        QVBoxLayout(opened).addWidget(button)
        return opened

    effects = Effects(
        log,
        QTimer.singleShot,
        caller.called.emit,
        label.setText,
        lambda: dialog("Result", "Close result").show(),
        lambda: dialog("Question", "Accept").exec(),
    )
    column = QVBoxLayout(window)
    column.addWidget(label)
    column.addWidget(QCheckBox("Remember"))
    for name in BUTTONS:
        button = QPushButton(name)
        button.clicked.connect(lambda _checked, name=name: effects.clicked(name))
        column.addWidget(button)
    window.show()
    QTimer.singleShot(0, lambda: print("ready", flush=True))
    sys.exit(app.exec())


def main():
    toolkit, version = sys.argv[1][:-1], sys.argv[1][-1]
    with open(Path.home() / "effects.log", "w", encoding="utf-8") as log:
        if toolkit == "gtk":
            gtk(f"{version}.0", log)
        else:
            qt(version, log)


if __name__ == "__main__":
    main()
