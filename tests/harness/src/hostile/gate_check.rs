//! Runs attacks against a server and checks the outcome.

use std::collections::BTreeMap;
use std::path::Path;

use deskhand_engine::audit_log;
use serde_json::Value;

use super::attacks::{Attack, Step};
use super::desktop::{ProtectedDesktop, Setup, audit_records};
use super::protected::leaks;
use super::raw_client::{Era, RawClient, Transport};

/// Error codes of calls that the policy checks refused.
const REFUSALS: [&str; 6] =
    ["app_blocked", "consent_required", "forbidden", "halted", "read_only_mode", "write_blocked"];

/// The audit log has one record for each of the first 200 refusals of a kind. Later refusals may be
/// counted in one record.
const MAX_INDIVIDUAL_RECORDS: usize = 200;

/// The results of a series of attacks.
#[derive(Debug, Default)]
pub struct GateCheck {
    /// The number of calls.
    pub calls: usize,
    /// The number of calls that the server refused.
    pub refused: usize,
    /// Every violation, with the attack that caused it.
    pub escapes: Vec<String>,
    /// The number of refusals of each kind that the current server reported.
    refusal_counts: BTreeMap<String, usize>,
}

impl GateCheck {
    /// Runs attacks over one transport and in one protocol era.
    pub fn run_attacks(
        &mut self,
        desktop: &mut ProtectedDesktop,
        setup: Setup,
        transport: Transport,
        era: Era,
        attacks: &[Attack],
    ) {
        let (command, log) = desktop.server(setup);
        let capabilities = serde_json::json!({});
        let mut client = RawClient::start(command, transport, era, &capabilities);
        self.refusal_counts.clear();
        for attack in attacks {
            let context = format!("{} over {transport:?}, {era:?}: {}", setup.name(), attack.name);
            for step in attack.steps {
                self.step(desktop, setup, &mut client, step, &log, &context);
            }
            let reports = desktop.protected.take_reports();
            if !reports.is_empty() {
                self.escapes.push(format!("{context}: {reports:?}"));
            }
            if !client.is_alive() {
                self.escapes.push(format!("{context}: the server exited"));
                return;
            }
        }
        client.shut_down();
        self.escapes.extend(unrecorded(&self.refusal_counts, &audit_records(&log), setup));
        self.check_aftermath(desktop, setup, &log);
    }

    /// Checks the protected apps and the audit log after the last call.
    pub fn check_aftermath(&mut self, desktop: &mut ProtectedDesktop, setup: Setup, log: &Path) {
        for harm in desktop.protected.harm(&desktop.test_desktop) {
            self.escapes.push(format!("{}: {harm}", setup.name()));
        }
        match audit_log::verify(log.to_owned(), None) {
            Ok(verdict) if verdict.is_intact() => {}
            Ok(verdict) => self.escapes.push(format!("the audit log does not verify: {verdict:?}")),
            Err(error) if log.exists() => self.escapes.push(format!("the audit log: {error}")),
            Err(_) => {}
        }
    }

    fn step(
        &mut self,
        desktop: &mut ProtectedDesktop,
        setup: Setup,
        client: &mut RawClient,
        step: &Step,
        log: &Path,
        context: &str,
    ) {
        let before = audit_records(log).len();
        let (sent, answer) = match step {
            Step::Call(tool, arguments) | Step::InvalidCall(tool, arguments) => {
                let (tool, arguments) = (Value::from(*tool), desktop.expand(arguments));
                let params = format!(r#"{{"name":{tool},"arguments":{arguments}}}"#);
                let answer = client.request("tools/call", &params);
                (params, answer)
            }
            Step::Request(method, params) => {
                let params = desktop.expand(params);
                let answer = client.request(method, &params);
                (params, answer)
            }
            Step::Raw(text) => {
                let text = desktop.expand(text);
                let answer = client.send_raw(&text);
                (text, answer)
            }
            Step::VaultCommand(command) => {
                desktop.protected.vault.write_line(command);
                return;
            }
            Step::Activate(who) => {
                let pid = desktop.expand(who).parse().expect("a pid");
                desktop.activate(pid);
                return;
            }
        };
        self.calls += 1;
        let value = final_response(&answer);
        let is_valid = error_code(&value) != "invalid_parameter";
        match step {
            // An invalid call never reaches the policy checks, so it tests nothing.
            Step::Call(..) if !is_valid => {
                self.escapes.push(format!(
                    "{context}: the call is invalid and tests nothing: \
                                           {sent} → {answer}"
                ));
            }
            Step::InvalidCall(..) if is_valid && refusal(&value).is_none() => {
                self.escapes.push(format!(
                    "{context}: an invalid call was accepted: {sent} → \
                                           {answer}"
                ));
            }
            Step::Call(..)
            | Step::InvalidCall(..)
            | Step::Request(..)
            | Step::Raw(_)
            | Step::VaultCommand(_)
            | Step::Activate(_) => {}
        }
        if setup == Setup::Denied {
            let found = leaks(&answer, &sent);
            self.escapes.extend(found.into_iter().map(|leak| format!("{context}: {leak}")));
        }
        let Some(word) = refusal(&value) else { return };
        self.refused += 1;
        let count = self.refusal_counts.entry(word.clone()).or_default();
        *count += 1;
        let new = audit_records(log).split_off(before.min(audit_records(log).len()));
        if *count <= MAX_INDIVIDUAL_RECORDS && !new.iter().any(|one| records_refusal(one, &word)) {
            self.escapes.push(format!("{context}: no audit record for `{word}`: {new:?}"));
        }
    }
}

/// Returns the response. Over HTTP, other messages may precede it, one per line.
fn final_response(answer: &str) -> Value {
    let messages = answer.lines().rev().filter_map(|line| serde_json::from_str(line).ok());
    messages.into_iter().find(|one: &Value| one.get("id").is_some()).unwrap_or_default()
}

/// Returns the error code of a response, or an empty string.
fn error_code(answer: &Value) -> &str {
    let code = answer["result"]["_meta"]["dev.deskhand/error"]["code"].as_str();
    code.or(answer["error"]["data"]["code"].as_str()).unwrap_or_default()
}

/// Returns the kind of refusal if a response reports one.
pub(super) fn refusal(answer: &Value) -> Option<String> {
    let result = &answer["result"];
    let code = error_code(answer);
    if REFUSALS.contains(&code) {
        return Some(code.to_owned());
    }
    if result["resultType"] == "input_required" {
        return Some("input_required".to_owned());
    }
    let was_question = result["structuredContent"]["tried"][0]["way"] == "question";
    (was_question && result["structuredContent"]["effect"] == "refused")
        .then(|| "refused".to_owned())
}

/// Returns the kinds of refusals that the server reported more often than it recorded.
pub(super) fn unrecorded(
    count: &BTreeMap<String, usize>,
    audit_records: &[Value],
    setup: Setup,
) -> Vec<String> {
    // A record without a tool only counts other calls.
    let own_call = |one: &Value| u64::from(one["tool"].is_string());
    let represented = |one: &Value| own_call(one) + one["left_out"].as_u64().unwrap_or(0);
    let missing = count.iter().filter_map(|(word, count)| {
        let recorded: u64 =
            audit_records.iter().filter(|one| records_refusal(one, word)).map(represented).sum();
        (recorded < *count as u64).then(|| {
            format!("{}: {count} calls reported `{word}`, {recorded} are recorded", setup.name())
        })
    });
    missing.collect()
}

/// Returns `true` if an audit record reports this refusal.
fn records_refusal(record: &Value, word: &str) -> bool {
    record["result"] == word || record["effect"] == word
}
