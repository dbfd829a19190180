"""Prints every element that all apps on the accessibility bus show, one line each.

The referee of `soak unseen` compares these lines with what a step should have done. The program shares no code with
Deskhand: it uses libatspi. Elements that are not showing are left out together with their children.

    check box "Match case" checked
    text "Name" focused = "notes.txt"
    spin button "Width" = "64"
"""

import json
import sys

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

MAX_CHILDREN = 400
MAX_DEPTH = 60
MAX_TEXT = 4000
STATES = [
    ("focused", Atspi.StateType.FOCUSED),
    ("selected", Atspi.StateType.SELECTED),
    ("checked", Atspi.StateType.CHECKED),
    ("pressed", Atspi.StateType.PRESSED),
    ("expanded", Atspi.StateType.EXPANDED),
]
VALUE_ROLES = {Atspi.Role.SPIN_BUTTON, Atspi.Role.SLIDER, Atspi.Role.SCROLL_BAR, Atspi.Role.PROGRESS_BAR}


def label_of(element):
    for relation in element.get_relation_set() or []:
        if relation.get_relation_type() == Atspi.RelationType.LABELLED_BY:
            return relation.get_target(0).get_name() or ""
    return ""


def content_of(element, role):
    interfaces = element.get_interfaces()
    if role in VALUE_ROLES and "Value" in interfaces:
        return f"{Atspi.Value.get_current_value(element):g}"
    if "Text" in interfaces:
        text = Atspi.Text.get_text(element, 0, min(Atspi.Text.get_character_count(element), MAX_TEXT))
        if text:
            return text
    if "Value" in interfaces:
        return f"{Atspi.Value.get_current_value(element):g}"
    return None


def line(element, states, selected):
    role = element.get_role()
    words = [element.get_role_name(), json.dumps(element.get_name() or label_of(element), ensure_ascii=False)]
    words += [name for name, state in STATES if states.contains(state) or (selected and name == "selected")]
    if not states.contains(Atspi.StateType.SENSITIVE) and not states.contains(Atspi.StateType.ENABLED):
        words.append("disabled")
    content = content_of(element, role)
    if content is not None and content != element.get_name():
        words += ["=", json.dumps(content, ensure_ascii=False)]
    return " ".join(words)


def has_size(element):
    return "Component" in element.get_interfaces() and element.get_extents(Atspi.CoordType.WINDOW).width > 0


def selected_children(element):
    """Returns the indexes of the selected children. Some containers do not set the state of their children."""
    if "Selection" not in element.get_interfaces() or element.get_child_count() > MAX_CHILDREN:
        return set()
    if Atspi.Selection.get_n_selected_children(element) < 1:
        return set()
    indexes = range(element.get_child_count())
    return {index for index in indexes if Atspi.Selection.is_child_selected(element, index)}


def walk(element, depth, gtk4, selected):
    try:
        states = element.get_state_set()
        # GTK 4.8 sets SHOWING on windows only. A widget of it that is not mapped has no size.
        needed = Atspi.StateType.VISIBLE if gtk4 else Atspi.StateType.SHOWING
        if depth > 0 and not states.contains(needed):
            return
        if depth > 0 and (not gtk4 or has_size(element)):
            print(line(element, states, selected))
        chosen = selected_children(element) if depth > 0 else set()
        for index in range(min(element.get_child_count(), MAX_CHILDREN)):
            child = element.get_child_at_index(index)
            if child is not None and depth < MAX_DEPTH:
                walk(child, depth + 1, gtk4, index in chosen)
    except GLib.Error:
        # The element went away while it was read, or its app does not answer.
        return


def main():
    Atspi.init()
    Atspi.set_timeout(1500, 3000)
    desktop = Atspi.get_desktop(0)
    for index in range(desktop.get_child_count()):
        app = desktop.get_child_at_index(index)
        if app is None:
            continue
        print(f"application {json.dumps(app.get_name() or '')}")
        gtk4 = (app.get_toolkit_name() or "").upper() == "GTK" and (app.get_toolkit_version() or "").startswith("4")
        walk(app, 0, gtk4, False)


if __name__ == "__main__":
    sys.exit(main())
