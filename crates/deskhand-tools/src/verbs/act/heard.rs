//! What apps report while they are acted on. An ear stays open for a while between actions, so that
//! what an app does on its own is known before the next one.

use std::{
    collections::HashMap,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use deskhand_model::{App, AppId, Event, EventKind, NodeId};
use deskhand_platform::{Deadline, Desktop};

use crate::{Context, Result};

/// How long an ear stays open when nobody acts; every report costs the app a message.
const IDLE: Duration = Duration::from_secs(20);

/// How many reports are remembered.
const MOST: usize = 4_096;

/// How often the ear looks whether it is still wanted.
const BREATH: Duration = Duration::from_millis(100);

/// What is listened for: all that an action can bring about.
const KINDS: &[EventKind] = &[
    EventKind::ValueChanged,
    EventKind::FocusChanged,
    EventKind::WindowCreated,
    EventKind::WindowDestroyed,
    EventKind::WindowActivated,
    EventKind::TitleChanged,
    EventKind::StateChanged,
    EventKind::ChildrenChanged,
    EventKind::SelectionChanged,
    EventKind::AppQuit,
];

/// What is remembered between calls on one desktop.
#[derive(Default)]
pub struct Memory {
    ears: Mutex<HashMap<AppId, Arc<Ear>>>,
}

impl Memory {
    /// The open ear on an app; opened if there is none. `None` where the app must not be listened
    /// to, such as a browser with a list so long that it would freeze.
    pub(crate) fn ear(&self, desktop: &Desktop, app: &AppId, by: Deadline) -> Option<Arc<Ear>> {
        let open = lock(&self.ears).get(app).filter(|ear| ear.is_open()).cloned();
        if let Some(ear) = open {
            ear.touch();
            return Some(ear);
        }
        // Without an ear what happened is seen by looking again, only later.
        let mut events = desktop.tree.watch(Some(app), KINDS, by).ok()?;
        let ear = Arc::new(Ear::new());
        let thread = {
            let ear = Arc::clone(&ear);
            std::thread::Builder::new().name("ear".to_owned()).spawn(move || {
                while ear.is_wanted() {
                    match events.next(BREATH) {
                        Ok(Some(event)) => ear.note(event),
                        Ok(None) => {}
                        Err(_) => break,
                    }
                }
                ear.closed.store(true, Ordering::Release);
            })
        };
        thread.ok()?;
        lock(&self.ears).insert(app.clone(), Arc::clone(&ear));
        Some(ear)
    }
}

/// Finds something while an ear is opened on the app beside it; listening begins before the search
/// ends.
pub(crate) fn listening<T>(
    cx: &Context<'_>,
    app: &App,
    find: impl FnOnce() -> Result<T>,
) -> Result<(T, Option<Arc<Ear>>)> {
    std::thread::scope(|threads| {
        let ear = threads.spawn(|| cx.memory.ear(cx.desktop, &app.id, cx.by));
        let found = find()?;
        Ok((found, ear.join().unwrap_or_default()))
    })
}

impl Drop for Memory {
    fn drop(&mut self) {
        for ear in lock(&self.ears).values() {
            ear.dropped.store(true, Ordering::Release);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Log {
    heard: Vec<(Instant, Event)>,
    /// How many were forgotten before the first that is kept.
    forgotten: usize,
    touched: Instant,
}

/// Listens to one app.
pub(crate) struct Ear {
    log: Mutex<Log>,
    news: Condvar,
    opened: Instant,
    closed: AtomicBool,
    dropped: AtomicBool,
}

/// A moment in what was heard.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark(usize);

impl Ear {
    fn new() -> Self {
        let now = Instant::now();
        Self {
            log: Mutex::new(Log { heard: Vec::new(), forgotten: 0, touched: now }),
            news: Condvar::new(),
            opened: now,
            closed: AtomicBool::new(false),
            dropped: AtomicBool::new(false),
        }
    }

    fn is_open(&self) -> bool {
        !self.closed.load(Ordering::Acquire)
    }

    fn is_wanted(&self) -> bool {
        !self.dropped.load(Ordering::Acquire) && lock(&self.log).touched.elapsed() < IDLE
    }

    fn touch(&self) {
        lock(&self.log).touched = Instant::now();
    }

    fn note(&self, event: Event) {
        let mut log = lock(&self.log);
        if log.heard.len() == MOST {
            log.heard.drain(..MOST / 2);
            log.forgotten += MOST / 2;
        }
        log.heard.push((Instant::now(), event));
        drop(log);
        self.news.notify_all();
    }

    /// Now.
    pub(crate) fn mark(&self) -> Mark {
        let log = lock(&self.log);
        Mark(log.forgotten + log.heard.len())
    }

    /// What was heard since a moment.
    pub(crate) fn since(&self, mark: Mark) -> Vec<Event> {
        let log = lock(&self.log);
        let from = mark.0.saturating_sub(log.forgotten).min(log.heard.len());
        log.heard[from..].iter().map(|(_, event)| event.clone()).collect()
    }

    /// Waits until something was heard after a moment, or the time is over.
    pub(crate) fn wait(&self, mark: Mark, wait: Duration) {
        let log = lock(&self.log);
        let quiet = |log: &mut Log| log.forgotten + log.heard.len() <= mark.0;
        // Whether it was news or time that ended the wait is seen by asking `since`.
        drop(self.news.wait_timeout_while(log, wait, quiet));
    }

    /// How long before a moment an element had been quiet, as far as is known.
    pub(crate) fn quiet_before(&self, mark: Mark, node: &NodeId, then: Instant) -> Duration {
        let log = lock(&self.log);
        let until = mark.0.saturating_sub(log.forgotten).min(log.heard.len());
        let last = log.heard[..until]
            .iter()
            .rev()
            .find(|(_, event)| event.node.as_ref() == Some(node))
            .map_or(self.opened, |(at, _)| *at);
        then.saturating_duration_since(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(node: &str) -> Event {
        Event {
            kind: EventKind::TitleChanged,
            app: AppId("a".to_owned()),
            node: Some(NodeId::new(node)),
            detail: String::new(),
            on: true,
        }
    }

    #[test]
    fn only_what_came_after_the_mark_is_news() {
        let ear = Ear::new();
        ear.note(event("old"));
        let mark = ear.mark();
        assert!(ear.since(mark).is_empty());
        ear.note(event("new"));
        assert_eq!(ear.since(mark), [event("new")]);
    }

    #[test]
    fn marks_outlive_what_was_forgotten() {
        let ear = Ear::new();
        let mark = ear.mark();
        for _ in 0..MOST + 1 {
            ear.note(event("x"));
        }
        assert_eq!(ear.since(mark).len(), MOST / 2 + 1);
        let later = ear.mark();
        ear.note(event("y"));
        assert_eq!(ear.since(later).len(), 1);
    }

    #[test]
    fn an_element_that_reports_on_its_own_is_known_to_be_restless() {
        let ear = Ear::new();
        ear.note(event("clock"));
        let (mark, now) = (ear.mark(), Instant::now());
        let later = now + Duration::from_secs(3);
        assert!(ear.quiet_before(mark, &NodeId::new("clock"), later) >= Duration::from_secs(3));
        assert!(ear.quiet_before(mark, &NodeId::new("clock"), now) < Duration::from_secs(1));
    }
}
