//! Writes audit log records as fast as possible until it is killed.
//!
//! Prints one line when a record is begun and one when it is complete, so that a test can kill this
//! process and compare the log with the printed lines. With `--measure` it prints the time per call
//! instead.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a panic is how it reports")]

use std::{
    io::Write,
    path::PathBuf,
    time::{Duration, Instant},
};

use clap::Parser;
use deskhand_engine::audit_log::{AuditLog, CallEnd, CallStart, CallTarget, RotationPolicy};
use serde_json::{Value, json};

/// Writes an audit log.
#[derive(Parser)]
struct Args {
    /// Path of the audit log
    file: PathBuf,
    /// Size in bytes at which the log file is rotated
    #[arg(long, default_value_t = 10_000_000)]
    rotate_at: u64,
    /// Number of calls to record (default: unlimited)
    #[arg(long)]
    calls: Option<u64>,
    /// Print percentiles of the time per call instead of record numbers
    #[arg(long)]
    measure: bool,
}

fn main() {
    let args = Args::parse();
    let bounds = RotationPolicy { rotate_at: args.rotate_at, keep: 1_000_000 };
    let log = AuditLog::at(args.file, bounds);
    let call_args = json!({ "app": "mousepad", "query": "role:button Save", "mode": "background" });
    let mut times = Vec::new();
    let mut out = std::io::stdout().lock();
    for number in 0..args.calls.unwrap_or(u64::MAX) {
        let started = Instant::now();
        let id = call(&log, &call_args, |id| {
            if !args.measure {
                writeln!(out, "begun {id}").expect("stdout is open");
            }
        });
        if args.measure {
            times.push(started.elapsed());
        } else {
            writeln!(out, "ended {id} {number}").expect("stdout is open");
        }
    }
    if args.measure {
        times.sort();
        let percentile = |percent: usize| micros(times[times.len() * percent / 100]);
        writeln!(
            out,
            "p50 {:.1} µs, p90 {:.1} µs, p99 {:.1} µs",
            percentile(50),
            percentile(90),
            percentile(99)
        )
        .unwrap();
    }
}

fn call(log: &AuditLog, call_args: &Value, mut on_begin: impl FnMut(u64)) -> u64 {
    let target = CallTarget {
        app: Some("mousepad"),
        role: Some("AXButton"),
        title: Some("Save"),
        position: Some([400, 300]),
    };
    let begun = CallStart {
        principal: None,
        session: "s-1",
        origin: "mcp",
        tool: "ax_click",
        args: call_args,
        target: CallTarget { role: None, title: None, position: None, ..target },
    };
    let entry = log.begin(begun).unwrap_or_else(|error| panic!("{error}"));
    let id = entry.id();
    on_begin(id);
    let effect = Some("confirmed");
    let ended = CallEnd { result: "ok", effect, delivery: None, target, flags: &[] };
    entry.end(ended).unwrap_or_else(|error| panic!("{error}"));
    id
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
