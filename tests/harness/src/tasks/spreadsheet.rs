//! A spreadsheet: fill cells and export the sheet as CSV.

use super::{Agent, wait_for_file};
use crate::{App, TestDesktop};

const CELLS: [(&str, &str); 4] =
    [("A1", "Item"), ("B1", "Price"), ("A2", "Äpfel, 梨"), ("B2", "12.5")];
const EXPORTED: &str = "Item,Price\n\"Äpfel, 梨\",12.5\nTwice,25\n";

/// LibreOffice Calc, in the background where possible.
pub(super) fn calc(desktop: &TestDesktop) {
    let agent = Agent::start(desktop, App::Calc);
    let file = agent.home("prices.csv");
    agent.wait_for("role:cell title:A1");
    for (cell, value) in CELLS {
        agent.must_confirm(&["set", &format!("role:cell title:{cell}"), value]);
    }
    // Tab moves to the next cell and Return ends the row. The text ends up in two cells and the
    // formula shows its result, so no single cell can confirm the effect.
    let row = "Twice\t=2*B2\n";
    agent.call(&["type", row, "--into", "role:cell title:A3", "--mode", "focus"]);
    agent.must_confirm(&["click", "//scrollpane//menuitem[@title='Save As...']"]);
    agent.must_confirm(&["set", "//file-chooser//textbox", &file.display().to_string()]);
    agent.must_confirm(&["click", "//file-chooser//button[@title='Save']"]);
    agent.must_confirm(&["click", "role:button title:\"Use Text CSV Format\""]);
    agent.must_confirm(&["click", "//dialog[@title='Export Text File']//button[@title='OK']"]);
    wait_for_file(&file, |path| std::fs::read_to_string(path).ok(), &EXPORTED.to_owned());
}
