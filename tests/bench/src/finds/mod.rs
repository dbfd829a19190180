//! Measures finds of the last element of a long list and of one that does not exist.

mod cases;
pub(crate) mod page;
mod sheet;

use std::time::Instant;

use harness::{Outcome, Program, TestDesktop};
use indicatif::ProgressBar;
use serde::Serialize;

use self::cases::Case;
use crate::error::{Error, Result};
use crate::machine::Machine;
use crate::timing::{FIND_TIMEOUT, LONG_LIST_START_TIMEOUT, STARTUP_DELAY};

/// All figures of a run.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    machine: Machine,
    rows: Vec<Row>,
}

/// The figures of one list.
#[derive(Debug, Serialize)]
struct Row {
    /// The toolkit and the kind of list.
    list: &'static str,
    /// The number of items.
    items: usize,
    /// A find of the last item with the default timeout.
    by_default: Answer,
    /// The same with a long timeout.
    last: Answer,
    /// A find of a missing item with a long timeout.
    missing: Answer,
    /// The outline of the app after these finds, as proof that the app still responds.
    look_ms: f64,
}

/// The outcome of one find.
#[derive(Debug, Serialize)]
struct Answer {
    ms: f64,
    /// `ok`, or the code of the error.
    code: String,
    /// The advice of the error, which names the parts that were not searched.
    advice: String,
}

/// Measures the lists whose name contains one of `names`, or all.
pub(crate) fn measure(
    machine: Machine,
    names: &[String],
    progress: &ProgressBar,
) -> Result<Report> {
    let chosen = cases::chosen(names);
    progress.set_length(chosen.len() as u64);
    let mut rows = Vec::new();
    for case in &chosen {
        progress.set_message(format!("{}, {} items", case.list, case.items));
        rows.push(measure_case(case)?);
        progress.inc(1);
    }
    Ok(Report { machine, rows })
}

fn measure_case(case: &Case) -> Result<Row> {
    let desktop = TestDesktop::new();
    let file = case.sheet.then(|| sheet::write(&desktop.info().home, case.items)).transpose()?;
    let program = desktop.start_with(case.app, |command| {
        command.args(file.iter());
    });
    wait_for_items(&desktop, &program, case)?;
    let last = format!("{} {}", case.word, case.items - 1);
    let missing = format!("{} {}", case.word, case.items);
    let long = FIND_TIMEOUT.as_secs().to_string();
    let by_default = find(&desktop, &program, &last, None);
    let last = find(&desktop, &program, &last, Some(&long));
    let missing = find(&desktop, &program, &missing, Some(&long));
    let look = desktop.deskhand(&["tree", "--app", &program.pid_text()]);
    let look_ms = look.expect_ok().elapsed.as_secs_f64() * 1e3;
    Ok(Row { list: case.list, items: case.items, by_default, last, missing, look_ms })
}

/// Waits until the first item is in the tree: pages and documents take time to load.
fn wait_for_items(desktop: &TestDesktop, program: &Program, case: &Case) -> Result<()> {
    let end = Instant::now() + LONG_LIST_START_TIMEOUT;
    let first = format!("{} 0", case.word);
    while find(desktop, program, &first, Some("5")).code != "ok" {
        if Instant::now() > end {
            return Err(Error::NoElement("the first item of a long list"));
        }
        std::thread::sleep(STARTUP_DELAY);
    }
    Ok(())
}

fn find(desktop: &TestDesktop, program: &Program, query: &str, timeout: Option<&str>) -> Answer {
    let pid = program.pid_text();
    let mut arguments = vec!["find", query, "--app", &pid, "--format", "json"];
    arguments.extend(timeout.iter().flat_map(|seconds| ["--timeout", seconds]));
    let outcome = desktop.deskhand(&arguments);
    Answer { ms: outcome.elapsed.as_secs_f64() * 1e3, ..answer(&outcome, query) }
}

fn answer(outcome: &Outcome, query: &str) -> Answer {
    if outcome.code == Some(0) {
        let found = outcome.json();
        // A cell of a sheet is named by its position and has the text as its value.
        let is_right = found["title"] == query || found["value"] == query;
        let code = if is_right { "ok" } else { "wrong element" };
        return Answer { ms: 0.0, code: code.to_owned(), advice: String::new() };
    }
    let error = outcome.error();
    let text = |key: &str| error[key].as_str().unwrap_or_default().to_owned();
    Answer { ms: 0.0, code: text("code"), advice: text("hint") }
}
