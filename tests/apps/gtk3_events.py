#!/usr/bin/python3
"""A GTK3 window that reports every pointer and keyboard event it receives, one JSON line each.

Coordinates are those of the whole X screen. Prints `ready` once the window is shown.
"""

import json

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402

KINDS = {
    Gdk.EventType.BUTTON_PRESS: "down",
    Gdk.EventType.DOUBLE_BUTTON_PRESS: "double",
    Gdk.EventType.TRIPLE_BUTTON_PRESS: "triple",
    Gdk.EventType.BUTTON_RELEASE: "up",
}
MODIFIERS = [
    (Gdk.ModifierType.SHIFT_MASK, "shift"),
    (Gdk.ModifierType.CONTROL_MASK, "control"),
    (Gdk.ModifierType.MOD1_MASK, "alt"),
    (Gdk.ModifierType.MOD4_MASK, "super"),
]


def tell(**fields):
    print(json.dumps(fields), flush=True)


def held(event):
    return [name for mask, name in MODIFIERS if event.state & mask]


def on_button(_widget, event):
    tell(event=KINDS[event.type], button=event.button, at=[round(event.x_root), round(event.y_root)],
         held=held(event))
    return False


def on_motion(_widget, event):
    dragging = bool(event.state & Gdk.ModifierType.BUTTON1_MASK)
    tell(event="motion", at=[round(event.x_root), round(event.y_root)], dragging=dragging)
    return False


def on_scroll(_widget, event):
    tell(event="scroll", direction=event.direction.value_nick, held=held(event))
    return False


def on_key(_widget, event):
    kind = "key down" if event.type == Gdk.EventType.KEY_PRESS else "key up"
    tell(event=kind, key=Gdk.keyval_name(event.keyval), held=held(event), time=event.time)
    return False


def main():
    area = Gtk.DrawingArea(can_focus=True)
    area.get_accessible().set_name("Events")
    area.add_events(
        Gdk.EventMask.BUTTON_PRESS_MASK | Gdk.EventMask.BUTTON_RELEASE_MASK
        | Gdk.EventMask.POINTER_MOTION_MASK | Gdk.EventMask.SCROLL_MASK
    )
    area.connect("button-press-event", on_button)
    area.connect("button-release-event", on_button)
    area.connect("motion-notify-event", on_motion)
    area.connect("scroll-event", on_scroll)
    area.connect("key-press-event", on_key)
    area.connect("key-release-event", on_key)
    window = Gtk.Window(title="Events")
    window.set_default_size(600, 400)
    window.add(area)
    window.connect("destroy", Gtk.main_quit)
    window.show_all()
    area.grab_focus()
    GLib.idle_add(lambda: print("ready", flush=True))
    Gtk.main()


main()
