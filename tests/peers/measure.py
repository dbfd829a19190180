"""Shared code of the peer scripts: command line, child processes, timing and JSON output.

A peer is a module with `connect(pid)`, `walk(app, max_children)`, `find(app, name)` and
`attribute(node, which)`. Every repetition of `first-look` and `find` runs in a new process, because the
libraries keep caches that a new script does not have. `setup_ms` covers the import of the library, the
connection to the bus and the search for the app. It is not part of `ms`.
"""

import argparse
import json
import resource
import subprocess
import sys
import time

ATTRIBUTES = ("name", "description", "states", "extents")


def parse():
    parser = argparse.ArgumentParser()
    # Set by the parent for a child process that runs one repetition and prints its raw figures.
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)
    operations = parser.add_subparsers(dest="op", required=True)
    look = operations.add_parser("first-look", help="walk the whole app")
    find = operations.add_parser("find", help="find one element by name")
    attribute = operations.add_parser("attribute", help="read one attribute of a found element")
    for each in (look, find, attribute):
        each.add_argument("--pid", type=int, required=True)
        each.add_argument("--repeat", type=int, default=1)
    look.add_argument("--max-children", type=int, default=1000,
                      help="a node with more children is counted and not descended into")
    for each in (find, attribute):
        each.add_argument("--name", required=True)
    attribute.add_argument("--attribute", choices=ATTRIBUTES, default="name")
    return parser.parse_args()


def clock_ms():
    return time.perf_counter() * 1000


def timed(call, *args):
    start = clock_ms()
    result = call(*args)
    return clock_ms() - start, result


def once(args, load, start):
    """Runs one repetition, or all reads of one attribute, in the child process."""
    peer = load()
    app = peer.connect(args.pid)
    if app is None:
        sys.exit(f"no app of process {args.pid} on the accessibility bus")
    setup_ms = clock_ms() - start
    if args.op == "first-look":
        ms, nodes = timed(peer.walk, app, args.max_children)
        reads = [ms]
    else:
        ms, node = timed(peer.find, app, args.name)
        if node is None:
            sys.exit(f"no element named {args.name!r}")
        nodes = 1
        reads = [ms]
        if args.op == "attribute":
            reads = [timed(peer.attribute, node, args.attribute)[0] for _ in range(args.repeat)]
    return {
        "ms": reads,
        "setup_ms": setup_ms,
        "nodes": nodes,
        "rss_kb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
    }


def main(tool, load):
    """Runs the script. `load` imports the library and returns the peer; its time counts as setup."""
    start = clock_ms()
    args = parse()
    if args.once:
        print(json.dumps(once(args, load, start)))
        return

    processes = 1 if args.op == "attribute" else args.repeat
    results = []
    for _ in range(processes):
        done = subprocess.run([sys.executable, sys.argv[0], "--once", *sys.argv[1:]],
                              stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            sys.exit(done.returncode)
        results.append(json.loads(done.stdout))
    print(json.dumps({
        "tool": tool,
        "op": args.op,
        "ms": [round(ms, 3) for result in results for ms in result["ms"]],
        "setup_ms": [round(result["setup_ms"], 1) for result in results],
        "nodes": results[-1]["nodes"],
        "rss_kb": max(result["rss_kb"] for result in results),
    }))
