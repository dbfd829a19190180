#!/usr/bin/python3
"""A GTK3 window with unusual widget names that a reader must handle and report correctly.

Names (empty, 1 MB, control characters, right-to-left, zero-width, bytes that are not UTF-8,
quotes and brackets), 200 nested boxes, a hidden widget and an insensitive button. The invalid bytes are
set through C to bypass Python's checks. Prints `ready` once the window is shown.
"""

import ctypes

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

DEPTH = 200

# One button each, in this order.
NAMES = (
    "",
    " ",
    "x" * (1024 * 1024),
    "one\x01two\x02three\x7ffour",
    "\x1b[31mred\x1b[0m \x1b]0;title\x07",
    "first line\nsecond line\ttabbed\r\nthird",
    "\u05e9\u05dc\u05d5\u05dd \u202eevil.exe\u202c \u0645\u0631\u062d\u0628\u0627",
    "zero\u200bwidth\u200d\ufeffjoin\u2060ed",
    "cafe\u0301 \U0001f469\u200d\U0001f469\u200d\U0001f467 \U0010ffff",
    'quote " apostrophe \' back\\slash [bracket] {brace} <tag> &amp; e12 #id /path',
    "role:button title:\"nested\" //AXButton[@AXTitle='x']",
    "Same name",
    "Same name",
)

# Not UTF-8: a lone continuation byte, a cut sequence, a surrogate, an overlong slash.
INVALID = (b"lone \x80 byte", b"cut \xe2\x82", b"surrogate \xed\xa0\x80 half", b"overlong \xc0\xaf")


def native(gobject):
    """The C pointer of a GObject wrapper, for calls that must not go through Python's checks."""
    return ctypes.c_void_p(hash(gobject))


def set_raw_name(widget, raw):
    atk = ctypes.CDLL("libatk-1.0.so.0")
    atk.atk_object_set_name.argtypes = (ctypes.c_void_p, ctypes.c_char_p)
    atk.atk_object_set_name.restype = None
    atk.atk_object_set_name(native(widget.get_accessible()), raw)


def nested():
    innermost = Gtk.Button(label="Innermost")
    widget = innermost
    for _ in range(DEPTH):
        box = Gtk.Box()
        box.add(widget)
        widget = box
    return widget


def main():
    column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=2)
    for name in NAMES:
        # Only the accessible name is this long: a label of 1 MB would make the window unusable.
        button = Gtk.Button(label="odd")
        button.get_accessible().set_name(name)
        column.add(button)
    for raw in INVALID:
        button = Gtk.Button(label="invalid")
        set_raw_name(button, raw)
        column.add(button)
    hidden = Gtk.Button(label="Hidden", no_show_all=True)
    column.add(hidden)
    column.add(Gtk.Button(label="Insensitive", sensitive=False))
    entry = Gtk.Entry(text="line\x01with\x1bcontrols")
    entry.get_accessible().set_description("description\nof two lines")
    column.add(entry)
    column.add(nested())

    scrolled = Gtk.ScrolledWindow()
    scrolled.add(column)
    window = Gtk.Window(title="Odd \u202enames\u202c \x07 \"here\"", default_width=500, default_height=600)
    window.add(scrolled)
    window.connect("destroy", Gtk.main_quit)
    window.show_all()
    GLib.timeout_add(0, lambda: print("ready", flush=True))
    Gtk.main()


if __name__ == "__main__":
    main()
