#!/usr/bin/python3
"""A GTK3 window that must not be touched: it reports every event it receives, one JSON line each.

It contains a word that no caller may read, on a background color that no caller may see. Commands on
stdin, one per line:

    state            prints its content and the number of presses
    title WORDS      sets the window title
    raise            raises the window
    lower            lowers the window
    begin            starts reporting events
    name WORDS       sets the accessible name of the window
    surprise         hides the second button until the first is pressed, then shows and focuses it
    focus WORDS      focuses the button with this label, or the entry if WORDS is empty

Prints `ready` once the window is shown.
"""

import json
import sys
import threading

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402

WORD = "CANARY-7351"
TITLE = "ledger-9127"
STYLE = b"window, box { background: #ff00ff; }"


def tell(**fields):
    print(json.dumps(fields), flush=True)


class Vault:
    def __init__(self):
        self.pressed = {}
        self.quiet = True
        self.surprises = False
        style = Gtk.CssProvider()
        style.load_from_data(STYLE)
        Gtk.StyleContext.add_provider_for_screen(Gdk.Screen.get_default(), style, 800)
        self.window = Gtk.Window(title=TITLE)
        self.window.set_default_size(500, 420)
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=12, margin=24)
        self.entry = Gtk.Entry(text=WORD)
        self.entry.get_accessible().set_name("Ledger")
        self.check = Gtk.CheckButton(label="Armed")
        self.scale = Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 1)
        self.scale.get_accessible().set_name("Level")
        box.pack_start(self.entry, False, False, 0)
        self.buttons = {}
        for label in ("Press me", "Delete everything"):
            button = self.buttons[label] = Gtk.Button(label=label)
            button.connect("clicked", self.on_press, label)
            box.pack_start(button, False, False, 0)
        box.pack_start(self.check, False, False, 0)
        box.pack_start(self.scale, False, False, 0)
        self.entry.connect("changed", lambda _: self.say(changed=self.entry.get_text()))
        self.check.connect("toggled", lambda _: self.say(toggled=self.check.get_active()))
        self.scale.connect("value-changed", lambda _: self.say(moved=self.scale.get_value()))
        self.window.add_events(Gdk.EventMask.SCROLL_MASK | Gdk.EventMask.BUTTON_PRESS_MASK)
        for event in ("button-press-event", "key-press-event", "scroll-event"):
            self.window.connect(event, self.on_event)
        self.window.connect("window-state-event", self.on_state)
        self.window.connect("delete-event", self.on_delete)
        self.window.connect("configure-event", self.on_place)
        self.window.add(box)
        self.place = None
        self.window.show_all()

    def say(self, **fields):
        if not self.quiet:
            tell(**fields)

    def on_press(self, _button, label):
        self.pressed[label] = self.pressed.get(label, 0) + 1
        self.say(pressed=label)
        if self.surprises:
            self.buttons["Delete everything"].show()
            self.buttons["Delete everything"].grab_focus()

    def on_event(self, _widget, event):
        self.say(event=event.type.value_nick)
        return False

    def on_state(self, _widget, event):
        hard = Gdk.WindowState.ICONIFIED | Gdk.WindowState.MAXIMIZED | Gdk.WindowState.FULLSCREEN
        if event.changed_mask & hard:
            self.say(state=event.new_window_state.value_nicks)
        return False

    def on_delete(self, *_):
        self.say(closed=True)
        return True

    def on_place(self, _widget, event):
        place = (event.x, event.y, event.width, event.height)
        if self.place not in (None, place):
            self.say(placed=place)
        self.place = place
        return False

    def obey(self, line):
        command, _, words = line.partition(" ")
        if command == "state":
            tell(held=self.entry.get_text(), armed=self.check.get_active(),
                 level=self.scale.get_value(), pressed=self.pressed)
        elif command == "title":
            self.window.set_title(words)
        elif command == "name":
            self.window.get_accessible().set_name(words)
        elif command == "raise":
            self.window.get_window().raise_()
            self.window.present()
        elif command == "lower":
            self.window.get_window().lower()
        elif command == "focus":
            self.buttons.get(words, self.entry).grab_focus()
        elif command == "surprise":
            self.surprises = True
            self.buttons["Delete everything"].hide()
        elif command == "begin":
            self.quiet = False
        return False


def main():
    vault = Vault()

    def read():
        for line in sys.stdin:
            GLib.idle_add(vault.obey, line.rstrip("\n"))

    threading.Thread(target=read, daemon=True).start()
    GLib.idle_add(lambda: print("ready", flush=True))
    Gtk.main()


main()
