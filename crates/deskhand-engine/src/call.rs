//! The pipeline.

use std::{path::PathBuf, sync::Arc, time::Duration};

use deskhand_model::{Delivery, EventKind, Explain};
use deskhand_platform::{Changes, Deadline, Desktop, Events, Selection};
use deskhand_tools::{
    Ask, Context, Door, Effect, Error, Form, Memory, Nobody, Said, Session, Stop,
};
use serde_json::Value;

use crate::{
    Catalogue, Failure,
    clock::{self, Cost, Timed},
    consent,
    reply::{Pause, Reply, Stopped},
    session::{SessionKey, Sessions},
};

/// One call, from any door.
#[derive(Debug)]
pub struct Call {
    /// The tool's name.
    pub tool: String,
    /// Its arguments, not yet looked at.
    pub arguments: Value,
    /// The form of the answer the door will show.
    pub form: Form,
    /// The door.
    pub door: Door,
    /// Whose connections and names it uses.
    pub session: SessionKey,
}

/// What a call can turn to while it runs.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// Whether the caller still waits.
    pub stop: &'a Stop,
    /// Asks the person behind the call.
    pub ask: &'a dyn Ask,
    /// Takes what the tool says on the way; answers whether anybody still listens.
    pub listener: &'a (dyn Fn(Said) -> bool + Sync),
}

impl<'a> Surroundings<'a> {
    /// A caller that waits to the end and has nobody to ask.
    pub fn alone(listener: &'a (dyn Fn(Said) -> bool + Sync)) -> Self {
        Self { stop: Stop::never(), ask: &Nobody, listener }
    }
}

/// Runs calls on one desktop.
pub struct Engine {
    desktop: Desktop,
    catalogue: Catalogue,
    refs: PathBuf,
    memory: Memory,
    patience: Option<Duration>,
    sessions: Sessions,
}

/// How long a look may take.
const TO_LOOK: Duration = Duration::from_secs(2);

/// How long an action may wait until its element is ready for it.
const TO_BE_READY: Duration = Duration::from_secs(5);

/// How long a program may take to start; large ones take long on a busy machine.
const TO_START: Duration = Duration::from_secs(30);

impl Engine {
    /// An engine on an open desktop; `refs` is where refs are kept between calls, `patience` is how
    /// long one call may look, or wait for its element, where the usual time is not meant.
    pub fn new(mut desktop: Desktop, refs: PathBuf, patience: Option<Duration>) -> Self {
        desktop.tree = Box::new(Timed(desktop.tree));
        Self {
            desktop,
            catalogue: Catalogue::all(),
            refs,
            memory: Memory::default(),
            patience,
            sessions: Sessions::default(),
        }
    }

    /// The tools it runs.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// What a caller has set up and done so far.
    pub fn session(&self, key: &SessionKey) -> Arc<Session> {
        self.sessions.get(key)
    }

    /// How many resources all callers together have subscribed to.
    pub fn subscriptions(&self) -> usize {
        self.sessions.subscriptions()
    }

    /// Forgets a caller.
    pub fn end_session(&self, key: &SessionKey) {
        self.sessions.end(key);
    }

    /// What the last call this thread made has cost the apps.
    pub fn cost() -> Cost {
        clock::spent()
    }

    /// Runs one call.
    pub fn call(&self, mut call: Call, around: &Surroundings<'_>) -> Reply {
        clock::begin();
        let entry = self.catalogue.get(&call.tool).ok_or_else(|| Failure {
            code: "unknown_tool".to_owned(),
            message: format!("there is no tool called `{}`", call.tool),
            hint: Some(match call.door {
                Door::CommandLine => "`deskhand --help` lists them".to_owned(),
                Door::Mcp => "`tools/list` lists them".to_owned(),
            }),
            delivery: Some(Delivery::NotSent),
        })?;
        let effect = entry.spec.effect;
        if let Some(need) = entry.spec.needs.iter().find(|need| !need.met_by(&self.desktop)) {
            let lacking = Failure {
                code: "unimplemented".to_owned(),
                message: format!("this desktop cannot serve `{}`: it lacks {need:?}", call.tool),
                hint: Some("run it on a desktop with an X server".to_owned()),
                delivery: None,
            };
            return Err(lacking.before(effect).into());
        }
        let session = self.session(&call.session);
        let alias = call.arguments["app"].as_str().and_then(|name| session.named(name));
        if let Some(pid) = alias {
            call.arguments["app"] = Value::from(pid.to_string());
        }
        let doing = doing(&call);
        let fresh = || self.context(&session, around, call.form, call.door, effect);
        let reply = consent::run(entry, fresh, call.arguments);
        let reply = reply.map_err(|error| stopped(error, effect, call.door));
        let acts = match effect {
            Effect::Act { .. } | Effect::Destroy | Effect::Execute => true,
            Effect::Observe | Effect::Adjust { .. } => false,
        };
        if let Ok(answer) = &reply
            && acts
        {
            let effect = answer.data["effect"].as_str().unwrap_or("done");
            session.acted(format!("{doing}: {effect}"));
        }
        reply
    }

    /// Begins to report events of these kinds, of one app or of all.
    ///
    /// # Errors
    ///
    /// When no such app runs, or it must not be listened to.
    pub fn watch(
        &self,
        app: Option<&str>,
        kinds: &[EventKind],
    ) -> Result<Box<dyn Events>, Failure> {
        let session = self.session(&SessionKey::Common);
        let around = Surroundings::alone(&|_| true);
        let cx = self.context(&session, &around, Form::Data, Door::Mcp, Effect::Observe);
        let app = match app {
            Some(name) => Some(deskhand_tools::app_meant(&cx, Some(name))?),
            None => None,
        };
        Ok(self.desktop.tree.watch(app.as_ref().map(|app| &app.id), kinds, cx.by)?)
    }

    /// Begins to report that something was copied.
    ///
    /// # Errors
    ///
    /// When this desktop has no clipboard, or it cannot be watched.
    pub fn watch_clipboard(&self) -> Result<Box<dyn Changes>, Failure> {
        let clipboard = self.desktop.clipboard.as_ref();
        let clipboard = clipboard.ok_or(Error::Absent { part: "clipboard" })?;
        Ok(clipboard.watch(Selection::Clipboard, Deadline::after(TO_LOOK))?)
    }

    fn context<'a>(
        &'a self,
        session: &'a Session,
        around: &Surroundings<'a>,
        form: Form,
        door: Door,
        effect: Effect,
    ) -> Context<'a> {
        let usual = match effect {
            Effect::Observe => TO_LOOK,
            Effect::Adjust { .. } | Effect::Act { .. } | Effect::Destroy => TO_BE_READY,
            Effect::Execute => TO_START,
        };
        Context {
            desktop: &self.desktop,
            refs: &self.refs,
            memory: &self.memory,
            by: Deadline::after(self.patience.unwrap_or(usual)),
            form,
            listener: around.listener,
            stop: around.stop,
            ask: around.ask,
            session,
            door,
        }
    }
}

/// A call in words, without anything that was typed.
fn doing(call: &Call) -> String {
    let given = |name: &str| call.arguments[name].as_str();
    let key = given("key").filter(|_| call.tool == "ax_key_press");
    let what = given("query").or(key).map_or(String::new(), |what| format!(" \"{what}\""));
    format!("{}{what}", call.tool)
}

/// Why there is no answer, in the words of the door.
fn stopped(error: Error, effect: Effect, door: Door) -> Stopped {
    if let Error::Asks { question } = error {
        return Stopped::Pause(Pause::Asks(vec![*question]));
    }
    let delivery = (!effect.is_look()).then(|| error.delivery());
    let failure = Failure { delivery, ..Failure::from(error) };
    Stopped::Failure(match door {
        Door::CommandLine => failure,
        Door::Mcp => failure.for_tools(),
    })
}
