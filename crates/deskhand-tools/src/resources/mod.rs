//! The views behind the server's MCP resources. They only read, and callers do not use them by
//! name.

pub(crate) mod app;
pub(crate) mod apps;
pub(crate) mod clipboard;
pub(crate) mod elements;
pub(crate) mod names;
pub(crate) mod state;
pub(crate) mod status;
pub(crate) mod tree;

mod page;

use crate::{Entry, Page, Shown};

/// Returns all tools of this vocabulary.
pub(crate) fn all() -> Vec<Entry> {
    vec![
        Entry::of::<app::App>(),
        Entry::of::<apps::Apps>(),
        Entry::of::<clipboard::Clipboard>(),
        Entry::of::<elements::Elements>(),
        Entry::of::<names::Names>(),
        Entry::of::<state::State>(),
        Entry::of::<status::Status>(),
        Entry::of::<tree::Tree>(),
    ]
}

macro_rules! only_data {
    ($($answer:ty),*) => {
        $(impl Shown for $answer {
            fn page(&self) -> Page {
                Page::default()
            }
        })*
    };
}

only_data!(
    app::Known,
    apps::Running,
    clipboard::Copied,
    elements::Named,
    names::Called,
    state::Seen,
    status::Standing,
    tree::Grown
);
