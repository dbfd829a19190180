//! Clicks the buttons of `delayed_effects.py`, one kind of effect after the other, with Deskhand in this
//! process.

use std::time::Instant;

use deskhand_engine::{CallFailure, Engine};
use serde_json::json;

use super::click_process::{call_click, unlimited_gate};
use super::figures::EvidenceRow;
use crate::error::{Error, Result};
use crate::figures::Figures;
use crate::timing::CLICK_INTERVAL;

/// The maximum number of remarks per app.
const MAX_REMARKS: usize = 3;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[arg(long)]
    pid: u32,
    #[arg(long)]
    repeat: usize,
    /// Kinds of evidence that the toolkit cannot show.
    #[arg(long)]
    without: Vec<String>,
}

/// A click with one kind of effect.
struct Kind {
    name: &'static str,
    button: &'static str,
    effect: &'static str,
    /// The button that returns the app to the state before.
    reset: Option<&'static str>,
}

const KINDS: [Kind; 5] = [
    Kind { name: "own state", button: "Remember", effect: "confirmed", reset: None },
    Kind {
        name: "another element",
        button: "Timer none",
        effect: "confirmed",
        reset: Some("Timer short"),
    },
    Kind {
        name: "new window",
        button: "Open window",
        effect: "confirmed",
        reset: Some("Close result"),
    },
    Kind { name: "modal dialog", button: "Ask", effect: "confirmed", reset: Some("Accept") },
    Kind { name: "unverified", button: "Write file", effect: "unverified", reset: None },
];

/// Returns the names of the kinds, in the order of the columns.
pub(crate) fn kind_names() -> [&'static str; 5] {
    KINDS.map(|kind| kind.name)
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let log_folder = tempfile::tempdir().map_err(Error::system("a folder for the audit log"))?;
    let refs = deskhand_linux::refs_folder()?;
    let engine =
        Engine::new(deskhand_linux::open()?, refs, None, unlimited_gate(log_folder.path()));
    let click = |button: &str| -> (f64, String) {
        let started = Instant::now();
        let answer =
            call_click(&engine, json!({"query": button, "app": arguments.pid.to_string()}));
        let ms = started.elapsed().as_secs_f64() * 1e3;
        let effect = match answer {
            Ok(answer) => answer.data["effect"].as_str().unwrap_or("no effect").to_owned(),
            Err(error) => CallFailure::from(error).message,
        };
        std::thread::sleep(CLICK_INTERVAL);
        (ms, effect)
    };
    let mut row = EvidenceRow::default();
    for kind in &KINDS {
        let mut figures = Figures::default();
        let is_shown = !arguments.without.iter().any(|name| name == kind.name);
        // The first click opens connections and is not counted.
        for round in 0..if is_shown { arguments.repeat + 1 } else { 0 } {
            let (ms, effect) = click(kind.button);
            let reset = kind.reset.map(&click);
            let failure = if effect != kind.effect {
                Some(format!("{}: reported {effect}", kind.button))
            } else {
                reset
                    .filter(|(_, effect)| effect != "confirmed")
                    .map(|(_, effect)| format!("after {}: reported {effect}", kind.button))
            };
            match failure {
                None if round > 0 => figures.ms.push(ms),
                None => {}
                Some(failure) => {
                    figures.failed += 1;
                    if row.remarks.len() < MAX_REMARKS {
                        row.remarks.push(failure);
                    }
                }
            }
        }
        row.kinds.push(figures);
    }
    println!("{}", serde_json::to_string::<EvidenceRow>(&row)?);
    Ok(())
}
