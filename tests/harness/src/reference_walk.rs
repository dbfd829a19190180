//! An independent reader of accessibility trees: `tests/apps/plain_walk.py`. It shares no code with
//! Deskhand.

use std::collections::HashMap;
use std::process::Command;

use serde::Deserialize;

use crate::{Outcome, TestDesktop, app::fixtures};

/// One element as the independent reader reports it.
#[derive(Debug, Clone, Deserialize)]
pub struct ReferenceNode {
    /// The D-Bus name of the app.
    pub bus: String,
    /// The D-Bus object path.
    pub path: String,
    /// The object path of the parent.
    pub parent_path: Option<String>,
    /// The AT-SPI role number.
    pub role: u32,
    /// The accessible name.
    pub name: String,
    /// The two 32-bit words of the AT-SPI state set.
    pub states: Vec<u32>,
    /// Left, top, width and height on the screen, as reported by the app.
    pub extents: Option<Vec<i32>>,
    /// The number of children, as reported by the app.
    pub child_count: i64,
}

impl ReferenceNode {
    /// Returns the id of this element in Deskhand's JSON.
    pub fn id(&self) -> String {
        format!("{}{}", self.bus, self.path)
    }
}

/// Every element of an app, by id.
pub type ReferenceTree = HashMap<String, ReferenceNode>;

impl TestDesktop {
    /// Reads the tree of an app with the independent reader, one D-Bus call at a time.
    pub fn plain_walk(&self, pid: u32) -> ReferenceTree {
        let mut command = Command::new("/usr/bin/python3");
        command.arg(fixtures().join("plain_walk.py")).args(["--pid", &pid.to_string()]);
        let outcome = Outcome::of(self.info().apply(&mut command));
        outcome.expect_ok();
        let text = outcome.text();
        let nodes = text.lines().map(|line| {
            let node: ReferenceNode =
                serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"));
            (node.id(), node)
        });
        nodes.collect()
    }
}
