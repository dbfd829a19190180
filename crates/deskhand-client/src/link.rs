//! The life of one server in the background: connected, listened to, tried again when it goes.

use std::{
    future::pending,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use rmcp::model::{ProtocolVersion, SubscriptionFilter, Tool};
use tokio::{
    sync::Notify,
    time::{Instant, sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use crate::{
    config::Server,
    connect::{self, Ear, Running},
    error::{Error, Result},
    storage::Storage,
};

/// How long a server may take to be ready.
const READY: Duration = Duration::from_secs(20);
/// How long it may take to list its tools again.
const LISTED: Duration = Duration::from_secs(10);
/// How often a quiet server is asked whether it is still there.
const PULSE: Duration = Duration::from_secs(30);
/// The shortest and the longest wait before a server is tried again.
const SOONEST: Duration = Duration::from_millis(500);
const LATEST: Duration = Duration::from_secs(30);
/// How often it is looked whether somebody has logged in.
const LOGIN_LOOK: Duration = Duration::from_secs(2);

/// How a server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// It was not reached yet.
    Connecting,
    /// It answers.
    Up,
    /// It wants a person to log in.
    LoginNeeded,
    /// It does not answer.
    Down(String),
}

/// One server.
pub(crate) struct Link {
    pub(crate) server: Server,
    storage: Storage,
    now: Mutex<Now>,
    /// Something went wrong: look at once.
    doubt: Notify,
    changed: Arc<dyn Fn() + Send + Sync>,
}

/// How it is now.
#[derive(Clone)]
pub(crate) struct Now {
    pub(crate) state: State,
    pub(crate) tools: Arc<Vec<Tool>>,
    pub(crate) running: Option<Arc<Running>>,
}

impl Link {
    pub(crate) fn new(
        server: Server,
        storage: Storage,
        changed: Arc<dyn Fn() + Send + Sync>,
    ) -> Self {
        let now = Now { state: State::Connecting, tools: Arc::default(), running: None };
        Self { server, storage, now: Mutex::new(now), doubt: Notify::new(), changed }
    }

    pub(crate) fn now(&self) -> Now {
        self.now.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Has the server looked at again: a call to it failed.
    pub(crate) fn doubt(&self) {
        self.doubt.notify_one();
    }

    fn set(&self, next: Now) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        let same = now.state == next.state && now.tools == next.tools;
        *now = next;
        drop(now);
        if !same {
            (self.changed)();
        }
    }

    fn gone(&self, state: State) {
        self.set(Now { state, tools: Arc::default(), running: None });
    }

    /// Lives until it is told to end.
    pub(crate) async fn live(&self, end: CancellationToken) {
        let mut wait = SOONEST;
        loop {
            let begun = Instant::now();
            let ended = tokio::select! {
                () = end.cancelled() => return self.close(),
                ended = self.one_life() => ended,
            };
            self.close();
            // A server that was there for a while is tried at once.
            if begun.elapsed() > LATEST {
                wait = SOONEST;
            }
            let login = matches!(ended, Error::LoginNeeded { .. });
            self.gone(if login {
                State::LoginNeeded
            } else if let Error::Down { why, .. } = ended {
                State::Down(why)
            } else {
                State::Down(ended.to_string())
            });
            let again = async { if login { self.logged_in().await } else { sleep(wait).await } };
            tokio::select! {
                () = end.cancelled() => return,
                () = again => {}
            }
            wait = (wait * 2).min(LATEST);
        }
    }

    /// Connects, and stays until something breaks.
    async fn one_life(&self) -> Error {
        match self.whole_life().await {
            Ok(never) => match never {},
            Err(error) => error,
        }
    }

    async fn whole_life(&self) -> Result<std::convert::Infallible> {
        let name = &self.server.name;
        let ear = Ear::default();
        let ready = async {
            let running = connect::over_http(&self.server, &self.storage, ear.clone()).await?;
            let tools = connect::tools(name, &running).await?;
            Ok::<_, Error>((Arc::new(running), tools))
        };
        let (running, tools) = timeout(READY, ready).await.map_err(|_| self.late())??;
        self.up(&running, tools);
        let mut heard = std::pin::pin!(listen(&running, &ear));
        loop {
            tokio::select! {
                () = ear.changed.notified() => {}
                () = self.doubt.notified() => {}
                () = &mut heard => {}
                () = sleep(PULSE) => {}
            }
            if running.is_closed() {
                let why = "the connection was closed".to_owned();
                let delivery = deskhand_model::Delivery::NotSent;
                return Err(Error::Down { server: name.clone(), why, delivery });
            }
            let again = timeout(LISTED, connect::tools(name, &running)).await;
            self.up(&running, again.map_err(|_| self.late())??);
        }
    }

    fn up(&self, running: &Arc<Running>, tools: Vec<Tool>) {
        let running = Some(Arc::clone(running));
        self.set(Now { state: State::Up, tools: Arc::new(tools), running });
    }

    fn late(&self) -> Error {
        let delivery = deskhand_model::Delivery::NotSent;
        Error::Down { server: self.server.name.clone(), why: "it hangs".to_owned(), delivery }
    }

    /// Lets go of the connection; a session is ended at the server by it.
    fn close(&self) {
        if let Some(running) = self.now().running {
            running.cancellation_token().cancel();
        }
    }

    /// Waits until there are tokens to try again with.
    async fn logged_in(&self) {
        let before = self.modified();
        loop {
            sleep(LOGIN_LOOK).await;
            if self.modified() != before {
                return;
            }
        }
    }

    fn modified(&self) -> Option<std::time::SystemTime> {
        let found = std::fs::metadata(self.storage.file(&self.server)).ok()?;
        found.modified().ok()
    }
}

/// Hears of changed lists where the server wants to be asked for that; ends never.
async fn listen(running: &Running, ear: &Ear) {
    let asked = running
        .peer_info()
        .is_some_and(|info| info.protocol_version >= ProtocolVersion::V_2026_07_28);
    if asked {
        let filter = SubscriptionFilter::builder().tools_list_changed().build();
        if let Ok(mut heard) = running.listen(filter).await {
            while let Ok(Some(_)) = heard.next().await {
                ear.changed.notify_one();
            }
            // The stream ends with the server.
            ear.changed.notify_one();
        }
    }
    pending().await
}
