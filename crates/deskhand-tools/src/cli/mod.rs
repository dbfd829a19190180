//! Command-line tools: the shell, what runs in the background, and what files declare.

mod r#await;
mod cancel;
pub(crate) mod command;
mod defined;
mod operation_output;
mod shell;
mod status;
mod terminal;
pub(crate) mod told;

pub use defined::defined;

use crate::Entry;

/// The tools of the set.
pub(crate) fn all() -> Vec<Entry> {
    let mut all = vec![
        Entry::of::<shell::Shell>(),
        Entry::of::<r#await::Await>(),
        Entry::of::<status::Status>(),
        Entry::of::<cancel::Cancel>(),
        Entry::of::<operation_output::Output>(),
    ];
    all.extend(terminal::all());
    all
}
