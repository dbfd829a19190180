//! The one way every call takes, whichever door it came through: found in the catalogue, decoded,
//! run, and answered for.

mod afterwards;
pub mod approvals;
mod asking;
mod call;
mod catalogue;
mod clock;
mod consent;
mod content;
mod failure;
mod gate;
pub mod halt;
pub mod journal;
mod limits;
mod policy;
mod records;
mod reply;
mod session;
mod spot;

pub use approvals::Approvals;
pub use call::{Call, Engine, Surroundings};
pub use catalogue::Catalogue;
pub use clock::Cost;
pub use deskhand_model::{App, AppId, Delivery, Event, EventKind};
pub use deskhand_platform::{Changes, Events};
pub use deskhand_run as run;
pub use deskhand_tools::{
    Answer, Ask, Asked, Asks, Block, Choice, Connection, Door, Effect, Entry, Field, Form, Hears,
    Hints, How, Image, Instance, Line, Made, Need, Nobody, Offer, Pace, Page, Question, Said,
    Session, Sink, Span, Spec, Stop, Style, Takes, TaskSupport, Toolset, Warning, Weight, defined,
    keys, questions, talk,
};
pub use failure::Failure;
pub use gate::Gate;
pub use halt::{Halt, Halted};
pub use journal::Journal;
pub use limits::{Exceeded, Limit, Limits, Rates, Turn};
pub use policy::{AppRules, Confirm, Forbidden, Mode, Policy, RulesError, Touch};
pub use reply::{Pause, Reply, Stopped};
pub use session::SessionKey;
pub use spot::Spot;
