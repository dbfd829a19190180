//! Data types shared by every crate: apps, elements, roles, states, snapshots and diffs.
//!
//! This crate holds plain data and pure functions. It does no I/O, is not async and contains no
//! platform code.

mod advice;
mod app;
pub mod blank_area;
pub mod clean;
pub mod diff;
mod event;
mod explain;
pub mod hidden;
pub mod json;
pub mod name;
mod node;
pub mod outline;
mod rect;
mod role;
pub mod secret;
mod snapshot;
mod state;
pub mod suggest;
#[cfg(test)]
mod testing;
mod text_position;
pub mod visibility;

pub use advice::{Advice, Part, Step};
pub use app::{App, AppId, Toolkit, Window};
pub use clean::Flag;
pub use diff::Diff;
pub use event::{Event, EventKind};
pub use explain::{Delivery, Explain};
pub use name::{AccessibleName, NameSource, Names};
pub use node::{Cut, Node, NodeId, Relation, RelationKind, Value};
pub use outline::Outline;
pub use rect::Rect;
pub use role::{Role, UnknownRole};
pub use snapshot::{Index, Notice, Snapshot};
pub use state::{State, States};
pub use text_position::TextPosition;
pub use visibility::{ScreenVisibility, Visibility};
