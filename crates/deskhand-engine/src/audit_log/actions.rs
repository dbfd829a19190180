//! Reads the log as a list of calls: the start and end records of a call are merged.

use std::{collections::HashMap, path::PathBuf};

use serde::Serialize;
use serde_json::Value;

use super::{
    Error, REFUSAL_CODES,
    files::LogPaths,
    record::{ActionTarget, LogRecord, ParsedRecord, Phase},
    snapshot::LogSnapshot,
};

/// A recorded call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Action {
    /// The number of its start record.
    pub id: u64,
    /// The time at which it started.
    pub timestamp: String,
    /// The caller, if it was not the owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// The session.
    pub session_id: String,
    /// The origin of the call.
    #[serde(rename = "door")]
    pub origin: String,
    /// The tool.
    pub tool: String,
    /// Its arguments without secrets.
    pub args: Value,
    /// Its target.
    pub target: ActionTarget,
    /// Its state.
    pub state: ActionState,
    /// `ok`, or the code of its failure or refusal; absent if it has not ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The observed effect in the app.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<String>,
    /// Tells if anything was sent before a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivery: Option<String>,
    /// Its security flags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub security_flags: Vec<String>,
    /// Its duration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// The number of similar refused calls before it without a separate record. A record without a
    /// tool only contains this number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<u64>,
}

/// The state of a recorded call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionState {
    /// It has no end record: it is running, or its process died.
    Unfinished,
    /// It ended.
    Ended,
    /// It was refused.
    Refused,
}

/// Selects calls. A field that is `None` matches every call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ActionFilter {
    /// Calls at or after this time, in the format of the log.
    pub since: Option<String>,
    /// Calls at or before this time.
    pub until: Option<String>,
    /// Calls of this tool.
    pub tool: Option<String>,
    /// Calls whose session or caller id starts with this.
    pub session: Option<String>,
    /// Calls whose target app contains this.
    pub app: Option<String>,
    /// Calls with this result: `ok`, a code, `refused` or `unfinished`.
    pub result: Option<String>,
    /// Calls with this security flag.
    pub flag: Option<String>,
}

impl ActionFilter {
    fn matches(&self, action: &Action) -> bool {
        let is = |expected: &Option<String>, test: &dyn Fn(&str) -> bool| {
            expected.as_deref().is_none_or(test)
        };
        let app = action.target.app.as_deref().or_else(|| action.args["app"].as_str());
        let app = app.unwrap_or_default().to_lowercase();
        is(&self.since, &|since| *action.timestamp >= *since)
            && is(&self.until, &|until| *action.timestamp <= *until)
            && is(&self.tool, &|tool| action.tool == tool)
            && is(&self.session, &|name| {
                let principal = action.principal.as_deref();
                action.session_id.starts_with(name)
                    || principal.is_some_and(|it| it.starts_with(name))
            })
            && is(&self.app, &|part| app.contains(&part.to_lowercase()))
            && is(&self.flag, &|flag| action.security_flags.iter().any(|one| one == flag))
            && is(&self.result, &|result| match action.state {
                ActionState::Unfinished => result == "unfinished",
                ActionState::Ended => {
                    let code = action.result.as_deref().unwrap_or_default();
                    code == result || (result == "refused" && REFUSAL_CODES.contains(&code))
                }
                ActionState::Refused => {
                    result == "refused" || action.result.as_deref() == Some(result)
                }
            })
    }
}

/// Lists the calls that match a filter, oldest first. Skips invalid lines; [`verify`](super::verify)
/// reports them.
///
/// # Errors
///
/// If the log cannot be read.
pub fn actions(file: PathBuf, filter: &ActionFilter) -> Result<Vec<Action>, Error> {
    let mut merger = ActionMerger::default();
    for log_file in &LogSnapshot::open(&LogPaths { current: file })?.files {
        log_file.for_each_line(|line| {
            merger.add(line);
        })?;
    }
    merger.actions.retain(|action| filter.matches(action));
    Ok(merger.actions)
}

/// Follows a log and returns new calls.
pub struct ActionFollower {
    files: LogPaths,
    filter: ActionFilter,
    merger: ActionMerger,
    last_seq: u64,
}

impl ActionFollower {
    /// Starts after the last record of the log.
    ///
    /// # Errors
    ///
    /// If the log cannot be read.
    pub fn new(file: PathBuf, filter: ActionFilter) -> Result<Self, Error> {
        let files = LogPaths { current: file };
        let mut follower = Self { files, filter, merger: ActionMerger::default(), last_seq: 0 };
        follower.poll()?;
        Ok(follower)
    }

    /// Returns the calls that ended or were refused since the last poll.
    ///
    /// # Errors
    ///
    /// If the log cannot be read.
    pub fn poll(&mut self) -> Result<Vec<Action>, Error> {
        let mut new = Vec::new();
        let snapshot = LogSnapshot::open(&self.files)?;
        // A call that ends now started in this file or in the previous one.
        for log_file in snapshot.files.iter().rev().take(2).rev() {
            log_file.for_each_line(|line| {
                let Some((seq, action)) = self.merger.add_after(self.last_seq, line) else {
                    return;
                };
                self.last_seq = seq;
                new.extend(action.filter(|action| self.filter.matches(action)));
            })?;
        }
        self.merger.remove_finished();
        Ok(new)
    }
}

/// Merges the start and end records of calls.
#[derive(Default)]
struct ActionMerger {
    actions: Vec<Action>,
    open: HashMap<u64, usize>,
}

impl ActionMerger {
    /// Adds a line. Returns its call if that has ended or was refused.
    fn add(&mut self, line: &[u8]) -> Option<Action> {
        self.add_after(0, line)?.1
    }

    /// Adds a line if its number is greater than `after`. Returns the number as well.
    fn add_after(&mut self, after: u64, line: &[u8]) -> Option<(u64, Option<Action>)> {
        let record = ParsedRecord::parse(line.strip_suffix(b"\n")?)?.record;
        let seq = record.seq;
        if seq <= after {
            return None;
        }
        let done = match record.phase {
            Phase::Begun => {
                self.open.insert(seq, self.actions.len());
                self.actions.push(Action::new(record, ActionState::Unfinished));
                None
            }
            Phase::Ended => {
                let index = record.id.and_then(|id| self.open.remove(&id));
                let ended = Action::new(record, ActionState::Ended);
                match index.and_then(|index| self.actions.get_mut(index)) {
                    Some(action) => {
                        action.end(ended);
                        Some(action.clone())
                    }
                    // Its start record is in a file that was deleted.
                    None => {
                        self.actions.push(ended.clone());
                        Some(ended)
                    }
                }
            }
            Phase::Refused => {
                self.actions.push(Action::new(record, ActionState::Refused));
                self.actions.last().cloned()
            }
            Phase::Noticed => None,
        };
        Some((seq, done))
    }

    /// Removes all calls that have ended or were refused.
    fn remove_finished(&mut self) {
        let mut unfinished = Vec::new();
        for (id, index) in &mut self.open {
            if let Some(action) = self.actions.get(*index) {
                *index = unfinished.len();
                unfinished.push(Action { id: *id, ..action.clone() });
            }
        }
        self.actions = unfinished;
    }
}

impl Action {
    fn new(record: LogRecord, state: ActionState) -> Self {
        Self {
            id: record.id.unwrap_or(record.seq),
            timestamp: record.timestamp,
            principal: record.principal,
            session_id: record.session_id.unwrap_or_default(),
            origin: record.origin.unwrap_or_default(),
            tool: record.tool.unwrap_or_default(),
            args: record.args.unwrap_or_default(),
            target: record.target,
            state,
            result: record.result,
            effect: record.effect,
            delivery: record.delivery,
            security_flags: record.security_flags,
            duration_ms: record.duration_ms,
            left_out: record.left_out,
        }
    }

    fn end(&mut self, ended: Self) {
        if ended.target != ActionTarget::default() {
            self.target = ended.target;
        }
        self.state = ended.state;
        self.result = ended.result;
        self.effect = ended.effect;
        self.delivery = ended.delivery;
        self.security_flags = ended.security_flags;
        self.duration_ms = ended.duration_ms;
    }
}
