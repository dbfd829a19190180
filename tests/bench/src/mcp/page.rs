//! The section of `docs/bench.md` on the MCP server.

use std::fmt::Write;

use super::figures::Report;
use super::table::{cells, memory};
use super::{CLIENTS, CALLS_PER_CLIENT, MESSAGES};
use crate::goals::Goal;

/// Returns the section for a run.
pub(crate) fn section(report: &Report, goals: &[Goal]) -> String {
    // Writing to a `String` cannot fail, so the results of `write!` are ignored.
    let mut page = String::from("## MCP server\n\n");
    let _ = write!(
        page,
        "Run of {} on a {}; the best of {} rounds in which all take turns; load when it began: \
         {:.1}. Times are milliseconds; every sample is in `out/bench-mcp.json`.\n\n![A ping and a \
         call](images/bench-mcp.svg)\n\n{TABLE}",
        report.machine.date, report.machine, report.rounds, report.machine.load
    );
    for row in &report.rows {
        let _ = writeln!(page, "| {} |", cells(row).join(" | "));
    }
    let _ = write!(page, "\nMemory of Deskhand, MB after so many calls: {}.\n", memory(report));
    page.push_str("\n### Goals of the server\n\n| | goal | reached |\n|---|---|---|\n");
    for goal in goals {
        let _ = writeln!(page, "| {} | {} | {} |", goal.mark(), goal.wanted, goal.reached);
    }
    let _ = write!(
        page,
        "
### What is measured of the server, and what not

- One client for all, in this program: raw lines on pipes, raw HTTP/1.1 on one connection that stays,
  protocol version 2025-06-18, {MESSAGES} messages one after the other. Deskhand runs with all its tools
  on a private desktop; the peers (`tests/peers/mcp_server.*`) have one tool and nothing else to do.
- **start**: from the start of the process to the answer to `initialize`, the quickest of all rounds.
- **call**: Deskhand's `ax_session_info` goes the whole way of a call, through a thread of the engine; the
  peers' tool returns a constant.
- **calls/s**: {CLIENTS} clients at once, each with a session, a connection and {CALLS_PER_CLIENT} calls, threads of
  the same program on the same processors.
- **errors** are those of all rounds, everything included.
- **MB** is the resident memory after the calls, the most of all rounds. A session over HTTP keeps what
  it sent for clients that come back, up to a bound: memory grows until that is reached, then no more.
"
    );
    page
}

const TABLE: &str = "\
| server | | start | ping p50 | p95 | call p50 | p95 | errors | calls/s | MB |
|---|---|--:|--:|--:|--:|--:|--:|--:|--:|
";
