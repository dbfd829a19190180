//! Our side of the comparison: one operation inside this process, on the desktop it runs in.
//!
//! As with the peers, connecting to the bus and finding the app come before the clock starts. The
//! connection to the app itself is part of the time.

use std::time::{Duration, Instant};

use clap::ValueEnum;
use deskhand_locate::{Query, Strategy, Table, find_one};
use deskhand_model::App;
use deskhand_platform::{Deadline, Desktop, Extent, Facets};

use crate::error::{Error, Result};
use crate::figures::Figures;

/// The clock is read after the fact, so this only keeps a broken app from stopping the bench.
const PATIENCE: Duration = Duration::from_secs(30);

/// What the peers' walk reads: the basic facts and the extents of every element, hidden or not.
const ALIKE: Facets = Facets { bounds: true, hidden: true, ..Facets::NAMES };

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
    let apps = desktop.tree.apps(by())?;
    let app = apps.into_iter().find(|app| app.pid == arguments.pid);
    let app = app.ok_or(Error::NoApp(arguments.pid))?;
    let figures = match arguments.operation {
        Operation::FirstLook => look(&desktop, &app, Facets::LOOK)?,
        Operation::Alike => look(&desktop, &app, ALIKE)?,
        Operation::Everything => look(&desktop, &app, Facets::ALL)?,
        Operation::Find => find(&desktop, &app, &arguments.name)?,
        Operation::Attribute => attribute(&desktop, &app, &arguments.name, arguments.repeat)?,
    };
    println!("{}", serde_json::to_string(&figures)?);
    Ok(())
}

fn by() -> Deadline {
    Deadline::after(PATIENCE)
}

fn ms(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

fn look(desktop: &Desktop, app: &App, facets: Facets) -> Result<Figures> {
    let begun = Instant::now();
    let snapshot = desktop.tree.walk(app, &app.root, &Extent::of(facets), by())?;
    Ok(Figures { ms: vec![ms(begun)], nodes: snapshot.len(), ..Figures::default() })
}

fn find(desktop: &Desktop, app: &App, name: &str) -> Result<Figures> {
    let query = Query::parse(name, Strategy::Exact)?;
    let begun = Instant::now();
    let snapshot = desktop.tree.walk(app, &app.root, &Extent::of(query.first()), by())?;
    find_one(&snapshot, &query, &mut Table::new())?;
    Ok(Figures { ms: vec![ms(begun)], nodes: 1, ..Figures::default() })
}

fn attribute(desktop: &Desktop, app: &App, name: &str, repeat: usize) -> Result<Figures> {
    let query = Query::parse(name, Strategy::Exact)?;
    let snapshot = desktop.tree.walk(app, &app.root, &Extent::of(query.first()), by())?;
    let found = find_one(&snapshot, &query, &mut Table::new())?;
    let ids = [snapshot.node(found.index).id.clone()];
    let mut figures = Figures { nodes: 1, ..Figures::default() };
    for _ in 0..repeat {
        let begun = Instant::now();
        desktop.tree.read(app, &ids, Facets::NAMES, by())?;
        figures.ms.push(ms(begun));
    }
    Ok(figures)
}
