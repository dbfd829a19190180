//! What runs in the background: a job, the operation it becomes, and how that ends.

mod bell;
mod handle;
mod job;
mod line;
mod news;
mod run;
mod state;

pub(crate) use bell::{Bell, Heard};
pub use handle::{Cancelled, Operation};
pub use job::{Job, Skip, Step, Work};
pub(crate) use line::{Line, Room, Seat};
pub(crate) use run::run;
pub use state::{Ended, Event, Listener, News, Outcome, State, StepReport, Summary};
