//! A scripted desktop for unit tests.
//!
//! It has one app, whose tree a test builds and changes. A test decides how the app reacts to actions,
//! at once or after a delay, and can read which calls were made. It has windows and programs if a test
//! sets the windows or the activity of the app, and no screen or input.

mod programs;
mod tree;
mod windows;

use std::{
    sync::{Arc, mpsc::Sender},
    time::{Duration, Instant},
};

use deskhand_model::{App, Event, EventKind, Node, NodeId};
use parking_lot::Mutex;

pub use self::windows::FakeWindow;
use crate::{ActionReply, Desktop, NodeAction, ProgramActivity, Programs, Result, Windows};

/// A call to the tree of a [`FakeDesktop`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FakeCall {
    /// A read of the whole tree.
    Walk,
    /// A read of some elements.
    Read,
    /// A read of the complete text of an element.
    Text,
    /// An action.
    Perform,
}

type ActHandler = Box<dyn FnMut(&mut FakeApp, &NodeId, &NodeAction) -> Result<ActionReply> + Send>;
type CallHook = Box<dyn FnMut(&mut FakeApp, FakeCall, &[FakeCall]) + Send>;
type ActivityFn = Box<dyn Fn(Option<Duration>) -> Option<ProgramActivity> + Send>;
type ScheduledChange = Box<dyn FnOnce(&mut FakeApp) + Send>;

/// The app of a [`FakeDesktop`].
pub struct FakeApp {
    app: App,
    nodes: Vec<Node>,
    /// The children of each node, by position.
    children: Vec<Vec<u32>>,
    pending: Vec<(Instant, ScheduledChange)>,
    listeners: Vec<Sender<Event>>,
    is_responding: bool,
}

impl FakeApp {
    /// Lets the app answer reads of elements, or time out.
    pub fn set_responding(&mut self, is_responding: bool) {
        self.is_responding = is_responding;
    }

    /// Returns an element to change it.
    ///
    /// # Panics
    ///
    /// Panics if the app has no such element.
    pub fn node(&mut self, id: &str) -> &mut Node {
        match self.nodes.iter_mut().find(|node| node.id.as_str() == id) {
            Some(node) => node,
            None => panic!("the fake app has no element `{id}`"),
        }
    }

    /// Adds an element below the element at this position.
    pub fn add(&mut self, node: Node, parent: usize) {
        let position = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        self.nodes.push(node);
        self.children.push(Vec::new());
        self.children[parent].push(position);
    }

    /// Changes the app after a delay. The change becomes visible to the first call after it.
    pub fn after(&mut self, delay: Duration, change: impl FnOnce(&mut Self) + Send + 'static) {
        self.pending.push((Instant::now() + delay, Box::new(change)));
    }

    /// Sends an event about an element to all listeners.
    pub fn emit(&mut self, kind: EventKind, id: &str) {
        let event = Event {
            kind,
            app: self.app.id.clone(),
            node: Some(NodeId::new(id)),
            detail: String::new(),
            on: true,
        };
        self.listeners.retain(|listener| listener.send(event.clone()).is_ok());
    }

    /// Returns the time until the next scheduled change.
    fn next_change(&self) -> Option<Duration> {
        let next = self.pending.iter().map(|(at, _)| *at).min()?;
        Some(next.saturating_duration_since(Instant::now()))
    }

    fn apply_pending(&mut self) {
        let now = Instant::now();
        let (due, later) = self.pending.drain(..).partition(|(at, _)| *at <= now);
        self.pending = later;
        let due: Vec<(Instant, ScheduledChange)> = due;
        for (_, change) in due {
            change(self);
        }
    }
}

struct State {
    app: FakeApp,
    windows: Vec<FakeWindow>,
    calls: Vec<FakeCall>,
    acts: Vec<(NodeId, NodeAction)>,
    on_act: ActHandler,
    on_call: CallHook,
    activity: Option<ActivityFn>,
}

impl State {
    fn record(&mut self, call: FakeCall) {
        self.app.apply_pending();
        (self.on_call)(&mut self.app, call, &self.calls);
        self.calls.push(call);
    }
}

/// A desktop whose only app is scripted by a test. Clones share the app.
#[derive(Clone)]
pub struct FakeDesktop(Arc<Mutex<State>>);

impl FakeDesktop {
    /// Creates a desktop with one app. Each element comes with the position of its parent; the first
    /// one is the root. By default the app accepts every action and does nothing.
    pub fn new(app: App, elements: Vec<(Node, usize)>) -> Self {
        let mut children = vec![Vec::new(); elements.len()];
        for (position, (_, parent)) in elements.iter().enumerate().skip(1) {
            children[*parent].push(u32::try_from(position).unwrap_or(u32::MAX));
        }
        let nodes = elements.into_iter().map(|(node, _)| node).collect();
        let app = FakeApp {
            app,
            nodes,
            children,
            pending: Vec::new(),
            listeners: Vec::new(),
            is_responding: true,
        };
        Self(Arc::new(Mutex::new(State {
            app,
            windows: Vec::new(),
            calls: Vec::new(),
            acts: Vec::new(),
            on_act: Box::new(|_, _, _| Ok(ActionReply::Accepted)),
            on_call: Box::new(|_, _, _| {}),
            activity: None,
        })))
    }

    /// Sets the reaction of the app to actions.
    pub fn on_act(
        &self,
        handler: impl FnMut(&mut FakeApp, &NodeId, &NodeAction) -> Result<ActionReply> + Send + 'static,
    ) {
        self.0.lock().on_act = Box::new(handler);
    }

    /// Sets a hook that runs before each call. It receives the call and all earlier ones.
    pub fn on_call(&self, hook: impl FnMut(&mut FakeApp, FakeCall, &[FakeCall]) + Send + 'static) {
        self.0.lock().on_call = Box::new(hook);
    }

    /// Sets the activity of the app. The function receives the time until the next scheduled change.
    /// Call it before [`desktop`](Self::desktop).
    pub fn set_activity(
        &self,
        activity: impl Fn(Option<Duration>) -> Option<ProgramActivity> + Send + 'static,
    ) {
        self.0.lock().activity = Some(Box::new(activity));
    }

    /// Changes the app without an action.
    pub fn change(&self, change: impl FnOnce(&mut FakeApp)) {
        change(&mut self.0.lock().app);
    }

    /// Sets the windows of the app, the frontmost first. Call it before [`desktop`](Self::desktop).
    pub fn set_windows(&self, windows: Vec<FakeWindow>) {
        self.0.lock().windows = windows;
    }

    /// Returns the app.
    pub fn app(&self) -> App {
        self.0.lock().app.app.clone()
    }

    /// Returns the calls that were made.
    pub fn calls(&self) -> Vec<FakeCall> {
        self.0.lock().calls.clone()
    }

    /// Returns the actions that the app has received.
    pub fn acts(&self) -> Vec<(NodeId, NodeAction)> {
        self.0.lock().acts.clone()
    }

    /// Returns the desktop as verbs use it.
    pub fn desktop(&self) -> Desktop {
        let (has_windows, has_programs) = {
            let state = self.0.lock();
            (!state.windows.is_empty(), state.activity.is_some())
        };
        Desktop {
            tree: Box::new(self.clone()),
            windows: has_windows.then(|| Box::new(self.clone()) as Box<dyn Windows>),
            screen: None,
            input: None,
            clipboard: None,
            programs: has_programs.then(|| Box::new(self.clone()) as Box<dyn Programs>),
            identities: None,
            permissions: None,
            dictionaries: None,
            text_recognizer: None,
        }
    }
}
