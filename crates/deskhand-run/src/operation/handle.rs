//! A shared handle to an operation: its state, its output, and the way to cancel it.

use std::{
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use deskhand_sandbox::Container;
use parking_lot::{Condvar, Mutex, MutexGuard};

use super::{
    CompletionSignal, ExitReason, OperationEvent, OperationObserver, OperationSpec, OperationState,
    StepOutcome, StepReport, Summary, Work,
};
use crate::{
    output::{Excerpt, OutputPage, OutputStore, PageRequest, PageStart, Remaining},
    timing::{CANCEL_TIMEOUT, POLL_INTERVAL},
};

/// A command that waits, runs or has finished.
#[derive(Debug)]
pub struct Operation {
    id: String,
    tool: String,
    title: String,
    timeout: Option<Duration>,
    observer: OperationObserver,
    requested: Instant,
    requested_at: SystemTime,
    completion: Arc<CompletionSignal>,
    data: Mutex<OperationData>,
    changed: Condvar,
}

/// The part of an operation that changes.
#[derive(Debug)]
struct OperationData {
    state: OperationState,
    /// The work to do. Taken when the operation starts; temporary files of the work are removed with it.
    work: Option<Work>,
    store: OutputStore,
    steps: Vec<StepReport>,
    container: Option<Arc<Container>>,
    /// The final state and reason, if the operation must stop before its program ends by itself.
    stopped: Option<(OperationState, String)>,
    exit: Option<ExitReason>,
    reason: Option<String>,
    started_at: Option<Instant>,
    finished_at: Option<Instant>,
    has_turn: bool,
    is_reported: bool,
    watchers: usize,
}

/// The result of a cancel request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelOutcome {
    /// The operation was cancelled and nothing of it runs.
    Cancelled,
    /// The operation had already finished in this state.
    AlreadyFinished(OperationState),
}

impl Operation {
    pub(crate) fn new(
        id: String,
        spec: OperationSpec,
        observer: OperationObserver,
        completion: Arc<CompletionSignal>,
        store: OutputStore,
    ) -> Self {
        let new_report = |title: &String| StepReport {
            title: title.clone(),
            outcome: StepOutcome::NotRun,
            duration: Duration::ZERO,
            output: 0..0,
        };
        let steps = match &spec.work {
            Work::Steps(steps) => steps.iter().map(|step| new_report(&step.title)).collect(),
            Work::Shell { .. } => Vec::new(),
        };
        Self {
            id,
            tool: spec.tool,
            title: spec.title,
            timeout: spec.timeout,
            observer,
            requested: Instant::now(),
            requested_at: SystemTime::now(),
            completion,
            data: Mutex::new(OperationData {
                state: OperationState::Pending,
                work: Some(spec.work),
                store,
                steps,
                container: None,
                stopped: None,
                exit: None,
                reason: None,
                started_at: None,
                finished_at: None,
                has_turn: false,
                is_reported: false,
                watchers: 0,
            }),
            changed: Condvar::new(),
        }
    }

    /// The id, such as `op_k3x09f`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The name of the tool.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// A short description of the command.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The current state.
    pub fn state(&self) -> OperationState {
        self.data.lock().state
    }

    /// Returns a summary of everything except the output.
    pub fn summary(&self) -> Summary {
        self.summary_of(&self.data.lock())
    }

    /// Returns a part of the output.
    pub fn output(&self, request: PageRequest) -> OutputPage {
        let data = self.data.lock();
        OutputPage::read(&data.store, request, remaining(data.state))
    }

    /// Returns the beginning and the end of the output, with at most this many bytes.
    pub fn excerpt(&self, bytes: usize) -> Excerpt {
        Excerpt::read(&self.data.lock().store, bytes)
    }

    /// Returns the reason why long output was not stored on disk, if that failed.
    pub fn storage_error(&self) -> Option<String> {
        self.data.lock().store.disk_error().map(str::to_owned)
    }

    /// Returns a part of the output as soon as there is new output after its first byte, the operation has
    /// finished, the deadline passes, or `should_stop` returns `true`.
    pub fn follow(
        &self,
        request: PageRequest,
        deadline: Instant,
        should_stop: &dyn Fn() -> bool,
    ) -> OutputPage {
        let mut from = match request.start {
            PageStart::Byte(at) => at,
            PageStart::Line(_) | PageStart::LastLines(_) => 0,
        };
        loop {
            let data = self.wait_for(deadline, should_stop, |data| data.store.total() > from);
            let page = OutputPage::read(&data.store, request, remaining(data.state));
            let nothing = data.state.is_over() || page.total <= from;
            if nothing || !page.text.is_empty() || request.max_bytes == 0 {
                return page;
            }
            // So far there is only an incomplete UTF-8 character.
            from = page.total;
        }
    }

    /// Waits until the operation has finished, the deadline passes, or `should_stop` returns `true`. Returns the
    /// state at that time.
    pub fn wait(&self, deadline: Instant, should_stop: &dyn Fn() -> bool) -> OperationState {
        self.wait_for(deadline, should_stop, |_| false).state
    }

    /// Kills all processes of the operation. A waiting operation never starts.
    pub fn cancel(&self, reason: &str) -> CancelOutcome {
        let mut data = self.data.lock();
        if data.state.is_over() {
            return CancelOutcome::AlreadyFinished(data.state);
        }
        data.stopped.get_or_insert_with(|| (OperationState::Cancelled, reason.to_owned()));
        if data.state == OperationState::Pending {
            self.finish_locked(data, None);
            return CancelOutcome::Cancelled;
        }
        let container = data.container.clone();
        drop(data);
        self.changed.notify_all();
        if let Some(container) = container {
            // If this fails, the thread that reads the output kills it again.
            let _ = container.kill();
        }
        match self.wait(Instant::now() + CANCEL_TIMEOUT, &|| false) {
            OperationState::Pending | OperationState::Running | OperationState::Cancelled => {
                CancelOutcome::Cancelled
            }
            state @ (OperationState::Completed
            | OperationState::Failed
            | OperationState::TimedOut) => CancelOutcome::AlreadyFinished(state),
        }
    }

    pub(crate) fn observer(&self) -> &OperationObserver {
        &self.observer
    }

    /// Returns `true` if no caller has received the result yet.
    pub(crate) fn is_unreported(&self) -> bool {
        !self.data.lock().is_reported
    }

    /// Records that a caller has received the result.
    pub fn mark_reported(&self) {
        self.data.lock().is_reported = true;
    }

    /// The time at which the operation finished.
    pub(crate) fn finished_at(&self) -> Option<Instant> {
        self.data.lock().finished_at
    }

    /// Lets a waiting operation run. Returns `false` if it has already finished.
    pub(crate) fn grant_turn(&self) -> bool {
        let mut data = self.data.lock();
        if data.state.is_over() {
            return false;
        }
        data.has_turn = true;
        drop(data);
        self.changed.notify_all();
        true
    }

    /// Waits for the turn of the operation. Returns `false` if it was cancelled before.
    pub(crate) fn await_turn(&self) -> bool {
        let mut data = self.data.lock();
        while !data.has_turn && !data.state.is_over() {
            self.changed.wait(&mut data);
        }
        data.has_turn
    }

    /// The timeout of the operation, if it has one.
    pub(crate) fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// Marks the operation as running and returns its work. Returns `None` if it has already finished.
    pub(crate) fn start(&self, now: Instant) -> Option<Work> {
        let mut data = self.data.lock();
        let work = data.work.take()?;
        data.state = OperationState::Running;
        data.started_at = Some(now);
        tracing::debug!(id = self.id, tool = self.tool, "operation started");
        Some(work)
    }

    /// Attaches the container of a new program. Returns `false` if the program must be killed at once.
    pub(crate) fn attach_container(&self, container: &Arc<Container>) -> bool {
        let mut data = self.data.lock();
        data.container = Some(Arc::clone(container));
        data.stopped.is_none() && !data.state.is_over()
    }

    /// Decides the final state before the program ends by itself, unless that is already decided.
    pub(crate) fn stop(&self, state: OperationState, reason: String) {
        self.data.lock().stopped.get_or_insert((state, reason));
    }

    /// Returns `true` if the operation must stop.
    pub(crate) fn is_stopped(&self) -> bool {
        self.data.lock().stopped.is_some()
    }

    /// Waits until the deadline. Returns `false` if the operation must stop before.
    pub(crate) fn sleep_until(&self, deadline: Instant) -> bool {
        let mut data = self.data.lock();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if data.stopped.is_some() {
                return false;
            }
            if left.is_zero() {
                return true;
            }
            self.changed.wait_for(&mut data, left);
        }
    }

    /// Stores output and returns the number of bytes so far.
    pub(crate) fn push_output(&self, bytes: &[u8]) -> u64 {
        let mut data = self.data.lock();
        data.store.push(bytes);
        let (total, watched) = (data.store.total(), data.watchers > 0);
        drop(data);
        if watched {
            self.changed.notify_all();
        }
        total
    }

    /// Removes stored output from disk. The beginning and the end stay in memory.
    pub(crate) fn drop_stored_output(&self) {
        self.data.lock().store.drop_file();
    }

    /// Copies output from this byte on.
    pub(crate) fn copy_output(&self, from: u64, max_bytes: usize) -> Vec<u8> {
        self.data.lock().store.copy(from, max_bytes)
    }

    /// Changes the report of a step, and notifies the observer if there are several steps.
    pub(crate) fn update_step(&self, index: usize, change: impl FnOnce(&mut StepReport, u64)) {
        let mut data = self.data.lock();
        let (total, count) = (data.store.total(), data.steps.len());
        let Some(report) = data.steps.get_mut(index) else { return };
        change(report, total);
        let report = report.clone();
        drop(data);
        if count > 1 {
            self.observer.notify(|| OperationEvent::Step { index, count, report });
        }
    }

    /// Finishes the operation: as decided by `stop`, or by the exit of its last program.
    pub(crate) fn finish(&self, last: Option<Result<ExitReason, String>>) {
        self.finish_locked(self.data.lock(), last);
    }

    /// Finishes the operation while its lock is held, so that it cannot start in between.
    fn finish_locked(
        &self,
        mut data: MutexGuard<'_, OperationData>,
        last: Option<Result<ExitReason, String>>,
    ) {
        if data.state.is_over() {
            return;
        }
        let (state, reason) = match (data.stopped.take(), &last) {
            (Some((state, reason)), _) => (state, Some(reason)),
            (None, Some(Ok(ExitReason::Exit(0))) | None) => (OperationState::Completed, None),
            (None, Some(Ok(exit))) => (OperationState::Failed, Some(describe_exit(exit))),
            (None, Some(Err(reason))) => (OperationState::Failed, Some(reason.clone())),
        };
        data.state = state;
        data.reason = reason;
        data.exit = last.and_then(Result::ok);
        data.finished_at = Some(Instant::now());
        tracing::debug!(
            id = self.id,
            tool = self.tool,
            state = state.as_str(),
            "operation finished"
        );
        data.container = None;
        data.work = None;
        let summary = match &self.observer {
            OperationObserver::None => None,
            OperationObserver::Callback(_) => Some(self.summary_of(&data)),
        };
        drop(data);
        self.changed.notify_all();
        self.completion.notify();
        if let Some(summary) = summary {
            self.observer.notify(|| OperationEvent::Finished(Box::new(summary)));
        }
    }

    fn summary_of(&self, data: &OperationData) -> Summary {
        let now = data.finished_at.unwrap_or_else(Instant::now);
        let steps = if data.steps.len() > 1 { data.steps.clone() } else { Vec::new() };
        Summary {
            id: self.id.clone(),
            tool: self.tool.clone(),
            title: self.title.clone(),
            state: data.state,
            exit: data.exit.clone(),
            reason: data.reason.clone(),
            steps,
            requested_at: self.requested_at,
            queued_for: data.started_at.unwrap_or(now).saturating_duration_since(self.requested),
            ran_for: data
                .started_at
                .map_or(Duration::ZERO, |started_at| now.saturating_duration_since(started_at)),
            output_bytes: data.store.total(),
        }
    }

    /// Waits until the condition is met, the operation has finished, the deadline passes, or `should_stop` returns
    /// `true`.
    fn wait_for(
        &self,
        deadline: Instant,
        should_stop: &dyn Fn() -> bool,
        condition: impl Fn(&OperationData) -> bool,
    ) -> MutexGuard<'_, OperationData> {
        let mut data = self.data.lock();
        data.watchers += 1;
        while !data.state.is_over() && !condition(&data) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || should_stop() {
                break;
            }
            self.changed.wait_for(&mut data, left.min(POLL_INTERVAL));
        }
        data.watchers -= 1;
        data
    }
}

fn remaining(state: OperationState) -> Remaining {
    if state.is_over() { Remaining::Nothing } else { Remaining::More }
}

fn describe_exit(exit: &ExitReason) -> String {
    match exit {
        ExitReason::Exit(code) => format!("it exited with code {code}"),
        ExitReason::Signal(signal) => format!("it was killed by signal {signal}"),
        ExitReason::NotStarted(reason) => format!("it could not be started: {reason}"),
    }
}
