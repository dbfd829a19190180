//! Plays rows before a server and judges what came of them.

use std::collections::BTreeMap;
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

/// So many refusals of a kind have a record each; of more only the number must be on record.
const ONE_BY_ONE: usize = 200;

/// What came of some calls.
#[derive(Debug, Default)]
pub struct Judge {
    /// How many calls were made.
    pub calls: usize,
    /// How many of them the gate says it refused.
    pub refused: usize,
    /// Every escape, with the row that did it.
    pub escapes: Vec<String>,
    /// How many refusals of each kind the server that runs has told.
    told: BTreeMap<String, usize>,
}

impl Judge {
    /// Plays rows through one door and in one era.
    pub fn play(&mut self, scene: &mut Scene, setup: Setup, door: Door, era: Era, rows: &[Row]) {
        let (command, log) = scene.server(setup);
        let can = serde_json::json!({});
        let mut caller = Caller::start(command, door, era, &can);
        self.told.clear();
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
        caller.leave();
        self.escapes.extend(unrecorded(&self.told, &records(&log), setup));
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
            Step::Call(tool, arguments) | Step::Garbled(tool, arguments) => {
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
        let value = last(&answer);
        let understood = code(&value) != "invalid_parameter";
        match step {
            // What is not understood reaches no rule.
            Step::Call(..) if !understood => {
                self.escapes.push(format!("{story}: it tries nothing: {sent} → {answer}"));
            }
            Step::Garbled(..) if understood && refusal(&value).is_none() => {
                self.escapes.push(format!("{story}: it was understood: {sent} → {answer}"));
            }
            Step::Call(..)
            | Step::Garbled(..)
            | Step::Ask(..)
            | Step::Raw(_)
            | Step::Vault(_)
            | Step::Front(_) => {}
        }
        if setup == Setup::Denied {
            let found = leaks(&answer, &sent);
            self.escapes.extend(found.into_iter().map(|leak| format!("{story}: {leak}")));
        }
        let Some(word) = refusal(&value) else { return };
        self.refused += 1;
        let told = self.told.entry(word.clone()).or_default();
        *told += 1;
        let new = records(log).split_off(before.min(records(log).len()));
        if *told <= ONE_BY_ONE && !new.iter().any(|one| tells(one, &word)) {
            self.escapes.push(format!("{story}: `{word}` is not on record: {new:?}"));
        }
    }
}

/// The answer itself: over HTTP messages on the way come before it, a line each.
fn last(answer: &str) -> Value {
    let messages = answer.lines().rev().filter_map(|line| serde_json::from_str(line).ok());
    messages.into_iter().find(|one: &Value| one.get("id").is_some()).unwrap_or_default()
}

/// The code of the error an answer tells of; none where it tells of none.
fn code(answer: &Value) -> &str {
    let code = answer["result"]["_meta"]["dev.deskhand/error"]["code"].as_str();
    code.or(answer["error"]["data"]["code"].as_str()).unwrap_or_default()
}

/// How an answer says that the gate did not let something through.
pub(super) fn refusal(answer: &Value) -> Option<String> {
    let result = &answer["result"];
    let code = code(answer);
    if REFUSALS.contains(&code) {
        return Some(code.to_owned());
    }
    if result["resultType"] == "input_required" {
        return Some("input_required".to_owned());
    }
    let asked = result["structuredContent"]["tried"][0]["way"] == "question";
    (asked && result["structuredContent"]["effect"] == "refused").then(|| "refused".to_owned())
}

/// The refusals a server told that are not on record once it has ended, of each kind their number.
pub(super) fn unrecorded(
    told: &BTreeMap<String, usize>,
    records: &[Value],
    setup: Setup,
) -> Vec<String> {
    // A record without a tool stands for others only.
    let own = |one: &Value| u64::from(one["tool"].is_string());
    let many = |one: &Value| own(one) + one["left_out"].as_u64().unwrap_or(0);
    let missing = told.iter().filter_map(|(word, told)| {
        let recorded: u64 = records.iter().filter(|one| tells(one, word)).map(many).sum();
        (recorded < *told as u64).then(|| {
            format!("{}: {told} calls were told `{word}`, {recorded} are on record", setup.name())
        })
    });
    missing.collect()
}

/// Whether a record tells of a refusal.
fn tells(record: &Value, word: &str) -> bool {
    record["result"] == word || record["effect"] == word
}
