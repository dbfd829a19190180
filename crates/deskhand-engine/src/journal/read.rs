//! The log for those who want to know what was done: beginning and end of a call as one.

use std::{collections::HashMap, path::PathBuf};

use serde::Serialize;
use serde_json::Value;

use super::{
    Error, REFUSALS,
    files::Files,
    record::{Aim, Line, Phase, Read},
    shelf::Shelf,
};

/// One call as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Action {
    /// The number of its record.
    pub id: u64,
    /// When it began.
    pub timestamp: String,
    /// Who called, where it was not the owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// In which session.
    pub session_id: String,
    /// Through which door.
    pub door: String,
    /// The tool.
    pub tool: String,
    /// Its arguments, without anything secret.
    pub args: Value,
    /// What it was aimed at.
    pub target: Aim,
    /// How far it came.
    pub state: State,
    /// `ok`, or the code of its failure or refusal; absent while it has not ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// What was seen of it in the app.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<String>,
    /// Whether anything was sent, where it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivery: Option<String>,
    /// What was remarkable about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub security_flags: Vec<String>,
    /// How long it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// How many more calls were refused like this before it and have no record of their own. One
    /// that names no tool only tells this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<u64>,
}

/// How far a call came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It has no end on record: it runs, or died with its process.
    Unfinished,
    /// It ended.
    Ended,
    /// It was not let through.
    Refused,
}

/// Which calls somebody wants to see; what is absent does not matter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wanted {
    /// Not earlier than this, written as the log writes it.
    pub since: Option<String>,
    /// Not later than this.
    pub until: Option<String>,
    /// Of this tool.
    pub tool: Option<String>,
    /// Of a session or caller whose name begins so.
    pub session: Option<String>,
    /// Aimed at an app whose name contains this.
    pub app: Option<String>,
    /// Which came to this: `ok`, a code, `refused` or `unfinished`.
    pub result: Option<String>,
    /// With this flag.
    pub flag: Option<String>,
}

impl Wanted {
    fn wants(&self, action: &Action) -> bool {
        let is =
            |wanted: &Option<String>, is: &dyn Fn(&str) -> bool| wanted.as_deref().is_none_or(is);
        let app = action.target.app.as_deref().or_else(|| action.args["app"].as_str());
        let app = app.unwrap_or_default().to_lowercase();
        is(&self.since, &|since| *action.timestamp >= *since)
            && is(&self.until, &|until| *action.timestamp <= *until)
            && is(&self.tool, &|tool| action.tool == tool)
            && is(&self.session, &|who| {
                let principal = action.principal.as_deref();
                action.session_id.starts_with(who)
                    || principal.is_some_and(|it| it.starts_with(who))
            })
            && is(&self.app, &|wanted| app.contains(&wanted.to_lowercase()))
            && is(&self.flag, &|flag| action.security_flags.iter().any(|one| one == flag))
            && is(&self.result, &|result| match action.state {
                State::Unfinished => result == "unfinished",
                State::Ended => {
                    let is = action.result.as_deref().unwrap_or_default();
                    is == result || (result == "refused" && REFUSALS.contains(&is))
                }
                State::Refused => result == "refused" || action.result.as_deref() == Some(result),
            })
    }
}

/// The calls that are wanted, oldest first. Lines that are no records are passed over: to find those
/// is the business of a check.
///
/// # Errors
///
/// When the log cannot be read.
pub fn actions(file: PathBuf, wanted: &Wanted) -> Result<Vec<Action>, Error> {
    let mut all = Joined::default();
    for volume in &Shelf::open(&Files { current: file })?.files {
        volume.lines(|line| {
            all.take(line);
        })?;
    }
    all.actions.retain(|action| wanted.wants(action));
    Ok(all.actions)
}

/// Reads what is added to a log.
pub struct Follow {
    files: Files,
    wanted: Wanted,
    joined: Joined,
    last: u64,
}

impl Follow {
    /// Begins after the last line there is.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub fn new(file: PathBuf, wanted: Wanted) -> Result<Self, Error> {
        let files = Files { current: file };
        let mut follow = Self { files, wanted, joined: Joined::default(), last: 0 };
        follow.news()?;
        Ok(follow)
    }

    /// The calls that have ended, or were refused, since it was asked last.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub fn news(&mut self) -> Result<Vec<Action>, Error> {
        let mut news = Vec::new();
        let shelf = Shelf::open(&self.files)?;
        // A call that ends now began in this file or in the one before.
        for volume in shelf.files.iter().rev().take(2).rev() {
            volume.lines(|line| {
                let Some((seq, action)) = self.joined.take_after(self.last, line) else { return };
                self.last = seq;
                news.extend(action.filter(|action| self.wanted.wants(action)));
            })?;
        }
        self.joined.forget();
        Ok(news)
    }
}

/// Calls whose beginnings and ends were put together.
#[derive(Default)]
struct Joined {
    actions: Vec<Action>,
    open: HashMap<u64, usize>,
}

impl Joined {
    /// Takes in a line; the call it is about, once it has come to something.
    fn take(&mut self, line: &[u8]) -> Option<Action> {
        self.take_after(0, line)?.1
    }

    /// The same for lines after one; the number of the line, too.
    fn take_after(&mut self, after: u64, line: &[u8]) -> Option<(u64, Option<Action>)> {
        let line = Read::of(line.strip_suffix(b"\n")?)?.line;
        let seq = line.seq;
        if seq <= after {
            return None;
        }
        let done = match line.phase {
            Phase::Begun => {
                self.open.insert(seq, self.actions.len());
                self.actions.push(Action::of(line, State::Unfinished));
                None
            }
            Phase::Ended => {
                let place = line.id.and_then(|id| self.open.remove(&id));
                let ended = Action::of(line, State::Ended);
                match place.and_then(|place| self.actions.get_mut(place)) {
                    Some(begun) => {
                        begun.end(ended);
                        Some(begun.clone())
                    }
                    // Its beginning is in a file that is kept no longer.
                    None => {
                        self.actions.push(ended.clone());
                        Some(ended)
                    }
                }
            }
            Phase::Refused => {
                self.actions.push(Action::of(line, State::Refused));
                self.actions.last().cloned()
            }
            Phase::Noticed => None,
        };
        Some((seq, done))
    }

    /// Forgets what has come to something.
    fn forget(&mut self) {
        let mut kept = Vec::new();
        for (id, place) in &mut self.open {
            if let Some(action) = self.actions.get(*place) {
                *place = kept.len();
                kept.push(Action { id: *id, ..action.clone() });
            }
        }
        self.actions = kept;
    }
}

impl Action {
    fn of(line: Line, state: State) -> Self {
        Self {
            id: line.id.unwrap_or(line.seq),
            timestamp: line.timestamp,
            principal: line.principal,
            session_id: line.session_id.unwrap_or_default(),
            door: line.door.unwrap_or_default(),
            tool: line.tool.unwrap_or_default(),
            args: line.args.unwrap_or_default(),
            target: line.target,
            state,
            result: line.result,
            effect: line.effect,
            delivery: line.delivery,
            security_flags: line.security_flags,
            duration_ms: line.duration_ms,
            left_out: line.left_out,
        }
    }

    fn end(&mut self, ended: Self) {
        if ended.target != Aim::default() {
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
