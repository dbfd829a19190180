//! The MCP server: what a message costs, beside the smallest servers of the official SDKs.

mod client;
mod figures;
mod goals;
mod lineup;
pub(crate) mod page;
pub(crate) mod plot;
mod table;

use std::time::Instant;

use harness::Stage;
use indicatif::ProgressBar;
use serde_json::{Value, json};

pub(crate) use figures::Report;
pub(crate) use goals::judge;
pub(crate) use table::terminal;

use client::Client;
use figures::{Crowd, Row};
use lineup::{Maker, Running, Way};

use crate::error::Result;
use crate::figures::Figures;
use crate::machine::Machine;

/// How many messages a round has.
const MESSAGES: usize = 1000;

/// How many come before them and do not count.
const WARM_UP: usize = 100;

/// How many clients come at once.
const CROWD: usize = 32;

/// How many calls each of them makes.
const EACH: usize = 50;

/// After how many calls the memory of ours is read.
const MARKS: [usize; 4] = [1_000, 2_000, 5_000, 10_000];

/// Measures all servers in turn.
pub(crate) fn measure(machine: Machine, rounds: usize, progress: &ProgressBar) -> Result<Report> {
    let stage = Stage::new();
    let mut rows: Vec<Row> = Vec::new();
    for way in Way::ALL {
        rows.extend(Maker::ALL.map(|maker| Row::new(maker, way)));
    }
    progress.set_length((rows.len() * rounds + Way::ALL.len()) as u64);
    for _ in 0..rounds {
        for row in &mut rows {
            progress.set_message(format!("{}, {}", row.maker.name(), row.way.name()));
            round(row, &stage)?;
            progress.inc(1);
        }
    }
    let mut memory = Vec::new();
    for way in Way::ALL {
        progress.set_message(format!("memory, {}", way.name()));
        memory.extend(held(way, &stage)?);
        progress.inc(1);
    }
    Ok(Report { machine, rounds, rows, memory })
}

/// One round of one server: a start, pings, calls, and a crowd where one can come.
fn round(row: &mut Row, stage: &Stage) -> Result<()> {
    let (running, mut client, started) = Running::start(row.maker, row.way, stage)?;
    row.start.ms.push(started);
    row.ping.push(messages(&mut client, "ping", &json!({})));
    let mut calls = messages(&mut client, "tools/call", &row.maker.call());
    calls.rss_kb = running.rss_kb();
    row.call.push(calls);
    if row.way == Way::Http {
        let crowd = crowd(&running, &row.maker.call());
        let least = row.crowd.take();
        row.crowd = Some(match least {
            Some(before) => joined(&before, crowd),
            None => crowd,
        });
    }
    Ok(())
}

/// Sends one message after the other.
fn messages(client: &mut Client, method: &str, params: &Value) -> Figures {
    let mut figures = Figures::default();
    for number in 0..WARM_UP + MESSAGES {
        let begun = Instant::now();
        let answered = client.ask(method, params).is_ok();
        let ms = begun.elapsed().as_secs_f64() * 1e3;
        match answered {
            false => figures.failed += 1,
            true if number >= WARM_UP => figures.ms.push(ms),
            true => {}
        }
    }
    figures
}

/// Many clients, each with a session and a connection of its own, one call after the other.
fn crowd(running: &Running, call: &Value) -> Crowd {
    let begun = Instant::now();
    let one = || {
        let Ok(mut client) = running.client() else { return 0 };
        (0..EACH).filter(|_| client.ask("tools/call", call).is_ok()).count()
    };
    let answered = std::thread::scope(|threads| {
        let clients: Vec<_> = (0..CROWD).map(|_| threads.spawn(one)).collect();
        clients.into_iter().map(|client| client.join().unwrap_or(0)).sum::<usize>()
    });
    let per_second = answered as f64 / begun.elapsed().as_secs_f64();
    Crowd { clients: CROWD, answered, failed: CROWD * EACH - answered, per_second }
}

/// All failures, and the best pace.
fn joined(a: &Crowd, b: Crowd) -> Crowd {
    Crowd {
        answered: a.answered + b.answered,
        failed: a.failed + b.failed,
        per_second: a.per_second.max(b.per_second),
        ..b
    }
}

/// The memory of ours after more and more calls.
fn held(way: Way, stage: &Stage) -> Result<Vec<(Way, usize, u64)>> {
    let (running, mut client, _) = Running::start(Maker::Deskhand, way, stage)?;
    let (call, mut done, mut marks) = (Maker::Deskhand.call(), 0, Vec::new());
    for mark in MARKS {
        while done < mark {
            client.ask("tools/call", &call)?;
            done += 1;
        }
        marks.push((way, mark, running.rss_kb()));
    }
    Ok(marks)
}
