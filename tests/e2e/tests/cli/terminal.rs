//! Colours and the pager are used on a terminal only.

use harness::outcome::binary;
use harness::{App, Outcome, TestDesktop};

/// Runs a command line on a new pseudo-terminal and returns its output.
fn on_terminal(
    stage: &TestDesktop,
    line: &str,
    change: impl FnOnce(&mut std::process::Command),
) -> String {
    let mut command = stage.command("script");
    command.args(["-qec", line, "/dev/null"]).env("TERM", "xterm-256color");
    change(&mut command);
    Outcome::of(&mut command).expect_ok().text()
}

#[test]
fn colours_are_used_on_terminals_only() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Mousepad);
    let deskhand = binary().display().to_string();
    let tree = format!("{deskhand} tree --depth 3 --max-tokens 100 --app {}", program.pid());
    let shown = on_terminal(&stage, &tree, |_| {});
    assert!(shown.contains("\u{1b}["), "{shown:?}");
    for (name, value) in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let plain = on_terminal(&stage, &tree, |command| {
            command.env(name, value);
        });
        assert!(!plain.contains('\u{1b}'), "{name}: {plain:?}");
        assert!(plain.contains("window"), "{plain:?}");
    }
    let piped = stage.deskhand(&["tree", "--app", &program.pid_text()]).text();
    assert!(!piped.contains('\u{1b}'));
    let error = on_terminal_ignoring_status(
        &stage,
        &format!("{deskhand} find nothing-of-this --app {}", program.pid()),
    );
    assert!(error.contains("\u{1b}[") && error.contains("error:"), "{error:?}");
}

fn on_terminal_ignoring_status(stage: &TestDesktop, line: &str) -> String {
    on_terminal(stage, &format!("{line}; true"), |_| {})
}

#[test]
fn only_long_output_goes_through_the_pager() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Mousepad);
    let pager = stage.info().home.join("pager.sh");
    std::fs::write(&pager, "#!/bin/sh\necho PAGER STARTED\nexec cat\n").unwrap();
    std::process::Command::new("chmod").arg("+x").arg(&pager).status().unwrap();
    let deskhand = binary().display().to_string();
    let pid = program.pid();
    let with_pager = |line: &str| {
        on_terminal(&stage, &format!("stty rows 20 cols 100; {line}"), |command| {
            command.env("PAGER", &pager);
        })
    };
    let long = with_pager(&format!("{deskhand} tree --max-tokens 0 --hidden --app {pid}"));
    assert!(long.contains("PAGER STARTED") && long.contains("menu"), "{long:?}");
    let short = with_pager(&format!("{deskhand} apps"));
    assert!(!short.contains("PAGER STARTED") && short.contains("mousepad"), "{short:?}");
    let json = with_pager(&format!("{deskhand} tree --format json --app {pid}"));
    assert!(!json.contains("PAGER STARTED") && !json.contains('\u{1b}'), "JSON must not be paged");
    let missing = on_terminal(
        &stage,
        &format!("stty rows 20 cols 100; {deskhand} tree --max-tokens 0 --hidden --app {pid}"),
        |command| {
            command.env("PAGER", "/no/such/pager");
        },
    );
    assert!(
        missing.contains("menu"),
        "without a pager the text must be printed directly: {missing:?}"
    );
}

#[test]
fn closed_output_pipe_is_not_an_error() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Mousepad);
    let line = format!(
        "set -o pipefail; {} tree --format json --app {} | head -n 2",
        binary().display(),
        program.pid()
    );
    let outcome = Outcome::of(stage.command("bash").args(["-c", &line]));
    assert_eq!(outcome.expect_ok().text().lines().count(), 2);
    assert!(outcome.stderr.is_empty(), "{outcome}");
}
