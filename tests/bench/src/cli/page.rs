//! The section of `docs/bench.md` on command-line tools.

use std::fmt::Write;

use super::figures::Report;
use super::table::rows;
use super::{BLOCK_SIZE, CONCURRENT_COMMANDS, TOTAL_CONCURRENT};
use crate::goals::Goal;

/// Returns the section for a run.
pub(crate) fn section(report: &Report, goals: &[Goal]) -> String {
    // Writing to a `String` cannot fail, so the results of `write!` are ignored.
    let mut page = String::from("## Command-line tools\n\n");
    let _ = write!(
        page,
        "Run of {} on a {}; {} rounds in which both sides take turns; load average at the start: {:.1}. All \
         samples are in `out/bench-cli.json`.\n\n![A command](images/bench-cli.svg)\n\n| | plain shell | \
         `sandboxed_shell` |\n|---|--:|--:|\n",
        report.machine.date, report.machine, report.rounds, report.machine.load
    );
    for row in rows(report) {
        let _ = writeln!(page, "| {} |", row.join(" | "));
    }
    page.push_str("\n### Goals for command-line tools\n\n| | goal | measured |\n|---|---|---|\n");
    for goal in goals {
        let _ = writeln!(page, "| {} | {} | {} |", goal.mark(), goal.wanted, goal.reached);
    }
    let _ = write!(
        page,
        "
### Method for command-line tools

- **plain** is a small process that starts `sh -c 'echo hi'`, reads its output and waits for its exit.
  **deskhand** is a tool call over the standard streams of the server, from the request to the response with
  the output. It includes the policy checks, the audit records and a new sandbox for the command. Each side
  runs {BLOCK_SIZE} commands before the other side's turn.
- **concurrent**: {CONCURRENT_COMMANDS} threads that start plain shells, and {CONCURRENT_COMMANDS} calls in progress on one
  connection, {TOTAL_CONCURRENT} in total.
- **server start**: time from the start of the process to the response to `initialize`, without and with
  command-line tools. With them, the server tests the sandbox before it responds.
- **large outputs**: six commands print 20 MB each at the same time. Memory is the peak since the start of
  the server.
- Rate limits are off, and the client receives no log messages.
"
    );
    page
}
