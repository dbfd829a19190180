//! Links that are swapped while the server looks where they lead.

use std::fs;

use serde_json::{Value, json};

use super::play::Player;

/// Swaps `way` between a folder inside and one outside for some seconds.
const SWAP: &str = "perl -e 'my $d = shift; my $end = time + 3; while (time < $end) { \
                    for my $to (\"inner\", $d) { symlink $to, \"next\"; rename \"next\", \"way\" } }' ";

impl Player<'_> {
    /// Uses a path and a working folder so many times while they are swapped for others.
    pub fn race(&mut self, times: usize) {
        let inner = self.place.at("scope/inner");
        fs::create_dir_all(&inner).unwrap();
        for (tool, arguments) in acts("inner") {
            fs::write(inner.join("f"), "x").unwrap();
            let before = fs::metadata(inner.join("f")).unwrap().modified().unwrap();
            self.call(tool, &arguments);
            self.verdict.controls += 1;
            if fs::metadata(inner.join("f")).unwrap().modified().unwrap() == before {
                self.verdict.faults.push(format!("{tool} {arguments} did nothing inside"));
            }
        }
        let outside = self.place.at("shown");
        let swap = format!("{SWAP}'{}'", outside.display());
        self.call("sandboxed_shell", &json!({ "command": swap, "timeout_seconds": 20 }));
        for _ in 0..times {
            for (tool, arguments) in acts("way") {
                self.call(tool, &arguments);
                self.verdict.attempts += 1;
            }
        }
        let signs = self.signs("");
        self.verdict.escapes.extend(signs.into_iter().map(|sign| format!("race: {sign}")));
    }
}

/// Acts on a file `f` of a folder, by each way the server is told of folders.
fn acts(folder: &str) -> [(&'static str, Value); 3] {
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
