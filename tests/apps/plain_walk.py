#!/usr/bin/python3
"""An independent reader: walks an app's accessibility tree with one D-Bus call at a time.

    plain_walk.py --list                     one JSON line per app: name, pid, bus
    plain_walk.py --pid N                    one JSON line per node, parents first
    plain_walk.py --pid N --summary          counts only

It shares no code with Deskhand and uses no cache, no pipelining, no peer-to-peer connection and no AT-SPI
library, so that the two can be compared. A node with more than --max-children children is printed with
its child count but not descended into. Exits with 1 if there is no such app or its root cannot be read.
"""

import argparse
import collections
import json
import sys
import time

from gi.repository import Gio, GLib

ACCESSIBLE = "org.a11y.atspi.Accessible"
COMPONENT = "org.a11y.atspi.Component"
PROPERTIES = "org.freedesktop.DBus.Properties"
REGISTRY = ("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")
NULL_PATH = "/org/a11y/atspi/null"
SCREEN_COORDS = 0


class Bus:
    """A connection to the accessibility bus. Every call blocks and has a timeout."""

    def __init__(self, timeout_ms):
        self.timeout_ms = timeout_ms
        session = Gio.bus_get_sync(Gio.BusType.SESSION)
        address = session.call_sync(
            "org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress",
            None, None, Gio.DBusCallFlags.NONE, timeout_ms, None,
        ).unpack()[0]
        flags = Gio.DBusConnectionFlags
        self.connection = Gio.DBusConnection.new_for_address_sync(
            address, flags.AUTHENTICATION_CLIENT | flags.MESSAGE_BUS_CONNECTION, None, None)

    def call(self, node, interface, method, signature=None, *args):
        bus, path = node
        body = GLib.Variant(signature, args) if signature else None
        return self.connection.call_sync(
            bus, path, interface, method, body, None,
            Gio.DBusCallFlags.NONE, self.timeout_ms, None,
        ).unpack()

    def property(self, node, name):
        return self.call(node, PROPERTIES, "Get", "(ss)", ACCESSIBLE, name)[0]

    def pid(self, bus):
        daemon = ("org.freedesktop.DBus", "/org/freedesktop/DBus")
        return self.call(daemon, daemon[0], "GetConnectionUnixProcessID", "(s)", bus)[0]

    def children(self, node):
        return self.call(node, ACCESSIBLE, "GetChildren")[0]


def vanished(error):
    """Returns True if the error means that the node or its app no longer exists."""
    gone = (Gio.DBusError.UNKNOWN_OBJECT, Gio.DBusError.UNKNOWN_METHOD,
            Gio.DBusError.SERVICE_UNKNOWN, Gio.DBusError.NAME_HAS_NO_OWNER)
    return any(error.matches(Gio.DBusError.quark(), code) for code in gone)


def apps(bus):
    for node in bus.children(REGISTRY):
        try:
            yield node, bus.pid(node[0])
        except GLib.Error:
            continue


def read(bus, node, parent_path):
    interfaces = bus.call(node, ACCESSIBLE, "GetInterfaces")[0]
    extents = None
    if COMPONENT in interfaces:
        try:
            extents = list(bus.call(node, COMPONENT, "GetExtents", "(u)", SCREEN_COORDS)[0])
        except GLib.Error:
            # The calls below detect a node that no longer exists. A node without extents still counts.
            extents = None
    return {
        "path": node[1],
        "bus": node[0],
        "parent_path": parent_path,
        "role": bus.call(node, ACCESSIBLE, "GetRole")[0],
        "name": bus.property(node, "Name"),
        "states": bus.call(node, ACCESSIBLE, "GetState")[0],
        "extents": extents,
        "child_count": bus.property(node, "ChildCount"),
        "interfaces": interfaces,
    }


def walk(bus, root, max_children, counts):
    """Yields each node once, in depth-first document order, and counts unreadable nodes."""
    todo = [(root, None)]
    seen = set()
    while todo:
        node, parent_path = todo.pop()
        if node[1] == NULL_PATH:
            counts["null"] += 1
            continue
        if node in seen:
            counts["repeated"] += 1
            continue
        seen.add(node)
        try:
            record = read(bus, node, parent_path)
            too_many = record["child_count"] > max_children
            children = [] if too_many else bus.children(node)
        except GLib.Error as error:
            counts["vanished" if vanished(error) else "unread"] += 1
            if parent_path is None:
                raise
            print(f"plain_walk: {node[0]}{node[1]}: {error.message}", file=sys.stderr)
            continue
        counts["nodes"] += 1
        counts["not_descended"] += too_many
        counts["count_differs"] += not too_many and len(children) != record["child_count"]
        yield record
        todo.extend((tuple(child), node[1]) for child in reversed(children))


def parse():
    parser = argparse.ArgumentParser(description="Walk an app's accessibility tree plainly.")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--list", action="store_true", help="list the apps")
    what.add_argument("--pid", type=int, help="walk the app of this process")
    parser.add_argument("--summary", action="store_true", help="print counts only")
    parser.add_argument("--max-children", type=int, default=1000)
    parser.add_argument("--wait", type=float, default=0, help="seconds to wait for the app")
    parser.add_argument("--timeout-ms", type=int, default=5000, help="limit of each call")
    return parser.parse_args()


def find(bus, pid, wait_s):
    end = time.monotonic() + wait_s
    while True:
        found = [node for node, owner in apps(bus) if owner == pid]
        if found or time.monotonic() >= end:
            return found
        time.sleep(0.05)


def main():
    args = parse()
    bus = Bus(args.timeout_ms)
    if args.list:
        for node, pid in apps(bus):
            try:
                name = bus.property(node, "Name")
            except GLib.Error:
                name = None
            print(json.dumps({"name": name, "pid": pid, "bus": node[0]}))
        return 0

    roots = find(bus, args.pid, args.wait)
    if not roots:
        print(f"plain_walk: no app of process {args.pid} on the accessibility bus", file=sys.stderr)
        return 1
    counts = collections.Counter()
    roles = collections.Counter()
    started = time.monotonic()
    try:
        for root in roots:
            for record in walk(bus, tuple(root), args.max_children, counts):
                roles[record["role"]] += 1
                if not args.summary:
                    print(json.dumps(record))
    except GLib.Error as error:
        print(f"plain_walk: the root could not be read: {error.message}", file=sys.stderr)
        return 1
    if args.summary:
        fields = ("nodes", "not_descended", "vanished", "unread", "repeated", "null", "count_differs")
        summary = {field: counts[field] for field in fields}
        summary["roles"] = dict(sorted(roles.items()))
        summary["ms"] = round((time.monotonic() - started) * 1000)
        print(json.dumps(summary))
    return 0


if __name__ == "__main__":
    sys.exit(main())
