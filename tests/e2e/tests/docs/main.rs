//! Documentation examples: runs the `$ deskhand …` transcripts of the pages and compares their output.
#![allow(clippy::unwrap_used, reason = "a panic is how a test reports")]

mod transcript;

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use harness::{App, Outcome, Program, TestDesktop, outcome};

use transcript::{Step, normalize, transcripts};

/// Transcripts that are not run: the page, the first command, and the reason.
const NOT_RUN: [(&str, &str, &str); 3] = [
    ("README.md", "deskhand mcp serve ", "a server runs until it is stopped"),
    ("docs/cli.md", "deskhand type 'Grace Hopper'", "shows a part of a longer session in Chromium"),
    ("docs/cli.md", "deskhand screenshot --app chromium", "continues the session in Chromium"),
];

/// The command in a transcript that would not end. Its transcript is run up to it.
const SERVE: &str = "deskhand mcp serve";

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

#[test]
fn readme_shows_real_output() {
    check_page("README.md");
}

#[test]
fn cli_page_shows_real_output() {
    check_page("docs/cli.md");
}

#[test]
fn every_exception_is_on_its_page() {
    for (page, command, _) in NOT_RUN {
        let text = fs::read_to_string(repository().join(page)).unwrap();
        let is_there = transcripts(&text).iter().any(|steps| steps[0].command.starts_with(command));
        assert!(is_there, "{page} has no transcript that begins with `{command}`");
    }
}

/// Runs all transcripts of a page on one desktop.
fn check_page(page: &str) {
    let text = fs::read_to_string(repository().join(page)).unwrap();
    let (desktop, _apps) = prepare();
    let home = desktop.info().home.display().to_string();
    let mut differences = Vec::new();
    for steps in transcripts(&text) {
        let is_exception = |(on, command, _): &(&str, &str, &str)| {
            *on == page && steps[0].command.starts_with(command)
        };
        if NOT_RUN.iter().any(is_exception) {
            continue;
        }
        let steps: Vec<Step> =
            steps.into_iter().take_while(|step| !step.command.starts_with(SERVE)).collect();
        let outputs = run(&desktop, &steps);
        assert_eq!(outputs.len(), steps.len(), "{page}: not every command ended");
        for (step, output) in steps.iter().zip(outputs) {
            let (expected, actual) = (normalize(&step.output, &home), normalize(&output, &home));
            if expected != actual {
                let command = &step.command;
                differences.push(format!("$ {command}\n--- page\n{expected}\n--- run\n{actual}"));
            }
        }
    }
    assert!(differences.is_empty(), "{page} is outdated:\n{}", differences.join("\n\n"));
}

/// Starts a desktop with the apps and files that the pages use.
fn prepare() -> (TestDesktop, [Program; 2]) {
    let desktop = TestDesktop::with_displays(&["1280x800"]);
    let home = &desktop.info().home;
    let hello = "Deskhand reads what is on the screen.\nThis line came from a file.";
    fs::write(home.join("hello.txt"), hello).unwrap();
    fs::write(home.join(".claude.json"), "{}\n").unwrap();
    fs::create_dir_all(home.join("project")).unwrap();
    std::os::unix::fs::symlink(repository(), home.join("deskhand")).unwrap();
    let factory = desktop.start_unread(App::Gtk3WidgetFactory);
    let file = home.join("hello.txt");
    let editor = desktop.start_with(App::Mousepad, |command| {
        command.arg(file);
    });
    wait_until_complete(&desktop, &factory, App::Gtk3WidgetFactory.at_least());
    wait_until_complete(&desktop, &editor, App::Mousepad.at_least());
    // Refs are numbered in the order in which elements are first printed.
    for app in ["mousepad", "gtk3-widget-factory"] {
        desktop.deskhand(&["tree", "--app", app]).expect_ok();
    }
    (desktop, [factory, editor])
}

/// Waits until the tree of an app has stopped growing. Reads it without `deskhand`, which would number
/// elements that the pages do not print.
fn wait_until_complete(desktop: &TestDesktop, program: &Program, at_least: usize) {
    let end = Instant::now() + Duration::from_secs(30);
    let mut last = 0;
    loop {
        let count = desktop.plain_walk(program.pid()).len();
        if count >= at_least && count == last {
            return;
        }
        assert!(Instant::now() < end, "{count} of {at_least} elements");
        last = count;
    }
}

/// Runs the commands in one shell and returns the output of each.
fn run(desktop: &TestDesktop, steps: &[Step]) -> Vec<String> {
    let folder = outcome::binary().parent().unwrap().display().to_string();
    let mut script = format!("PATH={folder}:$PATH; exec 2>&1\n");
    for step in steps {
        script.push_str(&step.command);
        script.push_str("\nprintf '\\036'\n");
    }
    let mut shell = desktop.command("bash");
    shell.arg("-c").arg(script).current_dir(&desktop.info().home);
    Outcome::of(&mut shell).text().split_terminator('\u{1e}').map(str::to_owned).collect()
}
