//! The one way every call takes, whichever door it came through: found in the catalogue, decoded,
//! run, and answered for.

mod call;
mod catalogue;
mod clock;
mod consent;
mod failure;
mod reply;
mod session;

pub use call::{Call, Engine, Surroundings};
pub use catalogue::Catalogue;
pub use clock::Cost;
pub use deskhand_model::{App, AppId, Delivery, Event, EventKind};
pub use deskhand_platform::{Changes, Events};
pub use deskhand_tools::{
    Answer, Ask, Asked, Block, Choice, Connection, Door, Effect, Entry, Field, Form, Hints, How,
    Image, Instance, Line, Need, Nobody, Offer, Page, Question, Said, Session, Span, Spec, Stop,
    Style, Takes, TaskSupport, Toolset, Weight, questions, talk,
};
pub use failure::Failure;
pub use reply::{Pause, Reply, Stopped};
pub use session::SessionKey;
