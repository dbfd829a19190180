//! What runs in the background: a job, the operation it becomes, and how that ends.

mod job;

pub use job::{Job, Skip, Step, Work};
