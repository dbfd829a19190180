//! An operation as everybody sees it: its state, its output, and the way to end it.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant, SystemTime},
};

use deskhand_sandbox::Cell;

use super::{
    Ended, Event, Job, Listener, Outcome, State, StepReport, Summary, Work,
    bell::{Bell, LOOK},
};
use crate::output::{After, Excerpt, Page, Part, Start, Store};

/// How long whoever cancels waits to see the end; what is killed is gone before.
const PARTING: Duration = Duration::from_secs(5);

/// One job and what became of it.
#[derive(Debug)]
pub struct Operation {
    id: String,
    tool: String,
    title: String,
    timeout: Option<Duration>,
    listener: Listener,
    asked: Instant,
    asked_at: SystemTime,
    bell: Arc<Bell>,
    inner: Mutex<Inner>,
    changed: Condvar,
}

/// What changes while it runs.
#[derive(Debug)]
struct Inner {
    state: State,
    /// What runs; gone when it is over, and with it what was made for it.
    work: Option<Work>,
    store: Store,
    steps: Vec<StepReport>,
    cell: Option<Arc<Cell>>,
    /// What it will have ended by, once somebody has decided that.
    stopped: Option<(State, String)>,
    exit: Option<Ended>,
    why: Option<String>,
    began: Option<Instant>,
    ended: Option<Instant>,
    turn: Turn,
    report: Report,
    watchers: usize,
}

/// Whether it may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    Awaited,
    Come,
}

/// Whether somebody was given its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Report {
    Owed,
    Given,
}

/// What came of cancelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cancelled {
    /// It is over, and nothing of it runs.
    Now,
    /// It was over before, in this state.
    Before(State),
}

impl Operation {
    pub(crate) fn new(
        id: String,
        job: Job,
        listener: Listener,
        bell: Arc<Bell>,
        store: Store,
    ) -> Self {
        let report = |title: &String| StepReport {
            title: title.clone(),
            outcome: Outcome::NotRun,
            took: Duration::ZERO,
            output: 0..0,
        };
        let steps = match &job.work {
            Work::Steps(steps) => steps.iter().map(|step| report(&step.title)).collect(),
            Work::Shell { .. } => Vec::new(),
        };
        Self {
            id,
            tool: job.tool,
            title: job.title,
            timeout: job.timeout,
            listener,
            asked: Instant::now(),
            asked_at: SystemTime::now(),
            bell,
            inner: Mutex::new(Inner {
                state: State::Pending,
                work: Some(job.work),
                store,
                steps,
                cell: None,
                stopped: None,
                exit: None,
                why: None,
                began: None,
                ended: None,
                turn: Turn::Awaited,
                report: Report::Owed,
                watchers: 0,
            }),
            changed: Condvar::new(),
        }
    }

    /// Its id, such as `op_k3x09f`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The tool that was called.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// What it does.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// How far it is.
    pub fn state(&self) -> State {
        self.inner().state
    }

    /// Everything about it but its output.
    pub fn summary(&self) -> Summary {
        self.summary_of(&self.inner())
    }

    /// A part of what it printed.
    pub fn output(&self, part: Part) -> Page {
        let inner = self.inner();
        Page::read(&inner.store, part, after(inner.state))
    }

    /// The beginning and the end of what it printed, within so many bytes.
    pub fn excerpt(&self, bytes: usize) -> Excerpt {
        Excerpt::read(&self.inner().store, bytes)
    }

    /// Why the whole output is not on disk, when it is too long for memory and should be.
    pub fn unkept(&self) -> Option<String> {
        self.inner().store.refusal().map(str::to_owned)
    }

    /// A part of what it printed, as soon as there is something after the byte it begins with, or the
    /// operation or the time is over, or `stop` says so.
    pub fn follow(&self, part: Part, until: Instant, stop: &dyn Fn() -> bool) -> Page {
        let mut from = match part.start {
            Start::Byte(at) => at,
            Start::Line(_) | Start::LastLines(_) => 0,
        };
        loop {
            let inner = self.watch(until, stop, |inner| inner.store.total() > from);
            let page = Page::read(&inner.store, part, after(inner.state));
            let nothing = inner.state.is_over() || page.total <= from;
            if nothing || !page.text.is_empty() || part.bytes == 0 {
                return page;
            }
            // All there is so far is the beginning of a character.
            from = page.total;
        }
    }

    /// Waits until it is over, or the time is, or `stop` says so; tells how far it is then.
    pub fn wait(&self, until: Instant, stop: &dyn Fn() -> bool) -> State {
        self.watch(until, stop, |_| false).state
    }

    /// Ends it for good, with everything it started. What waits for its turn never begins.
    pub fn cancel(&self, why: &str) -> Cancelled {
        let mut inner = self.inner();
        if inner.state.is_over() {
            return Cancelled::Before(inner.state);
        }
        inner.stopped.get_or_insert_with(|| (State::Cancelled, why.to_owned()));
        if inner.state == State::Pending {
            self.finish_held(inner, None);
            return Cancelled::Now;
        }
        let cell = inner.cell.clone();
        drop(inner);
        self.changed.notify_all();
        if let Some(cell) = cell {
            // Whoever reads its output kills it again when this fails.
            let _ = cell.kill();
        }
        match self.wait(Instant::now() + PARTING, &|| false) {
            State::Pending | State::Running | State::Cancelled => Cancelled::Now,
            state @ (State::Completed | State::Failed | State::TimedOut) => {
                Cancelled::Before(state)
            }
        }
    }

    pub(crate) fn listener(&self) -> &Listener {
        &self.listener
    }

    /// Whether nobody was given its result yet; the first to ask is.
    pub(crate) fn owes_report(&self) -> bool {
        self.inner().report == Report::Owed
    }

    /// Notes that somebody is given its result.
    pub fn reported(&self) {
        self.inner().report = Report::Given;
    }

    /// When it ended.
    pub(crate) fn ended(&self) -> Option<Instant> {
        self.inner().ended
    }

    /// Gives it its turn, unless it is over.
    pub(crate) fn give_turn(&self) -> bool {
        let mut inner = self.inner();
        if inner.state.is_over() {
            return false;
        }
        inner.turn = Turn::Come;
        drop(inner);
        self.changed.notify_all();
        true
    }

    /// Waits for its turn; false when it was cancelled before.
    pub(crate) fn await_turn(&self) -> bool {
        let mut inner = self.inner();
        while inner.turn == Turn::Awaited && !inner.state.is_over() {
            inner = self.changed.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
        inner.turn == Turn::Come
    }

    /// How long it may run, when that was said.
    pub(crate) fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// Begins, with what is to run; nothing when it is over already.
    pub(crate) fn begin(&self, now: Instant) -> Option<Work> {
        let mut inner = self.inner();
        let work = inner.work.take()?;
        inner.state = State::Running;
        inner.began = Some(now);
        tracing::debug!(id = self.id, tool = self.tool, "an operation begins");
        Some(work)
    }

    /// Takes the cell of a program that begins; false when it must end at once.
    pub(crate) fn hold(&self, cell: &Arc<Cell>) -> bool {
        let mut inner = self.inner();
        inner.cell = Some(Arc::clone(cell));
        inner.stopped.is_none() && !inner.state.is_over()
    }

    /// Decides that it ends in a state that is no end of its own, unless that is decided already.
    pub(crate) fn stop(&self, state: State, why: String) {
        self.inner().stopped.get_or_insert((state, why));
    }

    /// Whether somebody decided that it ends.
    pub(crate) fn is_stopped(&self) -> bool {
        self.inner().stopped.is_some()
    }

    /// Waits until the moment, or until somebody ends it; false then.
    pub(crate) fn pause(&self, until: Instant) -> bool {
        let mut inner = self.inner();
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if inner.stopped.is_some() {
                return false;
            }
            if left.is_zero() {
                return true;
            }
            let waited = self.changed.wait_timeout(inner, left);
            inner = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Keeps what it printed; answers how much that is by now.
    pub(crate) fn print(&self, bytes: &[u8]) -> u64 {
        let mut inner = self.inner();
        inner.store.push(bytes);
        let (total, watched) = (inner.store.total(), inner.watchers > 0);
        drop(inner);
        if watched {
            self.changed.notify_all();
        }
        total
    }

    /// Gives up what it printed but for both ends.
    pub(crate) fn give_up_output(&self) {
        self.inner().store.give_up();
    }

    /// Bytes it printed from a place on.
    pub(crate) fn printed(&self, from: u64, most: usize) -> Vec<u8> {
        self.inner().store.copy(from, most)
    }

    /// Changes the report of a step, and says so where there are several.
    pub(crate) fn report(&self, index: usize, change: impl FnOnce(&mut StepReport, u64)) {
        let mut inner = self.inner();
        let (total, count) = (inner.store.total(), inner.steps.len());
        let Some(report) = inner.steps.get_mut(index) else { return };
        change(report, total);
        let report = report.clone();
        drop(inner);
        if count > 1 {
            self.listener.hear(|| Event::Step { index, count, report });
        }
    }

    /// Ends it: as was decided, or as its last program ended. `why` says what no program could.
    pub(crate) fn finish(&self, last: Option<Result<Ended, String>>) {
        self.finish_held(self.inner(), last);
    }

    /// Ends it without letting go of it first: nobody may begin it in between.
    fn finish_held(&self, mut inner: MutexGuard<'_, Inner>, last: Option<Result<Ended, String>>) {
        if inner.state.is_over() {
            return;
        }
        let (state, why) = match (inner.stopped.take(), &last) {
            (Some((state, why)), _) => (state, Some(why)),
            (None, Some(Ok(Ended::Exit(0))) | None) => (State::Completed, None),
            (None, Some(Ok(ended))) => (State::Failed, Some(in_words(ended))),
            (None, Some(Err(why))) => (State::Failed, Some(why.clone())),
        };
        inner.state = state;
        inner.why = why;
        inner.exit = last.and_then(Result::ok);
        inner.ended = Some(Instant::now());
        tracing::debug!(id = self.id, tool = self.tool, state = state.word(), "an operation ended");
        inner.cell = None;
        inner.work = None;
        let summary = match &self.listener {
            Listener::Nobody => None,
            Listener::Hears(_) => Some(self.summary_of(&inner)),
        };
        drop(inner);
        self.changed.notify_all();
        self.bell.ring();
        if let Some(summary) = summary {
            self.listener.hear(|| Event::Ended(Box::new(summary)));
        }
    }

    fn summary_of(&self, inner: &Inner) -> Summary {
        let now = inner.ended.unwrap_or_else(Instant::now);
        let steps = if inner.steps.len() > 1 { inner.steps.clone() } else { Vec::new() };
        Summary {
            id: self.id.clone(),
            tool: self.tool.clone(),
            title: self.title.clone(),
            state: inner.state,
            exit: inner.exit.clone(),
            why: inner.why.clone(),
            steps,
            asked_at: self.asked_at,
            waited: inner.began.unwrap_or(now).saturating_duration_since(self.asked),
            took: inner.began.map_or(Duration::ZERO, |began| now.saturating_duration_since(began)),
            printed: inner.store.total(),
        }
    }

    /// Waits until something is so, or it is over, or the time is, or `stop` says so.
    fn watch(
        &self,
        until: Instant,
        stop: &dyn Fn() -> bool,
        so: impl Fn(&Inner) -> bool,
    ) -> MutexGuard<'_, Inner> {
        let mut inner = self.inner();
        inner.watchers += 1;
        while !inner.state.is_over() && !so(&inner) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || stop() {
                break;
            }
            let waited = self.changed.wait_timeout(inner, left.min(LOOK));
            inner = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        inner.watchers -= 1;
        inner
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn after(state: State) -> After {
    if state.is_over() { After::Nothing } else { After::More }
}

fn in_words(ended: &Ended) -> String {
    match ended {
        Ended::Exit(code) => format!("it ended with exit code {code}"),
        Ended::Signal(signal) => format!("it was ended by signal {signal}"),
        Ended::NotStarted(why) => format!("it could not be started: {why}"),
    }
}
