//! Links that are swapped while the server looks where they lead.

use serde_json::json;

use super::play::Player;

/// Swaps `way` between a folder inside and one outside for some seconds.
const SWAP: &str = "mkdir -p inner; cp mine inner/f 2>/dev/null || echo x > inner/f
perl -e 'my $d = shift; my $end = time + 3; while (time < $end) { for my $to (\"inner\", $d) { symlink $to, \"next\"; rename \"next\", \"way\" } }' ";

impl Player<'_> {
    /// Uses a path and a working folder so many times while they are swapped for others.
    pub fn race(&mut self, times: usize) {
        let target = self.place.at("shown");
        let begin =
            json!({ "command": format!("{SWAP}'{}'", target.display()), "timeout_seconds": 20 });
        self.call("sandboxed_shell", &begin);
        let mut taken = 0;
        for _ in 0..times {
            let calls = [
                (
                    "sandboxed_shell",
                    json!({
                        "command": "echo raced > f; chmod 700 f; touch new", "working_directory": "way",
                        "execution_mode": "Synchronous",
                    }),
                ),
                ("touch", json!({ "path": "way/f" })),
                ("touch", json!({ "path": "f", "working_directory": "way" })),
            ];
            for (tool, arguments) in calls {
                let answer = self.call(tool, &arguments);
                taken += usize::from(answer.contains("\"isError\":false"));
                self.verdict.attempts += 1;
            }
        }
        let inner = self.place.at("scope/inner/f");
        let is_written = std::fs::read_to_string(inner).is_ok_and(|text| text == "raced\n");
        self.verdict.controls += 1;
        if !is_written || taken == 0 {
            self.verdict.faults.push(format!("the race was never won inside: {taken} taken"));
        }
        let signs = self.signs("");
        self.verdict.escapes.extend(signs.into_iter().map(|sign| format!("race: {sign}")));
    }
}
