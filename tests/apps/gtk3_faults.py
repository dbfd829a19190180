#!/usr/bin/python3
"""A GTK3 window whose buttons cause failures. It prints every event it receives.

    Count    prints `count N`
    Die      prints `dying` and kills the process
    Freeze   prints `freezing` and stops responding
    Ask      prints `asking` and opens a modal dialog, whose Yes prints `yes`
    Never    is disabled

Each change of the entry prints `text TEXT` (JSON). Slow is an entry that blocks the program for three
seconds when it receives the focus. The line `close` on standard input destroys the window, but the program
continues to run. Prints `ready` once the window is shown.
"""

import json
import os
import signal
import sys
import time

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

count = 0


def say(line):
    print(line, flush=True)


def counted(_button):
    global count
    count += 1
    say(f"count {count}")


def die(_button):
    say("dying")
    os.kill(os.getpid(), signal.SIGKILL)


def freeze(_button):
    say("freezing")
    time.sleep(3600)


def ask(button):
    say("asking")
    dialog = Gtk.MessageDialog(transient_for=button.get_toplevel(), modal=True,
                               buttons=Gtk.ButtonsType.YES_NO, text="Shall it be?")
    dialog.set_title("Question")

    def answered(dialog, answer):
        say("yes" if answer == Gtk.ResponseType.YES else "no")
        dialog.destroy()

    dialog.connect("response", answered)
    dialog.show_all()


def slowly(entry):
    say("slowly")
    time.sleep(3)


def heard(channel, _condition, window):
    line = channel.readline()
    if not line:
        return False
    if line.strip() == "close":
        window.destroy()
        say("closed")
    return True


def main():
    column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=6)
    for label, pressed in (("Count", counted), ("Die", die), ("Freeze", freeze), ("Ask", ask)):
        button = Gtk.Button(label=label)
        button.connect("clicked", pressed)
        column.add(button)
    column.add(Gtk.Button(label="Never", sensitive=False))
    entry = Gtk.Entry()
    entry.get_accessible().set_name("Words")
    entry.connect("changed", lambda entry: say("text " + json.dumps(entry.get_text())))
    column.add(entry)
    slow = Gtk.Entry()
    slow.get_accessible().set_name("Slow")
    slow.connect("grab-focus", slowly)
    slow.connect("changed", lambda entry: say("slow " + json.dumps(entry.get_text())))
    column.add(slow)
    window = Gtk.Window(title="Faults", default_width=300, default_height=300)
    window.add(column)
    window.show_all()
    GLib.io_add_watch(sys.stdin, GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, heard, window)
    GLib.timeout_add(0, lambda: say("ready"))
    Gtk.main()


if __name__ == "__main__":
    main()
