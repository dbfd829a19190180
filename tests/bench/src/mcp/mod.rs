//! Measures the MCP server next to minimal servers of the official SDKs.

mod client;
mod figures;
mod goals;
pub(crate) mod page;
pub(crate) mod plot;
mod servers;
mod table;

use std::time::Instant;

use harness::TestDesktop;
use indicatif::ProgressBar;
use serde_json::{Value, json};

pub(crate) use figures::Report;
pub(crate) use goals::judge;
pub(crate) use table::terminal;

use client::Client;
use figures::{ConcurrentClients, Row};
use servers::{Implementation, RunningServer, Transport};

use crate::error::Result;
use crate::figures::Figures;
use crate::machine::Machine;

/// The number of messages per round.
const MESSAGES: usize = 1000;

/// The number of messages before them that are not counted.
const WARM_UP: usize = 100;

/// The number of concurrent clients.
const CLIENTS: usize = 32;

/// The number of calls per client.
const CALLS_PER_CLIENT: usize = 50;

/// The numbers of calls after which Deskhand's memory is read.
const MEMORY_CHECKPOINTS: [usize; 4] = [1_000, 2_000, 5_000, 10_000];

/// Measures all servers in turn.
pub(crate) fn measure(machine: Machine, rounds: usize, progress: &ProgressBar) -> Result<Report> {
    let desktop = TestDesktop::new();
    let mut rows: Vec<Row> = Vec::new();
    for transport in Transport::ALL {
        rows.extend(Implementation::ALL.map(|implementation| Row::new(implementation, transport)));
    }
    progress.set_length((rows.len() * rounds + Transport::ALL.len()) as u64);
    for _ in 0..rounds {
        for row in &mut rows {
            progress.set_message(format!(
                "{}, {}",
                row.implementation.name(),
                row.transport.name()
            ));
            round(row, &desktop)?;
            progress.inc(1);
        }
    }
    let mut memory = Vec::new();
    for transport in Transport::ALL {
        progress.set_message(format!("memory, {}", transport.name()));
        memory.extend(memory_after_calls(transport, &desktop)?);
        progress.inc(1);
    }
    Ok(Report { machine, rounds, rows, memory })
}

/// Runs one round of one server: start, pings, calls and, over HTTP, concurrent clients.
fn round(row: &mut Row, desktop: &TestDesktop) -> Result<()> {
    let (running, mut client, started) =
        RunningServer::start(row.implementation, row.transport, desktop)?;
    row.start.ms.push(started);
    row.ping.push(messages(&mut client, "ping", &json!({})));
    let mut calls = messages(&mut client, "tools/call", &row.implementation.call());
    calls.rss_kb = running.rss_kb();
    row.call.push(calls);
    if row.transport == Transport::Http {
        let concurrent = concurrent(&running, &row.implementation.call());
        let least = row.concurrent.take();
        row.concurrent = Some(match least {
            Some(before) => merge_concurrent(&before, concurrent),
            None => concurrent,
        });
    }
    Ok(())
}

/// Sends messages one after the other.
fn messages(client: &mut Client, method: &str, params: &Value) -> Figures {
    let mut figures = Figures::default();
    for number in 0..WARM_UP + MESSAGES {
        let started = Instant::now();
        let answered = client.request(method, params).is_ok();
        let ms = started.elapsed().as_secs_f64() * 1e3;
        match answered {
            false => figures.failed += 1,
            true if number >= WARM_UP => figures.ms.push(ms),
            true => {}
        }
    }
    figures
}

/// Runs concurrent clients, each with its own session and connection.
fn concurrent(running: &RunningServer, call: &Value) -> ConcurrentClients {
    let started = Instant::now();
    let one = || {
        let Ok(mut client) = running.client() else { return 0 };
        (0..CALLS_PER_CLIENT).filter(|_| client.request("tools/call", call).is_ok()).count()
    };
    let answered = std::thread::scope(|threads| {
        let clients: Vec<_> = (0..CLIENTS).map(|_| threads.spawn(one)).collect();
        clients.into_iter().map(|client| client.join().unwrap_or(0)).sum::<usize>()
    });
    let per_second = answered as f64 / started.elapsed().as_secs_f64();
    ConcurrentClients {
        clients: CLIENTS,
        answered,
        failed: CLIENTS * CALLS_PER_CLIENT - answered,
        per_second,
    }
}

/// Adds the counts and keeps the higher throughput.
fn merge_concurrent(a: &ConcurrentClients, b: ConcurrentClients) -> ConcurrentClients {
    ConcurrentClients {
        answered: a.answered + b.answered,
        failed: a.failed + b.failed,
        per_second: a.per_second.max(b.per_second),
        ..b
    }
}

/// Returns the memory of Deskhand after increasing numbers of calls.
fn memory_after_calls(
    transport: Transport,
    desktop: &TestDesktop,
) -> Result<Vec<(Transport, usize, u64)>> {
    let (running, mut client, _) =
        RunningServer::start(Implementation::Deskhand, transport, desktop)?;
    let (call, mut done, mut marks) = (Implementation::Deskhand.call(), 0, Vec::new());
    for mark in MEMORY_CHECKPOINTS {
        while done < mark {
            client.request("tools/call", &call)?;
            done += 1;
        }
        marks.push((transport, mark, running.rss_kb()));
    }
    Ok(marks)
}
