//! Settings: changed in a dialog, found in the program's own file.

use std::path::Path;

use super::{Agent, saved};
use crate::Stage;

/// Qt 5: check boxes and a number, in a dialog of tabs.
pub(super) fn featherpad(stage: &Stage) {
    let agent = Agent::open(stage, "featherpad", &["--standalone"]);
    agent.must(&["click", "role:menuitem title:Preferences"]);
    agent.must(&["set", "role:checkbox title:\"Remember window size on closing\"", "false"]);
    let width = "//panel[@title='Window Settings']/spinbutton[1]";
    agent.must(&["set", width, "800"]);
    agent.must(&["set", "role:checkbox title:\"Show cursor position on status bar\"", "true"]);
    agent.must(&["select", "//dialog//tablist", "Text"]);
    agent.must(&["set", "role:checkbox title:\"Always show line numbers\"", "true"]);
    agent.must(&["click", "//dialog[@title='Preferences']/button[@title='Close']"]);
    let file = agent.home(".config/featherpad/fp.conf");
    let wanted =
        ["size=none", "startSize=@Size(800 500)", "showCursorPos=true", "lineNumbers=true"];
    saved(&file, |path| lines(path, &wanted), &wanted.map(str::to_owned).to_vec());
}

/// Those of the wanted lines that a file has.
fn lines(path: &Path, wanted: &[&str]) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(path).ok()?;
    let has = |line: &&&str| text.lines().any(|one| one == **line);
    Some(wanted.iter().filter(has).map(|line| (*line).to_owned()).collect())
}
