//! The section of `docs/bench.md` on actions.

use std::fmt::Write;

use super::figures::Report;
use super::table::{click_cells, side_cells};
use crate::goals::Goal;

/// Returns the section for a run.
pub(crate) fn section(report: &Report, goals: &[Goal]) -> String {
    // Writing to a `String` cannot fail, so the results of `write!` are ignored.
    let mut page = String::from("## Hands\n\n");
    let _ = write!(
        page,
        "Run of {} on a {}; {} clicks of each in each app; load when it began: {:.1}. Times are \
         milliseconds; every sample is in `out/bench-hands.json`.\n\n{CLICKS_HEAD}",
        report.machine.date, report.machine, report.clicks_each, report.machine.load
    );
    for row in &report.clicks {
        let _ = writeln!(page, "| {} |", click_cells(row).join(" | "));
    }
    page.push_str(COMPARISONS_HEAD);
    for comparison in &report.contests {
        for side in &comparison.sides {
            let _ = writeln!(page, "| {} |", side_cells(comparison, side).join(" | "));
        }
    }
    let remarks = report.remarks();
    if !remarks.is_empty() {
        let _ = write!(page, "\n- {}\n", remarks.join("\n- "));
    }
    page.push_str("\n### Goals of the hands\n\n| | goal | reached |\n|---|---|---|\n");
    for goal in goals {
        let _ = writeln!(page, "| {} | {} | {} |", goal.mark(), goal.wanted, goal.reached);
    }
    page.push_str(METHOD);
    page
}

const CLICKS_HEAD: &str = "\
`warm` is Deskhand in a process that stays, as its server does; `cli` is the whole process `deskhand
click REF --app PID`; both answer only when they have seen in the app what the click did. `xdotool`
is the whole process `xdotool mousemove X Y click 1` on the same element, which answers before anyone
knows. `×` is xdotool by warm.

| app | clicked | warm p50 | p95 | cli p50 | p95 | xdotool p50 | p95 | × |
|---|---|--:|--:|--:|--:|--:|--:|--:|
";

const COMPARISONS_HEAD: &str = "
Whole processes, from start to end; `×` is the peer by the first line of its task.

| task | command | p50 | p95 | × |
|---|---|--:|--:|--:|
";

const METHOD: &str = "
### What is measured of the hands, and what not

- **Click**: one contender after the other on one element of one running app, 200 ms apart. After each an
  independent reader (`tests/peers/witness.py`) asks the app itself whether something changed: the
  state of the check box, the display of the calculator, the title of the browser's window. A time
  counts only when it did and, for Deskhand, when the answer was `confirmed`.
- **Gate**: what the engine does around a click: mode, limits, the two lines of the audit log, cleaning
  of the answer. Waiting for a limit is no part of it; here none is set.
- xdotool pauses on its own accord within a click, so most of its time is waiting; that is how it
  comes out of the box. It moves the pointer and needs the element in sight; Deskhand needs neither.
- **PNG**: every pixel of one display with ten windows, without loss, to a file. maim draws the
  pointer, the others do not.
- **List**: text to nowhere, ten windows open.
- **Typing**: into mousepad, which has the keyboard. The first line goes through accessibility, the
  second by keyboard; both read back what the editor holds. A run counts only when all 200
  characters were in the editor afterwards.
- **Clipboard**: everyone reads from the same owner.
";
