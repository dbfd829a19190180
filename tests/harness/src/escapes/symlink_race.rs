//! Symbolic links that change while the server resolves them.

use std::fs;

use serde_json::{Value, json};

use super::runner::AttemptRunner;

/// Replaces the link `way` alternately with a folder inside and one outside the scope for three
/// seconds.
const SWAP: &str = "perl -e 'my $d = shift; my $end = time + 3; while (time < $end) { \
                    for my $to (\"inner\", $d) { symlink $to, \"next\"; rename \"next\", \"way\" } }' ";

impl AttemptRunner<'_> {
    /// Uses a path and a working folder repeatedly while they are replaced by links.
    pub fn race_symlinks(&mut self, times: usize) {
        let inner = self.fixture.path("scope/inner");
        fs::create_dir_all(&inner).unwrap();
        for (tool, arguments) in actions("inner") {
            fs::write(inner.join("f"), "x").unwrap();
            let before = fs::metadata(inner.join("f")).unwrap().modified().unwrap();
            self.call(tool, &arguments);
            self.report.controls += 1;
            if fs::metadata(inner.join("f")).unwrap().modified().unwrap() == before {
                self.report
                    .faults
                    .push(format!("{tool} {arguments} had no effect inside the scope"));
            }
        }
        let target = self.fixture.path("shown");
        let swap = format!("{SWAP}'{}'", target.display());
        self.call("sandboxed_shell", &json!({ "command": swap, "timeout_seconds": 20 }));
        for _ in 0..times {
            for (tool, arguments) in actions("way") {
                self.call(tool, &arguments);
                self.report.attempts += 1;
            }
        }
        let evidence = self.detect_escapes("");
        self.report.escapes.extend(evidence.into_iter().map(|item| format!("race: {item}")));
    }
}

/// Returns calls that act on the file `f` of a folder, one for each way to name a folder.
fn actions(folder: &str) -> [(&'static str, Value); 3] {
    let shell = json!({
        "command": "echo raced > f; chmod 700 f; touch new", "working_directory": folder,
        "execution_mode": "Synchronous",
    });
    [
        ("sandboxed_shell", shell),
        ("touch", json!({ "path": format!("{folder}/f") })),
        ("touch", json!({ "path": "f", "working_directory": folder })),
    ]
}
