//! Documentation examples: runs the transcripts of the pages and compares their output.
#![allow(clippy::unwrap_used, reason = "a panic is how a test reports")]

mod pages;
mod shell;
mod transcript;

use std::fs;
use std::path::PathBuf;

use harness::TestDesktop;

use pages::{PAGES, Preparation};
use transcript::{has_output, matches, normalize, transcripts};

/// Transcripts that are not run: the page, the first command, and the reason.
const NOT_RUN: [(&str, &str, &str); 2] = [
    ("docs/cli.md", "deskhand type 'Grace Hopper'", "shows a part of a longer session in Chromium"),
    ("docs/cli.md", "deskhand screenshot --app chromium", "continues the session in Chromium"),
];

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn read(page: &str) -> String {
    fs::read_to_string(repository().join(page)).unwrap()
}

#[test]
fn readme_shows_real_output() {
    let desktop = pages::desktop();
    check_page(&desktop, "README.md");
}

#[test]
fn cli_page_shows_real_output() {
    let desktop = pages::desktop();
    check_page(&desktop, "docs/cli.md");
}

#[test]
fn security_page_shows_real_output() {
    let desktop = pages::desktop();
    check_page(&desktop, "docs/security.md");
}

#[test]
fn pages_without_apps_show_real_output() {
    let desktop = pages::desktop();
    for page in ["docs/mcp.md", "docs/tools-from-files.md", "docs/commands.md", "docs/servers.md"] {
        check_page(&desktop, page);
    }
}

#[test]
fn every_page_with_output_is_run() {
    let mut with_output = pages_in("");
    with_output.extend(pages_in("docs"));
    for folder in ["crates", "tests", "packaging"] {
        for entry in fs::read_dir(repository().join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            with_output.extend(pages_in(&format!("{folder}/{name}")));
        }
    }
    with_output.retain(|page| transcripts(&read(page)).iter().any(|steps| has_output(steps)));
    with_output.sort();
    let mut run = PAGES.map(|(page, _)| page);
    run.sort_unstable();
    assert_eq!(with_output, run);
}

/// Returns the Markdown files of a folder, as paths in the repository.
fn pages_in(folder: &str) -> Vec<String> {
    // Not every entry is a folder.
    let Ok(entries) = fs::read_dir(repository().join(folder)) else { return Vec::new() };
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let pages = names.filter(|name| name.ends_with(".md"));
    let separator = if folder.is_empty() { "" } else { "/" };
    pages.map(|name| format!("{folder}{separator}{name}")).collect()
}

#[test]
fn every_exception_is_on_its_page() {
    for (page, command, _) in NOT_RUN {
        let is_there =
            transcripts(&read(page)).iter().any(|steps| steps[0].command.starts_with(command));
        assert!(is_there, "{page} has no transcript that begins with `{command}`");
    }
}

/// Runs all transcripts of a page, each in its own shell.
fn check_page(desktop: &TestDesktop, page: &str) {
    let (_, prepare) = PAGES.iter().find(|(name, _)| *name == page).unwrap();
    let text = read(page);
    // The apps and servers run until the end of the page.
    let Preparation { folder, variables, running: _running } = prepare(desktop, &text);
    let home = desktop.info().home.display().to_string();
    let mut differences = Vec::new();
    for steps in transcripts(&text) {
        let is_exception = |(on, command, _): &(&str, &str, &str)| {
            *on == page && steps[0].command.starts_with(command)
        };
        if NOT_RUN.iter().any(is_exception) {
            continue;
        }
        let outputs = shell::run(desktop, &folder, &variables, &steps);
        assert_eq!(outputs.len(), steps.len(), "{page}: not every command ended: {outputs:?}");
        for (step, output) in steps.iter().zip(outputs) {
            let (expected, actual) = (normalize(&step.output, &home), normalize(&output, &home));
            if !matches(&expected, &actual) {
                let command = &step.command;
                differences.push(format!("$ {command}\n--- page\n{expected}\n--- run\n{actual}"));
            }
        }
    }
    assert!(differences.is_empty(), "{page} is outdated:\n{}", differences.join("\n\n"));
}
