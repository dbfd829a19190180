//! Settings: change them in a dialog, then check the program's settings file.

use std::path::Path;

use super::{Agent, wait_for_file};
use crate::TestDesktop;

/// Qt 5: check boxes and a number in a dialog with tabs.
pub(super) fn featherpad(desktop: &TestDesktop) {
    let agent = Agent::open(desktop, "featherpad", &["--standalone"]);
    agent.must_confirm(&["click", "role:menuitem title:Preferences"]);
    agent.must_confirm(&[
        "set",
        "role:checkbox title:\"Remember window size on closing\"",
        "false",
    ]);
    let width = "//panel[@title='Window Settings']/spinbutton[1]";
    agent.must_confirm(&["set", width, "800"]);
    agent.must_confirm(&[
        "set",
        "role:checkbox title:\"Show cursor position on status bar\"",
        "true",
    ]);
    agent.must_confirm(&["select", "//dialog//tablist", "Text"]);
    agent.must_confirm(&["set", "role:checkbox title:\"Always show line numbers\"", "true"]);
    agent.must_confirm(&["click", "//dialog[@title='Preferences']/button[@title='Close']"]);
    let file = agent.home(".config/featherpad/fp.conf");
    let wanted =
        ["size=none", "startSize=@Size(800 500)", "showCursorPos=true", "lineNumbers=true"];
    wait_for_file(&file, |path| lines(path, &wanted), &wanted.map(str::to_owned).to_vec());
}

/// Returns those of the wanted lines that the file contains.
fn lines(path: &Path, wanted: &[&str]) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(path).ok()?;
    let has = |line: &&&str| text.lines().any(|one| one == **line);
    Some(wanted.iter().filter(has).map(|line| (*line).to_owned()).collect())
}
