//! Runs the commands of a transcript in one shell.

use std::path::Path;

use harness::remote_servers::free_port;
use harness::{Outcome, TestDesktop, outcome};

use super::transcript::Step;

/// The port that the pages use for HTTP. A free port takes its place.
const PAGE_PORT: &str = ":8741";

/// Runs the commands in a folder, with additional variables, and returns the output of each.
pub(crate) fn run(
    desktop: &TestDesktop,
    folder: &Path,
    variables: &[(&str, String)],
    steps: &[Step],
) -> Vec<String> {
    let programs = outcome::binary().parent().unwrap().display().to_string();
    let port = free_port();
    let mut script = format!("PATH={programs}:$PATH; exec 2>&1\nservers=\n");
    for step in steps {
        let command = step.command.replace(PAGE_PORT, &format!(":{port}"));
        script.push_str(&if is_http_server(&command) { in_background(&command) } else { command });
        // The next command may print the exit code of this one.
        script.push_str("\n(code=$?; printf '\\036'; exit $code)\n");
    }
    script.push_str("kill $servers\n");
    let mut shell = desktop.command("bash");
    shell.env("DESKHAND_HTTP_PORT", port.to_string());
    shell.envs(variables.iter().map(|(name, value)| (name, value)));
    shell.arg("-c").arg(script).current_dir(folder);
    let text = Outcome::of(&mut shell).text();
    let mut outputs: Vec<String> = text.split('\u{1e}').map(str::to_owned).collect();
    // The output of the end of the script.
    outputs.pop();
    outputs
}

/// Returns `true` for a command that serves until it is killed. A server on standard input ends at once,
/// because there is no input.
fn is_http_server(command: &str) -> bool {
    command.starts_with("deskhand mcp serve") && command.contains("--http")
}

/// Starts a server in the background and prints its first output.
fn in_background(command: &str) -> String {
    format!(
        "(\nexec {command}\n) > server.out 2>&1 & servers=\"$servers $!\"\n\
         until [ -s server.out ]; do sleep 0.02; done; cat server.out; rm server.out"
    )
}
