//! `soak unseen`: a referee for apps that Deskhand was not tuned for.
//!
//! Each data file in `tests/soak/unseen` describes an app and steps with an oracle that does not use Deskhand. A
//! step runs the built program as a person would call it, and the referee compares the reported effect with the
//! oracle.

mod desktop;
mod judge;
mod oracle;
mod page;
mod report;
mod run;
mod script;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;

use clap::Args;
use harness::outcome;

use self::report::ClassCounts;
use self::run::AppRecord;
use self::script::AppScript;

/// Options of `soak unseen`.
#[derive(Debug, Args)]
pub(crate) struct UnseenOptions {
    /// Only run this app (may be repeated).
    #[arg(long = "app")]
    apps: Vec<String>,
    /// Only run apps of this toolkit, for example `GTK 3`.
    #[arg(long)]
    group: Option<String>,
    /// Measure this build (default: the one next to this program).
    #[arg(long)]
    binary: Option<PathBuf>,
    /// Number of apps that run at the same time.
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Write every step with its answer to this file (default: target/unseen.json).
    #[arg(long)]
    json: Option<PathBuf>,
    /// Keep the apps that the JSON file contains and this run does not measure.
    #[arg(long)]
    merge: bool,
    /// Name of the section in docs/unseen.md.
    #[arg(long, default_value = "Current build")]
    label: String,
}

/// Runs the chosen apps, and prints their tables. Fails on a false answer or a step that could not be judged.
pub(crate) fn run(options: &UnseenOptions, docs: bool) -> ExitCode {
    match measure(options, docs) {
        Ok(code) => code,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

fn measure(options: &UnseenOptions, docs: bool) -> Result<ExitCode, String> {
    let scripts = chosen(options)?;
    let binary = options.binary.clone().unwrap_or_else(outcome::binary);
    // The steps run in the home folder of their desktop, so a relative path would lead nowhere.
    let binary = std::path::absolute(&binary).unwrap_or(binary);
    if !binary.is_file() {
        return Err(format!("{}: no such program", binary.display()));
    }
    let json = options.json.clone().unwrap_or_else(|| page::root().join("target/unseen.json"));
    let earlier = if options.merge { read_records(&json)? } else { Vec::new() };
    let mut records = run_all(&scripts, &binary, options.jobs.max(1));
    records
        .extend(earlier.into_iter().filter(|old| scripts.iter().all(|new| new.name != old.name)));
    records.sort_by(|a, b| (&a.toolkit, &a.name).cmp(&(&b.toolkit, &b.name)));
    print!("{}", report::terminal(&records));
    for record in &records {
        for step in record.steps.iter().filter(|step| step.class.is_worth_listing()) {
            println!("{}", report::describe(record, step));
        }
    }
    let total = ClassCounts::of(records.iter().flat_map(|record| &record.steps));
    println!("{}", total.sentence(records.len()));
    let text = serde_json::to_string_pretty(&records).map_err(|error| error.to_string())?;
    std::fs::write(&json, text).map_err(|error| format!("{}: {error}", json.display()))?;
    println!("every step: {}", json.display());
    if docs {
        let section = report::markdown(&options.label, "cargo xtask soak unseen", &records);
        page::write_section(&options.label, &section).map_err(|error| error.to_string())?;
        println!("updated docs/unseen.md");
    }
    let failed =
        records.iter().flat_map(|record| &record.steps).any(|step| step.class.is_failure());
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Reads the records of an earlier run.
fn read_records(path: &std::path::Path) -> Result<Vec<AppRecord>, String> {
    let text = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", path.display()))
}

fn chosen(options: &UnseenOptions) -> Result<Vec<AppScript>, String> {
    let mut scripts = script::load()?;
    let known: Vec<String> = scripts.iter().map(|script| script.name.clone()).collect();
    if let Some(unknown) = options.apps.iter().find(|name| !known.contains(name)) {
        return Err(format!("no app is called `{unknown}`; known: {}", known.join(", ")));
    }
    scripts.retain(|script| options.apps.is_empty() || options.apps.contains(&script.name));
    let in_group = |script: &AppScript| {
        options.group.as_ref().is_none_or(|group| script.toolkit.eq_ignore_ascii_case(group))
    };
    scripts.retain(in_group);
    if scripts.is_empty() { Err("no app is chosen".to_owned()) } else { Ok(scripts) }
}

/// Runs the apps, `jobs` at a time, and prints a line after each.
fn run_all(scripts: &[AppScript], binary: &std::path::Path, jobs: usize) -> Vec<AppRecord> {
    let queue = Mutex::new(scripts.iter().enumerate());
    let records = Mutex::new(Vec::new());
    let work = || {
        // Each lock is held for one statement, which cannot panic.
        while let Some((index, script)) = queue.lock().ok().and_then(|mut queue| queue.next()) {
            let record = run::run_app(script, binary);
            let counts = ClassCounts::of(record.steps.iter());
            eprintln!("{}: {:.0} s, {}", record.name, record.seconds, counts.sentence(1));
            if let Ok(mut records) = records.lock() {
                records.push((index, record));
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(work);
        }
    });
    let mut records = records.into_inner().unwrap_or_default();
    records.sort_by_key(|(index, _)| *index);
    records.into_iter().map(|(_, record)| record).collect()
}
