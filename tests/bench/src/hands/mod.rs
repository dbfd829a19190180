//! The hands: what acting costs, beside the tools people use for it.

mod click;
mod contest;
mod figures;
mod goals;
pub(crate) mod inside;
pub(crate) mod page;
mod table;
mod tasks;
mod witness;

use indicatif::ProgressBar;

pub(crate) use figures::Report;
pub(crate) use goals::judge;
pub(crate) use table::terminal;

use crate::error::Result;
use crate::machine::Machine;

/// How many clicks of each contender a round has.
const CLICKS: usize = 10;

/// The contests by name, each on a desktop of its own.
type Held = fn(usize) -> Result<Vec<figures::Contest>>;
const CONTESTS: [(&str, Held); 3] =
    [("desktop", tasks::desktop), ("keyboard", tasks::keyboard), ("clipboard", tasks::clipboard)];

/// Measures the clicks and contests whose name contains one of these; all when none is given.
pub(crate) fn measure(
    machine: Machine,
    names: &[String],
    rounds: usize,
    progress: &ProgressBar,
) -> Result<Report> {
    let targets = click::chosen(names);
    let wanted =
        |name: &str| names.is_empty() || names.iter().any(|part| name.contains(part.as_str()));
    let contests: Vec<_> = CONTESTS.into_iter().filter(|(name, _)| wanted(name)).collect();
    progress.set_length((targets.len() + contests.len()) as u64);
    let mut report =
        Report { machine, clicks_each: rounds * CLICKS, clicks: Vec::new(), contests: Vec::new() };
    for target in targets {
        progress.set_message(format!("clicks: {}", target.name));
        report.clicks.push(target.measure(report.clicks_each)?);
        progress.inc(1);
    }
    for (name, held) in contests {
        progress.set_message(name);
        report.contests.extend(held(rounds)?);
        progress.inc(1);
    }
    Ok(report)
}
