//! Every tool there is, one line each.

use crate::{Entry, look};

/// All tools, in the order people meet them.
pub fn all() -> Vec<Entry> {
    vec![
        Entry::of::<look::apps::Apps>(),
        Entry::of::<look::windows::Windows>(),
        Entry::of::<look::tree::Tree>(),
        Entry::of::<look::find::Find>(),
        Entry::of::<look::attributes::Attributes>(),
        Entry::of::<look::watch::Watch>(),
    ]
}
