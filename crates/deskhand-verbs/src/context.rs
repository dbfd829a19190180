//! What a running tool has at hand.

use std::{path::Path, sync::Arc};

use deskhand_platform::{Deadline, Desktop};
use deskhand_run::{Network, Shop, Workshop};
use serde_json::Value;

use crate::{Ask, Error, Memory, Page, Result, Session, Stop, Unseen, Warden};

/// Through which door a call came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    /// The command line.
    CommandLine,
    /// The MCP server.
    Mcp,
    /// None: the server looks for itself, so that it can tell clients what changed.
    Own,
}

/// Which form of the answer the caller will show; a tool may read less for the shorter one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Text for a reader, within a budget.
    Text,
    /// Data with everything.
    Data,
}

/// Something a tool says before it is done.
#[derive(Debug)]
pub struct Said {
    /// For programs.
    pub data: Value,
    /// For people.
    pub page: Page,
    /// How far the work has come, and how far it goes where that is known; only progress has it.
    pub step: Option<(f64, Option<f64>)>,
    /// How much it matters.
    pub weight: Weight,
}

/// How much something said on the way matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// A part of the answer.
    News,
    /// Progress: nothing is lost by whoever does not hear it.
    Progress,
    /// Something the caller should know.
    Warning,
    /// A record of a call that changed something.
    Record,
    /// A record of a call that was not let through.
    Alarm,
}

impl Said {
    /// A part of the answer.
    pub fn news(data: Value, page: Page) -> Self {
        Self { data, page, step: None, weight: Weight::News }
    }

    /// How far the work has come, in words.
    pub fn progress(done: f64, total: Option<f64>, words: impl Into<String>) -> Self {
        Self { step: Some((done, total)), ..Self::words(words.into(), Weight::Progress) }
    }

    /// Something the caller should know.
    pub fn warning(words: impl Into<String>) -> Self {
        Self::words(words.into(), Weight::Warning)
    }

    /// A record of a call.
    pub fn record(data: Value, weight: Weight) -> Self {
        Self { data, page: Page::default(), step: None, weight }
    }

    fn words(words: String, weight: Weight) -> Self {
        let page = Page::default().line(crate::Line::new().with(crate::Style::Plain, &words));
        Self { data: Value::from(words), page, step: None, weight }
    }
}

/// Takes what is said of a call beside its answer, also after it.
#[derive(Clone)]
pub struct Sink {
    hears: Hears,
    take: Arc<dyn Fn(Said) -> bool + Send + Sync>,
}

/// What somebody wants to hear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hears {
    /// How far things have come, and what came of them.
    Everything,
    /// What came of them.
    Ends,
}

impl Sink {
    /// One that hands on what is said; `take` answers whether anybody still listens.
    pub fn new(hears: Hears, take: impl Fn(Said) -> bool + Send + Sync + 'static) -> Self {
        Self { hears, take: Arc::new(take) }
    }

    /// What it wants to hear; it need not be told anything else.
    pub fn hears(&self) -> Hears {
        self.hears
    }

    /// Says something; answers whether anybody still listens.
    pub fn say(&self, said: Said) -> bool {
        (self.take)(said)
    }
}

/// How long a call stays with what goes on in the background.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pace {
    /// As the tool is declared: an answer at once, or at the end.
    #[default]
    AsDeclared,
    /// To the end: nobody could be told of it later.
    ToTheEnd,
}

/// How commands are run for a call.
#[derive(Debug, Clone, Copy)]
pub struct Commands<'a> {
    /// Opens workshops.
    pub shop: &'a Shop,
    /// What of the network its caller may reach where nothing else is set.
    pub network: &'a Network,
}

/// The surroundings of one call.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The desktop it works on.
    pub desktop: &'a Desktop,
    /// Where refs are kept between calls.
    pub refs: &'a Path,
    /// What is remembered between calls.
    pub memory: &'a Memory,
    /// The moment by which the call has answered; all its looks share it.
    pub by: Deadline,
    /// The form the caller wants.
    pub form: Form,
    /// Takes what the tool says on the way; answers whether anybody still listens.
    pub listener: &'a (dyn Fn(Said) -> bool + Sync),
    /// Takes what is said after the call was answered, where somebody would hear it.
    pub afterwards: Option<&'a Sink>,
    /// How long the call stays with what goes on in the background.
    pub pace: Pace,
    /// Whether the caller still waits; whatever waits or repeats looks at it.
    pub stop: &'a Stop,
    /// Asks the person behind the call; only before anything was sent.
    pub ask: &'a dyn Ask,
    /// How commands are run, where they are.
    pub commands: Option<Commands<'a>>,
    /// What the caller has set up before.
    pub session: &'a Session,
    /// Through which door the call came.
    pub door: Door,
    /// Decides what can be decided only while the tool runs.
    pub warden: &'a dyn Warden,
    /// Counts the texts that were left out because nobody could see them.
    pub unseen: &'a Unseen,
}

impl Context<'_> {
    /// Where the caller's commands run; opened at the first one.
    ///
    /// # Errors
    ///
    /// When none are run here, nothing says what they are held to, or the kernel cannot hold them.
    pub fn workshop(&self) -> Result<Arc<Workshop>> {
        let Commands { shop, network } = self.commands.ok_or(Error::NoCommands)?;
        let scope = shop.scope().or_else(|| self.session.scope());
        let scope =
            scope.ok_or_else(|| Error::NoScope { refused: self.session.refused_scope() })?;
        let network = shop.network().unwrap_or(network);
        self.session.workshop(network, || Ok(shop.open(scope, network.clone())?))
    }
}
