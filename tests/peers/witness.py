#!/usr/bin/python3
"""Reports what an app shows, each time it is asked. It does not depend on the tool that acts on the app.

    witness.py state|text|name BUS PATH
    witness.py title WINDOW

Prints one JSON line for each line of standard input: the state bits, the whole text or the name of an
accessible object, read again over the accessibility bus, or the title of an X window. `null` means that
there was no answer. Needs Debian's python3-gi; titles need x11-utils.
"""

import json
import subprocess
import sys

from gi.repository import Gio, GLib

ACCESSIBLE = "org.a11y.atspi.Accessible"
TEXT = "org.a11y.atspi.Text"
PROPERTIES = "org.freedesktop.DBus.Properties"
PATIENCE_MS = 2000


def accessibility_bus():
    session = Gio.bus_get_sync(Gio.BusType.SESSION)
    address = session.call_sync("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", None,
                                None, Gio.DBusCallFlags.NONE, PATIENCE_MS).unpack()[0]
    flags = (Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT
             | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION)
    return Gio.DBusConnection.new_for_address_sync(address, flags)


def reader(kind, name, path):
    bus = accessibility_bus()

    def ask(interface, method, arguments=None):
        return bus.call_sync(name, path, interface, method, arguments, None,
                             Gio.DBusCallFlags.NONE, PATIENCE_MS).unpack()[0]

    def prop(interface, which):
        return ask(PROPERTIES, "Get", GLib.Variant("(ss)", (interface, which)))

    if kind == "state":
        return lambda: ask(ACCESSIBLE, "GetState")
    if kind == "text":
        return lambda: ask(TEXT, "GetText", GLib.Variant("(ii)", (0, -1)))
    return lambda: prop(ACCESSIBLE, "Name")


def title(window):
    done = subprocess.run(["xprop", "-id", window, "_NET_WM_NAME"], capture_output=True, check=True)
    return done.stdout.decode().partition(" = ")[2].strip()


def main():
    kind, *where = sys.argv[1:]
    look = (lambda: title(*where)) if kind == "title" else reader(kind, *where)
    for _line in sys.stdin:
        try:
            seen = look()
        except (GLib.Error, subprocess.CalledProcessError):
            seen = None
        print(json.dumps(seen), flush=True)


if __name__ == "__main__":
    main()
