//! What `deskhand tree --format json --flat` saw, as values.

use std::collections::HashMap;

use serde::Deserialize;

/// A place on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct Bounds {
    /// The left edge.
    pub x: i32,
    /// The top edge.
    pub y: i32,
    /// Pixels from left to right.
    pub width: i32,
    /// Pixels from top to bottom.
    pub height: i32,
}

impl Bounds {
    /// The point in the middle.
    pub fn centre(self) -> (i32, i32) {
        (self.x + self.width / 2, self.y + self.height / 2)
    }

    /// Whether a point lies inside.
    pub fn contains(self, (x, y): (i32, i32)) -> bool {
        (self.x..self.x + self.width).contains(&x) && (self.y..self.y + self.height).contains(&y)
    }
}

/// One element.
#[derive(Debug, Clone, Deserialize)]
pub struct Element {
    /// Its ref, such as `e12`.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Its bus name and object path.
    pub id: String,
    /// Its role in the macOS spelling.
    pub role: String,
    /// Its role in the short spelling.
    pub kind: String,
    /// What it is called.
    #[serde(default)]
    pub title: String,
    /// What it holds.
    pub value: Option<serde_json::Value>,
    /// Whether it holds a secret.
    #[serde(default)]
    pub secret: bool,
    /// The states it is in.
    pub states: Vec<String>,
    /// Where it is.
    pub bounds: Option<Bounds>,
    /// How many children the app says it has.
    pub child_count: u64,
    /// Why its children are not all there.
    pub cut: Option<String>,
    /// The ref of its parent.
    pub parent: Option<String>,
    /// How deep it lies.
    pub depth: usize,
}

impl Element {
    /// Whether it is in a state.
    pub fn is(&self, state: &str) -> bool {
        self.states.iter().any(|one| one == state)
    }
}

/// What the look as a whole had to say.
#[derive(Debug, Clone, Deserialize)]
pub struct Notice {
    /// Its stable word.
    pub code: String,
    /// The sentence.
    pub message: String,
}

/// One look.
#[derive(Debug, Clone, Deserialize)]
pub struct Tree {
    /// Every element, in document order.
    pub elements: Vec<Element>,
    /// What the look as a whole had to say.
    pub notices: Vec<Notice>,
}

impl Tree {
    /// The first element of a kind with this title.
    pub fn named(&self, kind: &str, title: &str) -> &Element {
        self.find(|one| one.kind == kind && one.title == title)
            .unwrap_or_else(|| panic!("no {kind} {title:?} in {}", self.summary()))
    }

    /// The first element that fits.
    pub fn find(&self, predicate: impl Fn(&Element) -> bool) -> Option<&Element> {
        self.elements.iter().find(|one| predicate(one))
    }

    /// Elements by their id.
    pub fn by_id(&self) -> HashMap<&str, &Element> {
        self.elements.iter().map(|one| (one.id.as_str(), one)).collect()
    }

    /// The children of an element.
    pub fn children<'a>(&'a self, of: &'a Element) -> impl Iterator<Item = &'a Element> {
        self.elements.iter().filter(|one| one.parent.as_deref() == Some(of.reference.as_str()))
    }

    /// Whether there is a notice of this code.
    pub fn notice(&self, code: &str) -> Option<&Notice> {
        self.notices.iter().find(|notice| notice.code == code)
    }

    /// The elements with names, for messages.
    pub fn summary(&self) -> String {
        let named = self.elements.iter().filter(|one| !one.title.is_empty());
        let named: Vec<String> =
            named.take(150).map(|one| format!("{} {:?}", one.kind, one.title)).collect();
        format!("{} elements: {}", self.elements.len(), named.join(", "))
    }
}
