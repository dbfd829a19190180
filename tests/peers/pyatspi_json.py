#!/usr/bin/python3
"""The whole tree of an app as JSON, with the fields of `deskhand tree --format json`.

    pyatspi_json.py PID [MAX_CHILDREN]      default: 1000

Reads each element as users of pyatspi do. Secrets are not looked for. Needs Debian's python3-pyatspi.
"""

import json
import sys

sys.dont_write_bytecode = True
import pyatspi  # noqa: E402


def optional(read):
    try:
        return read()
    except Exception:  # pyatspi raises many kinds for a missing interface.
        return None


def describe(node):
    """Returns all fields of one element except its children."""
    fields = {
        "role": node.getRoleName(),
        "name": node.name,
        "description": node.description,
        "identifier": optional(lambda: node.get_accessible_id()),
        "attributes": optional(lambda: node.get_attributes()),
        "states": [int(state) for state in node.getState().getStates()],
        "relations": optional(lambda: [
            [int(relation.getRelationType()), relation.getNTargets()] for relation in node.getRelationSet() or []
        ]),
    }
    component = optional(node.queryComponent)
    if component:
        fields["bounds"] = optional(lambda: tuple(component.getExtents(pyatspi.DESKTOP_COORDS)))
    action = optional(node.queryAction)
    if action:
        fields["actions"] = [optional(lambda: action.getName(at)) for at in range(action.nActions)]
    text = optional(node.queryText)
    if text:
        fields["text"] = optional(lambda: text.getText(0, min(text.characterCount, 2000)))
    value = optional(node.queryValue)
    if value:
        fields["value"] = optional(lambda: [
            value.currentValue, value.minimumValue, value.maximumValue, value.minimumIncrement
        ])
    return fields


def main():
    pid = int(sys.argv[1])
    max_children = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    desktop = pyatspi.Registry.getDesktop(0)
    app = next(app for app in desktop if app is not None and app.get_process_id() == pid)
    root = describe(app)
    todo = [(app, root)]
    while todo:
        node, fields = todo.pop()
        count = node.childCount
        fields["children"] = []
        for child in (node.getChildAtIndex(at) for at in range(count if count <= max_children else 0)):
            if child is not None:
                below = describe(child)
                fields["children"].append(below)
                todo.append((child, below))
    json.dump(root, sys.stdout)


if __name__ == "__main__":
    main()
