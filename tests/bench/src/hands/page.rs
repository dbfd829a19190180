//! The section of `docs/bench.md` on actions.

use std::fmt::Write;

use super::figures::Report;
use super::table::{click_cells, evidence_cells, evidence_head, side_cells};
use crate::goals::Goal;

/// Returns the section for a run.
pub(crate) fn section(report: &Report, goals: &[Goal]) -> String {
    // Writing to a `String` cannot fail, so the results of `write!` are ignored.
    let mut page = String::from("## Actions\n\n");
    let _ = write!(
        page,
        "Run of {} on a {}; {} clicks per tool and app; load average at the start: {:.1}. Times are \
         milliseconds. All samples are in `out/bench-hands.json`.\n\n{CLICKS_HEAD}",
        report.machine.date, report.machine, report.clicks_each, report.machine.load
    );
    for row in &report.clicks {
        let _ = writeln!(page, "| {} |", click_cells(row).join(" | "));
    }
    if !report.evidence.is_empty() {
        page.push_str(EVIDENCE_HEAD);
        let heads = evidence_head();
        let _ =
            writeln!(page, "| p50 | {} |\n|---|{}", heads.join(" | "), "--:|".repeat(heads.len()));
    }
    for row in &report.evidence {
        let _ = writeln!(page, "| {} | {} |", row.toolkit, evidence_cells(row).join(" | "));
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
    page.push_str("\n### Goals for actions\n\n| | goal | measured |\n|---|---|---|\n");
    for goal in goals {
        let _ = writeln!(page, "| {} | {} | {} |", goal.mark(), goal.wanted, goal.reached);
    }
    page.push_str(METHOD);
    page
}

const CLICKS_HEAD: &str = "\
`warm` is Deskhand in a long-running process, like its server. `cli` is the whole process `deskhand click
REF --app PID`. Both return after they have observed the effect in the app. `xdotool` is the whole process
`xdotool mousemove X Y click 1` on the same element, which does not check the effect. `×` is the time of
xdotool divided by warm.

| app | clicked | warm p50 | p95 | cli p50 | p95 | xdotool p50 | p95 | × |
|---|---|--:|--:|--:|--:|--:|--:|--:|
";

const EVIDENCE_HEAD: &str = "
Warm clicks on the buttons of one window per toolkit (`tests/apps/delayed_effects.py`), found by their name, by
the evidence of their effect: the state of the element, the text of another element, a new window, a dialog
that blocks its caller, and no evidence (`unverified`: the app only writes a file). `floor` is the time from
the accessibility action to the handler of the app without Deskhand (`tests/peers/action_floor.py`): GTK 4
shows a button as pressed for 250 ms before it performs the click, and Qt for 100 ms, so no click on a button
through accessibility is faster.

";

const COMPARISONS_HEAD: &str = "
Whole processes, from start to exit. `×` is the time of the command divided by that of the first command of
its task.

| task | command | p50 | p95 | × |
|---|---|--:|--:|--:|
";

const METHOD: &str = "
### Method for actions

- **Click**: one tool after the other clicks one element of one running app, 200 ms apart. After each click
  an independent reader (`tests/peers/witness.py`) checks whether the app changed: the state of the check
  box, the display of the calculator, or the title of the browser window. A sample counts only if the app
  changed and, for Deskhand, if the effect was `confirmed`.
- **Policy checks**: the work of the engine around a click: mode, limits, two audit records, and sanitizing
  of the result. No rate limit is set, so there is no waiting.
- xdotool runs with its default pauses inside a click. It moves the pointer and needs a visible element.
- **PNG**: a lossless screenshot of one display with ten windows, written to a file. maim includes the
  pointer, the others do not.
- **List**: ten open windows, output to /dev/null.
- **Typing**: into mousepad, which has the focus. The first command uses accessibility, the second the
  keyboard. Both read the text back. A sample counts only if all 200 characters arrived.
- **Clipboard**: all commands read from the same clipboard owner.
";
