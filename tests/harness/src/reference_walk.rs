//! The independent reader: `tests/apps/plain_walk.py`, which shares nothing with Deskhand's own.

use std::collections::HashMap;
use std::process::Command;

use serde::Deserialize;

use crate::{Outcome, TestDesktop, app::fixtures};

/// One element as the plain walk read it.
#[derive(Debug, Clone, Deserialize)]
pub struct ReferenceNode {
    /// The bus name of its app.
    pub bus: String,
    /// Its object path.
    pub path: String,
    /// The object path of its parent.
    pub parent_path: Option<String>,
    /// Its AT-SPI role number.
    pub role: u32,
    /// Its name.
    pub name: String,
    /// The two words of its state set.
    pub states: Vec<u32>,
    /// Left, top, width and height on the screen, as the app tells them.
    pub extents: Option<Vec<i32>>,
    /// How many children the app says it has.
    pub child_count: i64,
}

impl ReferenceNode {
    /// The name it has in Deskhand's JSON.
    pub fn id(&self) -> String {
        format!("{}{}", self.bus, self.path)
    }
}

/// Every element of an app by id.
pub type ReferenceTree = HashMap<String, ReferenceNode>;

impl TestDesktop {
    /// Walks the tree of an app plainly, one call at a time.
    pub fn plain_walk(&self, pid: u32) -> ReferenceTree {
        let mut command = Command::new("/usr/bin/python3");
        command.arg(fixtures().join("plain_walk.py")).args(["--pid", &pid.to_string()]);
        let outcome = Outcome::of(self.info().apply(&mut command));
        outcome.expect_ok();
        let text = outcome.text();
        let nodes = text.lines().map(|line| {
            let node: ReferenceNode = serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"));
            (node.id(), node)
        });
        nodes.collect()
    }
}
