//! The section of `docs/bench.md` on command-line tools.

use std::fmt::Write;

use super::figures::Report;
use super::table::rows;
use super::{CONCURRENT_COMMANDS, BLOCK_SIZE, TOTAL_CONCURRENT};
use crate::goals::Goal;

/// Returns the section for a run.
pub(crate) fn section(report: &Report, goals: &[Goal]) -> String {
    // Writing to a `String` cannot fail, so the results of `write!` are ignored.
    let mut page = String::from("## Command-line tools\n\n");
    let _ = write!(
        page,
        "Run of {} on a {}; {} rounds in which both take turns; load when it began: {:.1}. Every sample is \
         in `out/bench-cli.json`.\n\n![A command](images/bench-cli.svg)\n\n| | plain shell | \
         `sandboxed_shell` |\n|---|--:|--:|\n",
        report.machine.date, report.machine, report.rounds, report.machine.load
    );
    for row in rows(report) {
        let _ = writeln!(page, "| {} |", row.join(" | "));
    }
    page.push_str("\n### Goals of commands\n\n| | goal | reached |\n|---|---|---|\n");
    for goal in goals {
        let _ = writeln!(page, "| {} | {} | {} |", goal.mark(), goal.wanted, goal.reached);
    }
    let _ = write!(
        page,
        "
### What is measured of commands, and what not

- **plain** is a small process that starts `sh -c 'echo hi'` with nothing around it, reads what it prints
  and waits for its end. **deskhand** is the call of a tool over the standard streams of the server, from
  the request to the answer with the output: the whole way through the gate, its records, and a sandbox
  that is new to the command. Each goes {BLOCK_SIZE} times, then it is the other's turn.
- **at once**: {CONCURRENT_COMMANDS} threads that start plain shells, and {CONCURRENT_COMMANDS} calls on their way on one
  connection, {TOTAL_CONCURRENT} in all.
- **start**: from the start of the process to the answer to `initialize`, with the tools of the desktop and
  with command-line tools besides; the sandbox is tried before the server answers.
- **large outputs**: six commands print 20 MB each at once. Memory is the most the kernel has counted since
  the start of the server.
- What stands in the way of more commands at once is the start and the end of `sh` itself, which a shell that waits
  pays as well, only earlier: about two thirds of all processor time, in a profile taken once with `perf` and not
  part of this run. A shell that is doubled instead of started would save most of it, but would be no new process
  to its script: `$$` would be that of another.
- Limits on how often an agent calls are switched off, and the client has no messages logged to it.
"
    );
    page
}
