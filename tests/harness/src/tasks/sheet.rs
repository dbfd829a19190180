//! A spreadsheet: cells are filled one after another and the sheet is exported as CSV.

use super::{Agent, saved};
use crate::{App, Stage};

const CELLS: [(&str, &str); 4] =
    [("A1", "Item"), ("B1", "Price"), ("A2", "Äpfel, 梨"), ("B2", "12.5")];
const EXPORTED: &str = "Item,Price\n\"Äpfel, 梨\",12.5\nTwice,25\n";

/// LibreOffice Calc, in the background as far as it goes.
pub(super) fn calc(stage: &Stage) {
    let agent = Agent::start(stage, App::Calc);
    let file = agent.home("prices.csv");
    agent.sees("role:cell title:A1");
    for (cell, value) in CELLS {
        agent.must(&["set", &format!("role:cell title:{cell}"), value]);
    }
    // As a person types: Tab goes to the next cell, Return ends the row. What was typed is in two
    // cells then, and a formula shows its result, so no single cell can confirm it.
    let row = "Twice\t=2*B2\n";
    agent.call(&["type", row, "--into", "role:cell title:A3", "--mode", "focus"]);
    agent.must(&["click", "//scrollpane//menuitem[@title='Save As...']"]);
    agent.must(&["set", "//file-chooser//textbox", &file.display().to_string()]);
    agent.must(&["click", "//file-chooser//button[@title='Save']"]);
    agent.must(&["click", "role:button title:\"Use Text CSV Format\""]);
    agent.must(&["click", "//dialog[@title='Export Text File']//button[@title='OK']"]);
    saved(&file, |path| std::fs::read_to_string(path).ok(), &EXPORTED.to_owned());
}
