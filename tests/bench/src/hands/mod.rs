//! Measures actions next to common command-line tools.

mod click;
pub(crate) mod click_process;
mod comparison;
mod evidence;
pub(crate) mod evidence_process;
mod figures;
mod goals;
mod observer;
pub(crate) mod page;
mod table;
mod tasks;

use indicatif::ProgressBar;

pub(crate) use figures::Report;
pub(crate) use goals::judge;
pub(crate) use table::terminal;

use crate::error::Result;
use crate::machine::Machine;

/// The number of clicks per tool in one round.
const CLICKS_PER_ROUND: usize = 10;

/// The command comparisons by name. Each runs on a new desktop.
type MeasureFn = fn(usize) -> Result<Vec<figures::CommandComparison>>;
const COMPARISON_GROUPS: [(&str, MeasureFn); 3] =
    [("desktop", tasks::desktop), ("keyboard", tasks::keyboard), ("clipboard", tasks::clipboard)];

/// Measures the clicks and comparisons whose name contains one of `names`, or all if `names` is
/// empty.
pub(crate) fn measure(
    machine: Machine,
    names: &[String],
    rounds: usize,
    progress: &ProgressBar,
) -> Result<Report> {
    let targets = click::chosen(names);
    let wanted =
        |name: &str| names.is_empty() || names.iter().any(|part| name.contains(part.as_str()));
    let contests: Vec<_> = COMPARISON_GROUPS.into_iter().filter(|(name, _)| wanted(name)).collect();
    let has_evidence = wanted(evidence::NAME);
    progress.set_length((targets.len() + contests.len() + usize::from(has_evidence)) as u64);
    let mut report = Report {
        machine,
        clicks_each: rounds * CLICKS_PER_ROUND,
        clicks: Vec::new(),
        evidence: Vec::new(),
        contests: Vec::new(),
    };
    for target in targets {
        progress.set_message(format!("clicks: {}", target.name));
        report.clicks.push(target.measure(report.clicks_each)?);
        progress.inc(1);
    }
    if has_evidence {
        progress.set_message(evidence::NAME);
        report.evidence = evidence::measure(report.clicks_each)?;
        progress.inc(1);
    }
    for (name, measure_group) in contests {
        progress.set_message(name);
        report.contests.extend(measure_group(rounds)?);
        progress.inc(1);
    }
    Ok(report)
}
