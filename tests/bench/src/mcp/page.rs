//! The section of `docs/bench.md` on the MCP server.

use std::fmt::Write;

use super::figures::Report;
use super::table::{cells, memory};
use super::{CALLS_PER_CLIENT, CLIENTS, MESSAGES};
use crate::goals::Goal;

/// Returns the section for a run.
pub(crate) fn section(report: &Report, goals: &[Goal]) -> String {
    // Writing to a `String` cannot fail, so the results of `write!` are ignored.
    let mut page = String::from("## MCP server\n\n");
    let _ = write!(
        page,
        "Run of {} on a {}; best of {} rounds in which the servers take turns; load average at the \
         start: {:.1}. Times are milliseconds. All samples are in `out/bench-mcp.json`.\n\n![A ping and a \
         call](images/bench-mcp.svg)\n\n{TABLE}",
        report.machine.date, report.machine, report.rounds, report.machine.load
    );
    for row in &report.rows {
        let _ = writeln!(page, "| {} |", cells(row).join(" | "));
    }
    let _ = write!(page, "\nMemory of Deskhand in MB, by number of calls: {}.\n", memory(report));
    page.push_str("\n### Goals for the MCP server\n\n| | goal | measured |\n|---|---|---|\n");
    for goal in goals {
        let _ = writeln!(page, "| {} | {} | {} |", goal.mark(), goal.wanted, goal.reached);
    }
    let _ = write!(
        page,
        "
### Method for the MCP server

- All servers have the same client: raw lines on pipes, raw HTTP/1.1 on one persistent connection, protocol
  version 2025-06-18, {MESSAGES} messages one after the other. Deskhand runs with all its tools on a private
  desktop. The peers (`tests/peers/mcp_server.*`) have one tool.
- **start**: time from the start of the process to the response to `initialize`, the minimum of all rounds.
- **call**: Deskhand's `ax_session_info` takes the complete path of a call, through a thread of the engine.
  The peers' tool returns a constant.
- **calls/s**: {CLIENTS} concurrent clients, each with its own session, connection and {CALLS_PER_CLIENT} calls.
  They are threads of one program on the same processors.
- **errors** are the sum over all rounds and tests.
- **MB** is the resident memory after the calls, the maximum of all rounds.
"
    );
    page
}

const TABLE: &str = "\
| server | | start | ping p50 | p95 | call p50 | p95 | errors | calls/s | MB |
|---|---|--:|--:|--:|--:|--:|--:|--:|--:|
";
