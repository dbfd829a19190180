//! The pipeline.

use std::{
    cell::LazyCell,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use deskhand_model::{Delivery, EventKind, Explain};
use deskhand_platform::{Changes, Deadline, Desktop, Events, Selection};
use deskhand_run::{Network, Shop};
use deskhand_tools::{
    Ask, Commands, Context, Door, Effect, Entry, Error, Form, Memory, Nobody, Pace, Said, Session,
    Sink, Stop, Unseen,
};
use serde_json::Value;

use crate::{
    Catalogue, Failure, Gate, afterwards, asking,
    clock::{self, Cost, Gauge, Timed},
    consent::Consent,
    content, halt,
    limits::Turn,
    policy::{self, Forbidden, Mode, Policy},
    records::Records,
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
    /// Who calls, where it is not the owner of the engine.
    pub principal: Option<Arc<str>>,
    /// The strictest mode its caller is bound to; the stricter of this and the gate's holds.
    pub ceiling: Mode,
}

impl Call {
    /// Whose calls it counts among: whoever is known is one caller, by however many sessions they come.
    pub(crate) fn caller(&self) -> SessionKey {
        match &self.principal {
            Some(who) => SessionKey::Of(Arc::clone(who)),
            None => self.session.clone(),
        }
    }
}

/// What a call can turn to while it runs.
pub struct Surroundings<'a> {
    /// Whether the caller still waits.
    pub stop: Arc<Stop>,
    /// Asks the person behind the call.
    pub ask: &'a dyn Ask,
    /// Takes what the tool says on the way; answers whether anybody still listens.
    pub listener: &'a (dyn Fn(Said) -> bool + Sync),
    /// Takes what is said after the call was answered, where somebody would hear it.
    pub afterwards: Option<Sink>,
    /// How long the call stays with what goes on in the background.
    pub pace: Pace,
}

impl<'a> Surroundings<'a> {
    /// A caller that waits to the end, has nobody to ask and hears nothing later.
    pub fn alone(listener: &'a (dyn Fn(Said) -> bool + Sync)) -> Self {
        Self {
            stop: Arc::default(),
            ask: &Nobody,
            listener,
            afterwards: None,
            pace: Pace::ToTheEnd,
        }
    }
}

/// Runs calls on one desktop.
pub struct Engine {
    desktop: Arc<Desktop>,
    catalogue: Arc<Catalogue>,
    refs: PathBuf,
    memory: Memory,
    patience: Option<Duration>,
    sessions: Arc<Sessions>,
    commands: Option<Workplace>,
    gate: Gate,
}

/// How commands are run for everybody.
struct Workplace {
    shop: Shop,
    pace: Pace,
}

impl Workplace {
    /// What of the network commands reach in a mode where nothing is set.
    fn network(mode: Mode) -> &'static Network {
        match mode {
            Mode::Normal => &Network::On,
            Mode::Safe | Mode::Sandboxed => &Network::Off,
        }
    }
}

/// How long a look may take.
const TO_LOOK: Duration = Duration::from_secs(2);

/// How long an action may wait until its element is ready for it.
const TO_BE_READY: Duration = Duration::from_secs(5);

/// How long everything that is held down may take to come up.
const TO_LET_GO: Duration = Duration::from_millis(200);

/// How long a program may take to start; large ones take long on a busy machine.
const TO_START: Duration = Duration::from_secs(30);

impl Engine {
    /// An engine on an open desktop; `refs` is where refs are kept between calls, `patience` is how
    /// long one call may look, or wait for its element, where the usual time is not meant; `gate`
    /// decides about every call.
    pub fn new(desktop: Desktop, refs: PathBuf, patience: Option<Duration>, gate: Gate) -> Self {
        let mut desktop = policy::fence(desktop, Arc::clone(&gate.apps), gate.halt.clone());
        desktop.tree = Box::new(Timed(desktop.tree));
        Self {
            desktop: Arc::new(desktop),
            catalogue: Arc::new(Catalogue::all()),
            refs,
            memory: Memory::default(),
            patience,
            sessions: Arc::default(),
            commands: None,
            gate,
        }
    }

    /// The same engine, which also runs commands; the pace holds for all of them where it is
    /// [`Pace::ToTheEnd`].
    #[must_use]
    pub fn with_commands(self, shop: Shop, pace: Pace) -> Self {
        Self { commands: Some(Workplace { shop, pace }), ..self }
    }

    /// The tools it runs.
    pub fn catalogue(&self) -> &Arc<Catalogue> {
        &self.catalogue
    }

    /// Whether it runs commands.
    pub fn runs_commands(&self) -> bool {
        self.commands.is_some()
    }

    /// The folder the commands of all callers are held to, where it is one.
    pub fn fixed_scope(&self) -> Option<&Path> {
        self.commands.as_ref()?.shop.scope()
    }

    /// Holds the commands of a caller to a folder it names; whether it is the one from now on.
    ///
    /// # Errors
    ///
    /// When it is not there, or is none for callers.
    pub fn claim(&self, key: &SessionKey, folder: &Path) -> Result<bool, Failure> {
        let Some(commands) = &self.commands else { return Ok(false) };
        let session = self.session(key);
        match commands.shop.claim(folder) {
            Ok(folder) => Ok(session.set_scope(folder)),
            Err(refused) => {
                session.refuse_scope(&refused.to_string());
                Err(Failure::from(refused))
            }
        }
    }

    /// What may be done at all.
    pub fn policy(&self) -> Policy {
        self.gate.policy
    }

    /// How many calls of one caller may run at the same time; 0 means as many as it likes.
    pub fn at_once(&self) -> u32 {
        self.gate.limits.at_once()
    }

    /// What a caller has set up and done so far.
    pub fn session(&self, key: &SessionKey) -> Arc<Session> {
        self.sessions.get(key)
    }

    /// How many resources all callers together have subscribed to.
    pub fn subscriptions(&self) -> usize {
        self.sessions.subscriptions()
    }

    /// Forgets a caller, and ends what it runs.
    pub fn end_session(&self, key: &SessionKey) {
        self.sessions.end(key);
    }

    /// Forgets all callers, and ends what they run.
    pub fn end_sessions(&self) {
        self.sessions.end_all();
    }

    /// What the last call this thread made has cost the apps.
    pub fn cost() -> Cost {
        clock::spent()
    }

    /// Runs one call.
    pub fn call(&self, mut call: Call, around: &Surroundings<'_>) -> Reply {
        let mut gauge = Gauge::begin();
        let entry = self.known(&call)?;
        let effect = entry.effect();
        let session = self.session(&call.session);
        // What one session of somebody's read may be what makes another act.
        let caller = self.session(&call.caller());
        let alias = call.arguments["app"].as_str().and_then(|name| session.named(name));
        if let Some(pid) = alias {
            call.arguments["app"] = Value::from(pid.to_string());
        }
        let told = LazyCell::new(|| entry.told(&call.arguments, &session));
        let listener = |mut said: Said| {
            caller.flag(&content::said(&mut said));
            (around.listener)(said)
        };
        let mode = self.gate.policy.mode_for(call.ceiling);
        let ask = content::Plainly(around.ask);
        let known = self.desktop.identities.as_deref();
        let consent =
            Consent::new(&self.gate, known, entry.name(), mode, call.door, &ask, &listener);
        let records = Records { gate: &self.gate, call: &call, told: &told, listener: &listener };
        let (_turn, delayed) = match self.admit(&entry, &call, &around.stop, &mut gauge) {
            Ok(admitted) => admitted,
            Err(failure) => return Err(records.refused(failure, &consent.noted()).into()),
        };
        let open = records.begin(effect)?;
        let _running = self.gate.halt.running(&around.stop);
        let unseen = Unseen::default();
        let afterwards = (effect == Effect::Command).then(|| {
            afterwards::sink(&call, &caller, &self.gate.journal, around.afterwards.as_ref())
        });
        let commands = self
            .commands
            .as_ref()
            .map(|it| Commands { shop: &it.shop, network: Workplace::network(mode) });
        let pace = match &self.commands {
            Some(Workplace { pace: Pace::ToTheEnd, .. }) => Pace::ToTheEnd,
            Some(Workplace { pace: Pace::AsDeclared, .. }) | None => around.pace,
        };
        let by = self.patience.unwrap_or_else(|| usual(effect));
        let fresh = || Context {
            desktop: &self.desktop,
            refs: &self.refs,
            memory: &self.memory,
            by: Deadline::after(by),
            form: call.form,
            listener: &listener,
            afterwards: afterwards.as_ref(),
            pace,
            commands,
            stop: &around.stop,
            ask: &ask,
            session: &session,
            door: call.door,
            warden: &consent,
            unseen: &unseen,
        };
        let mut reply = match consent.before(&entry, &told, &caller) {
            Ok(()) => gauge
                .apart(|| asking::run(&entry, fresh, call.arguments.clone()))
                .map_err(|error| self.stopped(error, effect, call.door)),
            Err(Stopped::Failure(failure)) => {
                Err(in_words_of(call.door, failure.before(effect)).into())
            }
            Err(paused @ Stopped::Pause(_)) => Err(paused),
        };
        if let Ok(answer) = &mut reply {
            answer.warnings.extend(delayed);
            answer.warnings.extend(consent.noted().warnings);
        }
        caller.flag(&content::clean(&mut reply, &unseen));
        if let (Ok(answer), true) = (&reply, acts(effect)) {
            let effect = answer.data["effect"].as_str().unwrap_or("done");
            session.acted(format!("{}: {effect}", doing(&call.tool, &told)));
        }
        records.end(open, reply, &consent.noted())
    }

    fn known(&self, call: &Call) -> Result<Arc<Entry>, Failure> {
        let entry = self.catalogue.get(&call.tool).ok_or_else(|| {
            let hint = match call.door {
                Door::CommandLine => "`deskhand --help` lists them",
                Door::Mcp | Door::Own => "`tools/list` lists them",
            };
            let message = format!("there is no tool called `{}`", call.tool);
            let unknown = Failure::new("unknown_tool", message, hint);
            Failure { delivery: Some(Delivery::NotSent), ..unknown }
        })?;
        if let Some(need) = entry.needs().iter().find(|need| !need.met_by(&self.desktop)) {
            let message = format!("this desktop cannot serve `{}`: it lacks {need:?}", call.tool);
            let hint = "run it on a desktop with an X server";
            return Err(Failure::new("unimplemented", message, hint).before(entry.effect()));
        }
        Ok(entry)
    }

    /// Lets a call in, or says why not; with it comes a warning where the call had to wait.
    fn admit(
        &self,
        entry: &Entry,
        call: &Call,
        stop: &Stop,
        gauge: &mut Gauge,
    ) -> Result<(Option<Turn<'_>>, Option<String>), Failure> {
        let effect = entry.effect();
        let refuse = |failure: Failure| failure.before(effect);
        if call.door == Door::Own {
            return Ok((None, None));
        }
        let limits = &self.gate.limits;
        let exceeded = |exceeded| refuse(Failure::from(exceeded));
        // Calls that are not let through count as well: otherwise nothing bounds them.
        let turn = limits.admit(&call.caller()).map_err(exceeded)?;
        if call.door == Door::Mcp || effect.mutates() {
            self.heed_halt().map_err(|error| refuse(Failure::from(error)))?;
            self.gate.halt.check().map_err(|halted| refuse(Failure::from(halted)))?;
        }
        let forbidden = |why| refuse(forbidden(entry, why, call.door));
        self.gate.policy.check(effect, call.ceiling).map_err(forbidden)?;
        if effect == Effect::Script {
            limits.script().map_err(exceeded)?;
        }
        let mut delayed = None;
        if effect.mutates() && effect != Effect::Command {
            let waited = limits.write(|left| gauge.apart(|| stop.sleep(left)));
            let waited = waited.map_err(|error| refuse(Failure::from(error)))?;
            if !waited.is_zero() {
                let words = format!("Rate limit reached. Delayed {:.3}s", waited.as_secs_f64());
                delayed = Some(words);
            }
        }
        Ok((Some(turn), delayed))
    }

    /// From the first call on that a halt would stop, it is noticed at once.
    fn heed_halt(&self) -> Result<(), halt::Error> {
        // The desktop ends with its engine: what is held down is let go of then, too.
        let desktop = Arc::downgrade(&self.desktop);
        let sessions = Arc::downgrade(&self.sessions);
        self.gate.halt.watch(move || {
            if let Some(sessions) = sessions.upgrade() {
                sessions.cancel_operations("everything was halted");
            }
            if let Some(input) = desktop.upgrade().as_ref().and_then(|it| it.input.as_ref()) {
                // What cannot be let go of now is tried again by whoever pressed it.
                let _ = input.let_go(Deadline::after(TO_LET_GO));
            }
        })
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
        let consent = Consent::new(
            &self.gate,
            self.desktop.identities.as_deref(),
            "watch",
            self.gate.policy.mode,
            Door::Own,
            around.ask,
            around.listener,
        );
        let cx = Context {
            desktop: &self.desktop,
            refs: &self.refs,
            memory: &self.memory,
            by: Deadline::after(self.patience.unwrap_or(TO_LOOK)),
            form: Form::Data,
            listener: around.listener,
            afterwards: None,
            pace: around.pace,
            commands: None,
            stop: &around.stop,
            ask: around.ask,
            session: &session,
            door: Door::Own,
            warden: &consent,
            unseen: &Unseen::default(),
        };
        let app = match app {
            Some(name) => Some(deskhand_tools::app_meant(&cx, Some(name))?),
            None => None,
        };
        let events = self.desktop.tree.watch(app.as_ref().map(|app| &app.id), kinds, cx.by)?;
        Ok(content::events(events, Arc::clone(&self.sessions)))
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

    /// Why there is no answer, in the words of the door.
    fn stopped(&self, error: Error, effect: Effect, door: Door) -> Stopped {
        if let Error::Asks { question } = error {
            return Stopped::Pause(Pause::Asks(vec![*question]));
        }
        let delivery = (!effect.is_look()).then(|| error.delivery());
        let failure = match self.gate.halt.check() {
            // Whatever it failed of, this is why.
            Err(halted) => Failure::from(halted),
            Ok(()) => Failure::from(error),
        };
        Stopped::Failure(in_words_of(door, Failure { delivery, ..failure }))
    }
}

/// A failure as the callers at a door understand it.
fn in_words_of(door: Door, failure: Failure) -> Failure {
    match door {
        Door::CommandLine => failure,
        Door::Mcp | Door::Own => failure.for_tools(),
    }
}

/// How long a call may take where nothing else is asked for.
fn usual(effect: Effect) -> Duration {
    match effect {
        Effect::Observe | Effect::Await | Effect::Prepare { .. } => TO_LOOK,
        Effect::Adjust { .. } | Effect::Act { .. } | Effect::Destroy => TO_BE_READY,
        Effect::Execute | Effect::Command | Effect::Script => TO_START,
    }
}

/// Whether a call counts as an action of its caller.
fn acts(effect: Effect) -> bool {
    match effect {
        Effect::Act { .. }
        | Effect::Destroy
        | Effect::Execute
        | Effect::Command
        | Effect::Script => true,
        Effect::Observe | Effect::Await | Effect::Prepare { .. } | Effect::Adjust { .. } => false,
    }
}

/// A call in words, without anything that was typed.
fn doing(tool: &str, told: &Value) -> String {
    let given = |name: &str| told[name].as_str();
    let key = given("key").filter(|_| tool == "ax_key_press");
    let what = given("query").or(key).map_or(String::new(), |what| format!(" \"{what}\""));
    format!("{tool}{what}")
}

fn forbidden(entry: &Entry, why: Forbidden, door: Door) -> Failure {
    let name = match door {
        Door::CommandLine if !entry.command().is_empty() => entry.command(),
        Door::CommandLine | Door::Mcp | Door::Own => entry.name(),
    };
    let (code, message, hint) = match why {
        Forbidden::Mode(mode) => (
            "forbidden",
            format!("`{name}` is not allowed in {mode} mode"),
            "what only looks is allowed; the person at the desk can choose another security mode",
        ),
        Forbidden::ReadOnly => (
            "read_only_mode",
            format!("`{name}` would change something, and only looking is allowed (read-only)"),
            "look instead; the person at the desk can start it without read-only",
        ),
    };
    Failure::new(code, message, hint)
}
