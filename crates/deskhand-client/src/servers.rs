//! All servers of a person behind one door that blocks: their tools, and calls to them. Nothing runs
//! when there is no server.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError, mpsc},
    time::{Duration, Instant},
};

use deskhand_model::Delivery;
use rmcp::model::CallToolRequestParams;
use serde_json::{Map, Value};
use tokio::runtime::Runtime;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    answer::{Answer, Kind, Remote},
    config::{Config, Use},
    connect,
    error::{Error, Result},
    link::{Link, State},
    name,
    storage::Storage,
};

/// How often a waiting call looks whether it is stopped.
const LOOK: Duration = Duration::from_millis(20);
/// How long servers have to be told that this is the end.
const FAREWELL: Duration = Duration::from_millis(500);

type Heard = Arc<Mutex<Vec<Box<dyn Fn() + Send + Sync>>>>;

/// The servers of a person.
pub struct Servers {
    links: Vec<Arc<Link>>,
    heard: Heard,
    end: CancellationToken,
    tasks: TaskTracker,
    runtime: Option<Runtime>,
}

/// How one server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// Its name.
    pub server: String,
    /// How it is.
    pub state: State,
    /// How many tools it offers.
    pub tools: usize,
}

impl Servers {
    /// Begins to connect to every server that is switched on, and waits for none.
    ///
    /// # Errors
    ///
    /// When this process can do no work in the background.
    pub fn open(config: &Config, storage: &Storage) -> Result<Self> {
        let heard = Heard::default();
        let told = Arc::clone(&heard);
        let changed: Arc<dyn Fn() + Send + Sync> = Arc::new(move || {
            for one in told.lock().unwrap_or_else(PoisonError::into_inner).iter() {
                one();
            }
        });
        let on = config.servers.iter().filter(|server| server.use_it == Use::On);
        let link = |server: &crate::config::Server| {
            Arc::new(Link::new(server.clone(), storage.clone(), Arc::clone(&changed)))
        };
        let links: Vec<_> = on.map(link).collect();
        let (end, tasks) = (CancellationToken::new(), TaskTracker::new());
        let runtime = if links.is_empty() { None } else { Some(runtime()?) };
        if let Some(runtime) = &runtime {
            for link in &links {
                let (link, end) = (Arc::clone(link), end.clone());
                tasks.spawn_on(async move { link.live(end).await }, runtime.handle());
            }
        }
        tasks.close();
        Ok(Self { links, heard, end, tasks, runtime })
    }

    /// Calls back when a server comes or goes, or its list of tools is another.
    pub fn on_change(&self, call: impl Fn() + Send + Sync + 'static) {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(call));
    }

    /// The tools of those servers that answer, in the order of the file.
    pub fn tools(&self) -> Vec<Remote> {
        let mut taken = HashSet::new();
        let mut all = Vec::new();
        for link in &self.links {
            let server = &link.server;
            for tool in link.now().tools.iter().filter(|tool| server.takes(&tool.name)) {
                all.push(Remote {
                    server: server.name.clone(),
                    name: name::of(&server.prefix, &server.name, &tool.name, &mut taken),
                    own_name: tool.name.to_string(),
                    about: tool.description.as_deref().unwrap_or_default().to_owned(),
                    title: tool.title.clone().or_else(|| tool.annotations.as_ref()?.title.clone()),
                    input_schema: tool.input_schema.as_ref().clone(),
                    kind: Kind::of(tool, server.trust),
                    patience: server.patience,
                });
            }
        }
        all
    }

    /// How each server is.
    pub fn status(&self) -> Vec<Status> {
        let status = |link: &Arc<Link>| {
            let now = link.now();
            let taken = now.tools.iter().filter(|tool| link.server.takes(&tool.name));
            let tools = taken.count();
            Status { server: link.server.name.clone(), state: now.state, tools }
        };
        self.links.iter().map(status).collect()
    }

    /// Waits until every server has been reached or has failed once.
    pub fn settle(&self, until: Instant) {
        let busy = |link: &Arc<Link>| link.now().state == State::Connecting;
        while Instant::now() < until && self.links.iter().any(busy) {
            std::thread::sleep(LOOK);
        }
    }

    /// Calls a tool; ends by the deadline, or soon after `stop` says so.
    ///
    /// # Errors
    ///
    /// When the server does not answer, refuses, or the caller stopped. A tool that ran and failed is
    /// no error here: its answer says so.
    pub fn call(
        &self,
        tool: &Remote,
        arguments: Map<String, Value>,
        deadline: Instant,
        stop: &dyn Fn() -> bool,
    ) -> Result<Answer> {
        let server = tool.server.clone();
        let found = self.links.iter().find(|link| link.server.name == tool.server);
        let (Some(link), Some(runtime)) = (found, &self.runtime) else {
            return Err(Error::NoTool { server, tool: tool.own_name.clone() });
        };
        let now = link.now();
        let Some(running) = now.running else { return Err(absent(server, now.state)) };
        let asked = CallToolRequestParams::new(tool.own_name.clone()).with_arguments(arguments);
        let (sender, receiver) = mpsc::channel();
        let task = runtime.spawn(async move {
            // Nobody is left to tell when the caller went away.
            let _ = sender.send(running.call_tool(asked).await);
        });
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match receiver.recv_timeout(left.min(LOOK)) {
                Ok(Ok(answer)) => return Ok(Answer::from(answer)),
                Ok(Err(error)) => {
                    let error = connect::failed(&server, &error);
                    if !matches!(error, Error::Refused { .. }) {
                        link.doubt();
                    }
                    return Err(error);
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    let why = "the connection was closed".to_owned();
                    return Err(Error::Down { server, why, delivery: Delivery::Unknown });
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {}
            }
            // A call that is dropped is cancelled at the server.
            if stop() {
                task.abort();
                return Err(Error::Stopped { server });
            }
            if Instant::now() >= deadline {
                task.abort();
                link.doubt();
                return Err(Error::Late { server, delivery: Delivery::Unknown });
            }
        }
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        let Some(runtime) = self.runtime.take() else { return };
        self.end.cancel();
        let until = Instant::now() + FAREWELL;
        while !self.tasks.is_empty() && Instant::now() < until {
            std::thread::sleep(LOOK);
        }
        runtime.shutdown_background();
    }
}

fn absent(server: String, state: State) -> Error {
    let delivery = Delivery::NotSent;
    match state {
        State::LoginNeeded => Error::LoginNeeded { server },
        State::Down(why) => Error::Down { server, why, delivery },
        State::Connecting | State::Up => {
            Error::Down { server, why: "it is not connected yet".to_owned(), delivery }
        }
    }
}

fn runtime() -> Result<Runtime> {
    let built = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("servers")
        .enable_all()
        .build();
    built.map_err(|error| Error::Start { why: error.to_string() })
}
