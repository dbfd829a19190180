//! Clicks by kind of evidence, in `delayed_effects.py` of each toolkit.

use std::path::Path;
use std::process::Command;

use harness::{App, Program, TestDesktop};

use super::figures::EvidenceRow;
use crate::error::{Error, Result};
use crate::figures::Figures;
use crate::timing::CLICKS_TIMEOUT;

/// The name of this group for `bench NAME`; `evidence` alone is an internal command.
pub(super) const NAME: &str = "kinds-of-evidence";

/// A toolkit, and the kinds of evidence that it cannot show.
struct Toolkit {
    name: &'static str,
    argument: &'static [&'static str],
    without: &'static [&'static str],
}

const TOOLKITS: [Toolkit; 4] = [
    Toolkit { name: "GTK 3", argument: &["gtk3"], without: &[] },
    // Check boxes of GTK 4.8 have no action, and it has no call that waits for a dialog.
    Toolkit { name: "GTK 4", argument: &["gtk4"], without: &["own state", "modal dialog"] },
    Toolkit { name: "Qt 5", argument: &["qt5"], without: &[] },
    Toolkit { name: "Qt 6", argument: &["qt6"], without: &[] },
];

/// Measures all toolkits with `repeat` clicks of each kind.
pub(super) fn measure(repeat: usize) -> Result<Vec<EvidenceRow>> {
    TOOLKITS.iter().map(|toolkit| toolkit.measure(repeat)).collect()
}

impl Toolkit {
    fn measure(&self, repeat: usize) -> Result<EvidenceRow> {
        let desktop = TestDesktop::new();
        let program = desktop.start(App::Fixture("delayed_effects.py", self.argument));
        let (pid, repeat) = (program.pid_text(), repeat.to_string());
        let own = std::env::current_exe().map_err(Error::system("this program"))?;
        let mut command = desktop.command(own);
        command.args(["evidence", "--pid", &pid, "--repeat", &repeat]);
        command.args(self.without.iter().flat_map(|kind| ["--without", kind]));
        let line = first_line(&mut command)?;
        let mut row: EvidenceRow = serde_json::from_str(&line)?;
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../peers/action_floor.py");
        let log = desktop.info().home.join("effects.log");
        let mut command = desktop.command("/usr/bin/python3");
        command.arg(script).arg(&pid).arg(log).arg(&repeat);
        row.floor =
            Figures { ms: serde_json::from_str(&first_line(&mut command)?)?, ..Figures::default() };
        self.name.clone_into(&mut row.toolkit);
        Ok(row)
    }
}

/// Runs a command and returns the line that it prints.
fn first_line(command: &mut Command) -> Result<String> {
    // Dropping the program kills its process group.
    let process = Program::start(command);
    process.next_line(CLICKS_TIMEOUT).ok_or(Error::NoElement("a button of delayed_effects.py"))
}
