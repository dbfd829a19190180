//! Plays rows before a server and judges what came of them.

use std::path::Path;

use deskhand_engine::journal;
use serde_json::Value;

use super::caller::{Caller, Door, Era};
use super::harm::leaks;
use super::rows::{Row, Step};
use super::scene::{Scene, Setup, records};

/// The codes of calls that were not let through.
const REFUSALS: [&str; 6] =
    ["app_blocked", "consent_required", "forbidden", "halted", "read_only_mode", "write_blocked"];

/// What came of some calls.
#[derive(Debug, Default)]
pub struct Judge {
    /// How many calls were made.
    pub calls: usize,
    /// How many of them the gate says it refused.
    pub refused: usize,
    /// Every escape, with the row that did it.
    pub escapes: Vec<String>,
}

impl Judge {
    /// Plays rows through one door and in one era.
    pub fn play(&mut self, scene: &mut Scene, setup: Setup, door: Door, era: Era, rows: &[Row]) {
        let (command, log) = scene.server(setup);
        let can = serde_json::json!({});
        let mut caller = Caller::start(command, door, era, &can);
        for row in rows {
            let story = format!("{} by {door:?}, {era:?}: {}", setup.name(), row.why);
            for step in row.steps {
                self.step(scene, setup, &mut caller, step, &log, &story);
            }
            let told = scene.protected.told();
            if !told.is_empty() {
                self.escapes.push(format!("{story}: {told:?}"));
            }
            if !caller.is_alive() {
                self.escapes.push(format!("{story}: the server died"));
                return;
            }
        }
        drop(caller);
        self.afterwards(scene, setup, &log);
    }

    /// Judges the apps and the log once everything was sent.
    pub fn afterwards(&mut self, scene: &mut Scene, setup: Setup, log: &Path) {
        for harm in scene.protected.harm(&scene.stage) {
            self.escapes.push(format!("{}: {harm}", setup.name()));
        }
        match journal::verify(log.to_owned(), None) {
            Ok(verdict) if verdict.is_sound() => {}
            Ok(verdict) => self.escapes.push(format!("the log is not sound: {verdict:?}")),
            Err(error) if log.exists() => self.escapes.push(format!("the log: {error}")),
            Err(_) => {}
        }
    }

    fn step(
        &mut self,
        scene: &mut Scene,
        setup: Setup,
        caller: &mut Caller,
        step: &Step,
        log: &Path,
        story: &str,
    ) {
        let before = records(log).len();
        let (sent, answer) = match step {
            Step::Call(tool, arguments) => {
                let (tool, arguments) = (Value::from(*tool), scene.filled(arguments));
                let params = format!(r#"{{"name":{tool},"arguments":{arguments}}}"#);
                let answer = caller.ask("tools/call", &params);
                (params, answer)
            }
            Step::Ask(method, params) => {
                let params = scene.filled(params);
                let answer = caller.ask(method, &params);
                (params, answer)
            }
            Step::Raw(text) => {
                let text = scene.filled(text);
                let answer = caller.raw(&text);
                (text, answer)
            }
            Step::Vault(command) => {
                scene.protected.vault.say(command);
                return;
            }
            Step::Front(who) => {
                let pid = scene.filled(who).parse().expect("a pid");
                scene.focus(pid);
                return;
            }
        };
        self.calls += 1;
        if setup == Setup::Denied {
            let found = leaks(&answer, &sent);
            self.escapes.extend(found.into_iter().map(|leak| format!("{story}: {leak}")));
        }
        let value: Value = serde_json::from_str(&answer).unwrap_or_default();
        let Some(word) = refusal(&value) else { return };
        self.refused += 1;
        let new = records(log).split_off(before.min(records(log).len()));
        if !new.iter().any(|one| tells(one, &word)) {
            self.escapes.push(format!("{story}: `{word}` is not on record: {new:?}"));
        }
    }
}

/// How an answer says that the gate did not let something through.
pub(super) fn refusal(answer: &Value) -> Option<String> {
    let result = &answer["result"];
    let code = result["_meta"]["dev.deskhand/error"]["code"].as_str();
    let code = code.or(answer["error"]["data"]["code"].as_str()).unwrap_or_default();
    if REFUSALS.contains(&code) {
        return Some(code.to_owned());
    }
    if result["resultType"] == "input_required" {
        return Some("input_required".to_owned());
    }
    let asked = result["structuredContent"]["tried"][0]["way"] == "question";
    (asked && result["structuredContent"]["effect"] == "refused").then(|| "refused".to_owned())
}

/// Whether a record tells of a refusal.
pub(super) fn tells(record: &Value, word: &str) -> bool {
    record["result"] == word || record["effect"] == word
}
