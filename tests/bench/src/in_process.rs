//! Deskhand's side of the comparison: one operation in this process, on its own desktop.
//!
//! As with the peers, the connection to the bus and the search for the app come before the measured
//! time. The connection to the app itself is measured.

use std::time::Instant;

use clap::ValueEnum;
use deskhand_locate::{Query, RefTable, Strategy, find_one};
use deskhand_model::App;
use deskhand_platform::{Deadline, Desktop, NodeFields, WalkOptions};

use crate::error::{Error, Result};
use crate::figures::Figures;
use crate::timing::READ_TIMEOUT;

/// The attributes that the peers read: basic attributes and extents of every element, hidden or
/// not.
const PEER_FACETS: NodeFields = NodeFields { bounds: true, hidden: true, ..NodeFields::MINIMAL };

#[derive(clap::Args)]
pub(crate) struct Arguments {
    operation: Operation,
    #[arg(long)]
    pid: u32,
    #[arg(long, default_value = "")]
    name: String,
    #[arg(long, default_value_t = 1)]
    repeat: usize,
}

#[derive(Clone, Copy, ValueEnum)]
enum Operation {
    FirstLook,
    Alike,
    Everything,
    Find,
    Attribute,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let desktop = deskhand_linux::open()?;
    let apps = desktop.tree.apps(deadline())?;
    let app = apps.into_iter().find(|app| app.pid == arguments.pid);
    let app = app.ok_or(Error::NoApp(arguments.pid))?;
    let figures = match arguments.operation {
        Operation::FirstLook => read_tree(&desktop, &app, NodeFields::STANDARD)?,
        Operation::Alike => read_tree(&desktop, &app, PEER_FACETS)?,
        Operation::Everything => read_tree(&desktop, &app, NodeFields::ALL)?,
        Operation::Find => find_by_name(&desktop, &app, &arguments.name)?,
        Operation::Attribute => read_attribute(&desktop, &app, &arguments.name, arguments.repeat)?,
    };
    println!("{}", serde_json::to_string(&figures)?);
    Ok(())
}

fn deadline() -> Deadline {
    Deadline::after(READ_TIMEOUT)
}

fn ms(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

fn read_tree(desktop: &Desktop, app: &App, facets: NodeFields) -> Result<Figures> {
    let started = Instant::now();
    let snapshot =
        desktop.tree.walk(app, &app.root, &WalkOptions::with_fields(facets), deadline())?;
    Ok(Figures { ms: vec![ms(started)], nodes: snapshot.len(), ..Figures::default() })
}

fn find_by_name(desktop: &Desktop, app: &App, name: &str) -> Result<Figures> {
    let query = Query::parse(name, Strategy::Exact)?;
    let started = Instant::now();
    let snapshot = desktop.tree.walk(
        app,
        &app.root,
        &WalkOptions::with_fields(query.initial_fields()),
        deadline(),
    )?;
    find_one(&snapshot, &query, &mut RefTable::new())?;
    Ok(Figures { ms: vec![ms(started)], nodes: 1, ..Figures::default() })
}

fn read_attribute(desktop: &Desktop, app: &App, name: &str, repeat: usize) -> Result<Figures> {
    let query = Query::parse(name, Strategy::Exact)?;
    let snapshot = desktop.tree.walk(
        app,
        &app.root,
        &WalkOptions::with_fields(query.initial_fields()),
        deadline(),
    )?;
    let found = find_one(&snapshot, &query, &mut RefTable::new())?;
    let ids = [snapshot.node(found.index).id.clone()];
    let mut figures = Figures { nodes: 1, ..Figures::default() };
    for _ in 0..repeat {
        let started = Instant::now();
        desktop.tree.read(app, &ids, NodeFields::MINIMAL, deadline())?;
        figures.ms.push(ms(started));
    }
    Ok(figures)
}
