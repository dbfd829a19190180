//! A program that writes an audit log as fast as it can until it is killed, and tells which records
//! it was told are written; or measures how long one takes.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a panic is how it reports")]

use std::{
    io::Write,
    path::PathBuf,
    time::{Duration, Instant},
};

use clap::Parser;
use deskhand_engine::journal::{Begun, Bounds, Ended, Journal, Target};
use serde_json::{Value, json};

/// Writes an audit log.
#[derive(Parser)]
struct Given {
    /// The log
    file: PathBuf,
    /// How large a file may grow
    #[arg(long, default_value_t = 10_000_000)]
    rotate_at: u64,
    /// How many calls to record; without end when absent
    #[arg(long)]
    calls: Option<u64>,
    /// Tell how long a call's records take instead of their numbers
    #[arg(long)]
    measure: bool,
}

fn main() {
    let given = Given::parse();
    let bounds = Bounds { rotate_at: given.rotate_at, keep: 1_000_000 };
    let journal = Journal::at(given.file, bounds);
    let args = json!({ "app": "mousepad", "query": "role:button Save", "mode": "background" });
    let mut times = Vec::new();
    let mut out = std::io::stdout().lock();
    for number in 0..given.calls.unwrap_or(u64::MAX) {
        let begun = Instant::now();
        let id = call(&journal, &args, |id| {
            if !given.measure {
                writeln!(out, "begun {id}").expect("somebody reads it");
            }
        });
        if given.measure {
            times.push(begun.elapsed());
        } else {
            writeln!(out, "ended {id} {number}").expect("somebody reads it");
        }
    }
    if given.measure {
        times.sort();
        let at = |part: usize| micros(times[times.len() * part / 100]);
        writeln!(out, "p50 {:.1} µs, p90 {:.1} µs, p99 {:.1} µs", at(50), at(90), at(99)).unwrap();
    }
}

fn call(journal: &Journal, args: &Value, mut told: impl FnMut(u64)) -> u64 {
    let target = Target {
        app: Some("mousepad"),
        role: Some("AXButton"),
        title: Some("Save"),
        position: Some([400, 300]),
    };
    let begun = Begun {
        principal: None,
        session: "s-1",
        door: "mcp",
        tool: "ax_click",
        args,
        target: Target { role: None, title: None, position: None, ..target },
    };
    let open = journal.begin(begun).unwrap_or_else(|error| panic!("{error}"));
    let id = open.id();
    told(id);
    let effect = Some("confirmed");
    let ended = Ended { result: "ok", effect, delivery: None, target, flags: &[] };
    open.end(ended).unwrap_or_else(|error| panic!("{error}"));
    id
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
