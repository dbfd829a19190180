//! Realistic tasks, performed only by calling `deskhand`. Each task leaves a result that can be
//! checked independently: a file, a request to a server, or a value in the tree.

mod agent;
mod calculators;
mod editors;
mod forms;
mod server;
mod settings;
mod spreadsheet;

pub use agent::{Agent, wait_for_file};
pub use editors::odt_text;
pub use server::{Server, decode_form};

use crate::TestDesktop;

/// One task on a fresh desktop. It panics on failure.
#[derive(Debug, Clone, Copy)]
pub struct Task {
    /// Returns the name used in tables.
    pub name: &'static str,
    /// Performs the task and checks its result.
    pub run: fn(&TestDesktop),
}

/// All tasks.
pub const TASKS: [Task; 9] = [
    Task { name: "mousepad: write and save", run: editors::mousepad },
    Task { name: "gnome-text-editor: write and save", run: editors::gnome_text_editor },
    Task { name: "writer: write and save", run: editors::writer },
    Task { name: "calc: fill a sheet, export CSV", run: spreadsheet::calc },
    Task { name: "chromium: fill and send a form", run: forms::chromium },
    Task { name: "firefox: fill and send a form", run: forms::firefox },
    Task { name: "kcalc: compute", run: calculators::kcalc },
    Task { name: "gnome-calculator: compute", run: calculators::gnome_calculator },
    Task { name: "featherpad: change a setting", run: settings::featherpad },
];

/// Runs the task of an app on a new desktop.
pub fn run(app: &str) {
    let task = TASKS.iter().find(|task| task.name.starts_with(&format!("{app}:")));
    let task = task.unwrap_or_else(|| panic!("no task for {app}"));
    (task.run)(&TestDesktop::new());
}
