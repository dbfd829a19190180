//! What apps report while they are acted on. An ear stays open for a while between actions, so that
//! what an app does on its own is known before the next one.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use deskhand_model::{App, AppId, Event, EventKind, NodeId};
use deskhand_platform::{Deadline, Desktop};

use super::recent::Recent;
use crate::{Context, Result};

/// How long an ear stays open when nobody acts; every report costs the app a message.
const IDLE: Duration = Duration::from_secs(20);

/// How many reports are remembered.
const MOST: usize = 4_096;

/// How many actions are remembered.
const TURNS: usize = 64;

/// Reports closer together than this come from one and the same change.
const ONE_BURST: Duration = Duration::from_millis(20);

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
    ears: Mutex<HashMap<AppId, Listened>>,
}

struct Listened {
    app: App,
    ear: Arc<Ear>,
}

impl Memory {
    /// The ear on an app that is open already.
    pub fn open_ear(&self, app: &AppId) -> Option<Arc<Ear>> {
        let ears = lock(&self.ears);
        ears.get(app).filter(|one| one.ear.is_open()).map(|one| Arc::clone(&one.ear))
    }

    /// The app of a process that is listened to, and so known to be there still.
    pub fn app(&self, pid: u32) -> Option<App> {
        let ears = lock(&self.ears);
        let mut known = ears.values().filter(|one| one.ear.is_open() && one.app.pid == pid);
        known.next().map(|one| one.app.clone())
    }

    /// The open ear on an app; opened if there is none. `None` where the app must not be listened
    /// to, such as a browser with a list so long that it would freeze.
    pub fn ear(&self, desktop: &Desktop, app: &App, by: Deadline) -> Option<Arc<Ear>> {
        if let Some(ear) = self.open_ear(&app.id) {
            ear.touch();
            return Some(ear);
        }
        // Without an ear what happened is seen by looking again, only later.
        let mut events = desktop.tree.watch(Some(&app.id), KINDS, by).ok()?;
        let ear = Arc::new(Ear::new());
        let thread = {
            let ear = Arc::clone(&ear);
            std::thread::Builder::new().name("ear".to_owned()).spawn(move || {
                while ear.is_wanted() {
                    match events.next(BREATH) {
                        Ok(Some(Event { kind: EventKind::AppQuit, .. })) | Err(_) => break,
                        Ok(Some(event)) => ear.note(event),
                        Ok(None) => {}
                    }
                }
                ear.closed.store(true, Ordering::Release);
            })
        };
        thread.ok()?;
        let listened = Listened { app: app.clone(), ear: Arc::clone(&ear) };
        lock(&self.ears).insert(app.id.clone(), listened);
        Some(ear)
    }
}

/// Finds something while an ear is opened on the app beside it; listening begins before the search
/// ends.
pub(super) fn listening<T>(
    cx: &Context<'_>,
    app: &App,
    find: impl FnOnce() -> Result<T>,
) -> Result<(T, Option<Arc<Ear>>)> {
    std::thread::scope(|threads| {
        let ear = threads.spawn(|| cx.memory.ear(cx.desktop, app, cx.by));
        let found = find()?;
        Ok((found, ear.join().unwrap_or_default()))
    })
}

impl Drop for Memory {
    fn drop(&mut self) {
        for Listened { ear, .. } in lock(&self.ears).values() {
            ear.dropped.store(true, Ordering::Release);
        }
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Log {
    heard: Vec<(Instant, Event)>,
    /// How many were forgotten before the first that is kept.
    forgotten: usize,
    touched: Instant,
}

/// Listens to one app.
pub struct Ear {
    log: Mutex<Log>,
    /// The last look at the app.
    pub(super) recent: Mutex<Recent>,
    turns: Mutex<Vec<Turn>>,
    news: Condvar,
    opened: Instant,
    closed: AtomicBool,
    dropped: AtomicBool,
}

/// An action that was seen to work, in what was heard.
struct Turn {
    /// What was acted on.
    target: NodeId,
    /// What changed by it.
    answered: Vec<NodeId>,
    from: Mark,
    to: Mark,
}

impl Turn {
    /// Whether what an element reported at a moment came from the action.
    fn explains(&self, node: &NodeId, at: Mark) -> bool {
        self.from <= at && at < self.to && self.answered.contains(node)
    }
}

/// A moment in what was heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark(usize);

impl Ear {
    fn new() -> Self {
        let now = Instant::now();
        Self {
            recent: Mutex::default(),
            turns: Mutex::default(),
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
    pub fn mark(&self) -> Mark {
        let log = lock(&self.log);
        Mark(log.forgotten + log.heard.len())
    }

    /// Whether all that was heard since a moment is remembered.
    pub fn remembers(&self, mark: Mark) -> bool {
        lock(&self.log).forgotten <= mark.0
    }

    /// What was heard since a moment.
    pub fn since(&self, mark: Mark) -> Vec<Event> {
        let log = lock(&self.log);
        let from = mark.0.saturating_sub(log.forgotten).min(log.heard.len());
        log.heard[from..].iter().map(|(_, event)| event.clone()).collect()
    }

    /// Waits until something was heard after a moment, or the time is over.
    pub fn wait(&self, mark: Mark, wait: Duration) {
        let log = lock(&self.log);
        let quiet = |log: &mut Log| log.forgotten + log.heard.len() <= mark.0;
        // Whether it was news or time that ended the wait is seen by asking `since`.
        drop(self.news.wait_timeout_while(log, wait, quiet));
    }

    /// How long before a moment an element had been quiet, as far as is known. What it reported
    /// when the same target was acted on before was no stirring of its own.
    pub fn quiet_before(&self, mark: Mark, node: &NodeId, target: &NodeId) -> Duration {
        let turns = lock(&self.turns);
        let log = lock(&self.log);
        let until = mark.0.saturating_sub(log.forgotten).min(log.heard.len());
        let answered = |at: usize| {
            let at = Mark(log.forgotten + at);
            turns.iter().any(|turn| turn.target == *target && turn.explains(node, at))
        };
        let last = log.heard[..until]
            .iter()
            .enumerate()
            .rev()
            .find(|(at, (_, event))| event.node.as_ref() == Some(node) && !answered(*at))
            .map_or(self.opened, |(_, (at, _))| *at);
        last.elapsed()
    }

    /// The elements that reported something of this kind again and again in the time just before a
    /// moment. One report or two may come from what somebody else did; more come by themselves, and
    /// fewer tell as much when the time is short.
    pub fn stirring(
        &self,
        mark: Mark,
        time: Duration,
        kind: impl Fn(&Event) -> bool,
    ) -> HashSet<NodeId> {
        let many = if self.opened.elapsed() < time { 1 } else { 3 };
        let log = lock(&self.log);
        let until = mark.0.saturating_sub(log.forgotten).min(log.heard.len());
        let mut bursts: HashMap<&NodeId, (Instant, usize)> = HashMap::new();
        for (at, event) in log.heard[..until].iter().filter(|(at, _)| at.elapsed() < time) {
            let Some(node) = event.node.as_ref().filter(|_| kind(event)) else { continue };
            let burst = bursts.entry(node).or_insert((*at, 1));
            if at.duration_since(burst.0) > ONE_BURST {
                *burst = (*at, burst.1 + 1);
            }
        }
        let often = bursts.into_iter().filter(|(_, (_, count))| *count >= many);
        often.map(|(node, _)| node.clone()).collect()
    }

    /// Notes what changed when a target was acted on, from a moment until now.
    pub fn worked(&self, target: &NodeId, answered: Vec<NodeId>, from: Mark) {
        let to = self.mark();
        let mut turns = lock(&self.turns);
        if turns.len() == TURNS {
            turns.remove(0);
        }
        turns.push(Turn { target: target.clone(), answered, from, to });
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
        std::thread::sleep(Duration::from_millis(60));
        ear.note(event("clock"));
        let (mark, button) = (ear.mark(), NodeId::new("button"));
        let quiet = |node: &str| ear.quiet_before(mark, &NodeId::new(node), &button);
        assert!(quiet("clock") < quiet("label"), "the label has kept quiet from the beginning");
        let stirring = ear.stirring(mark, Duration::from_secs(9), |_| true);
        assert_eq!(stirring, HashSet::from([NodeId::new("clock")]));
    }

    #[test]
    fn what_answers_to_a_button_each_time_is_not_restless_for_it() {
        let ear = Ear::new();
        let (button, display) = (NodeId::new("button"), NodeId::new("display"));
        std::thread::sleep(Duration::from_millis(60));
        let sent = ear.mark();
        ear.note(event("display"));
        ear.worked(&button, vec![display.clone()], sent);
        let quiet = |target: &NodeId| ear.quiet_before(ear.mark(), &display, target);
        assert!(quiet(&button) >= Duration::from_millis(60));
        assert!(quiet(&NodeId::new("other")) < quiet(&button));
        ear.note(event("display"));
        assert!(quiet(&button) < Duration::from_millis(60), "nobody had pressed the button");
    }
}
