//! The JSON of `deskhand tree --format json --flat` as Rust types.

use std::collections::HashMap;

use serde::Deserialize;

/// A rectangle on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct Bounds {
    /// The left edge.
    pub x: i32,
    /// The top edge.
    pub y: i32,
    /// The width in pixels.
    pub width: i32,
    /// The height in pixels.
    pub height: i32,
}

impl Bounds {
    /// Returns the center.
    pub fn centre(self) -> (i32, i32) {
        (self.x + self.width / 2, self.y + self.height / 2)
    }

    /// Returns `true` if a point lies inside.
    pub fn contains(self, (x, y): (i32, i32)) -> bool {
        (self.x..self.x + self.width).contains(&x) && (self.y..self.y + self.height).contains(&y)
    }
}

/// One accessible element.
#[derive(Debug, Clone, Deserialize)]
pub struct Element {
    /// The ref, such as `e12`.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The bus name and object path.
    pub id: String,
    /// The role in macOS spelling, such as `AXButton`.
    pub role: String,
    /// The role in short spelling, such as `button`.
    pub kind: String,
    /// The title.
    #[serde(default)]
    pub title: String,
    /// The value.
    pub value: Option<serde_json::Value>,
    /// `true` if the element holds a secret, such as a password field.
    #[serde(default)]
    pub secret: bool,
    /// The current states.
    pub states: Vec<String>,
    /// The screen rectangle, if known.
    pub bounds: Option<Bounds>,
    /// The number of children, as reported by the app.
    pub child_count: u64,
    /// The reason why some children are missing.
    pub cut: Option<String>,
    /// The ref of the parent.
    pub parent: Option<String>,
    /// The depth in the tree.
    pub depth: usize,
}

impl Element {
    /// Returns `true` if the element has a state.
    pub fn is(&self, state: &str) -> bool {
        self.states.iter().any(|one| one == state)
    }
}

/// A notice about the whole read.
#[derive(Debug, Clone, Deserialize)]
pub struct Notice {
    /// The stable code.
    pub code: String,
    /// The message.
    pub message: String,
}

/// One read of a tree.
#[derive(Debug, Clone, Deserialize)]
pub struct Tree {
    /// All elements, in document order.
    pub elements: Vec<Element>,
    /// A notice about the whole read.
    pub notices: Vec<Notice>,
}

impl Tree {
    /// Returns the first element with this kind and title. Panics if there is none.
    pub fn named(&self, kind: &str, title: &str) -> &Element {
        self.find(|one| one.kind == kind && one.title == title)
            .unwrap_or_else(|| panic!("no {kind} {title:?} in {}", self.summary()))
    }

    /// Returns the first element that satisfies a predicate.
    pub fn find(&self, predicate: impl Fn(&Element) -> bool) -> Option<&Element> {
        self.elements.iter().find(|one| predicate(one))
    }

    /// Returns the elements by id.
    pub fn by_id(&self) -> HashMap<&str, &Element> {
        self.elements.iter().map(|one| (one.id.as_str(), one)).collect()
    }

    /// Returns the children of an element.
    pub fn children<'a>(&'a self, of: &'a Element) -> impl Iterator<Item = &'a Element> {
        self.elements.iter().filter(|one| one.parent.as_deref() == Some(of.reference.as_str()))
    }

    /// Returns the notice with this code.
    pub fn notice(&self, code: &str) -> Option<&Notice> {
        self.notices.iter().find(|notice| notice.code == code)
    }

    /// Describes the first 150 named elements, for messages.
    pub fn summary(&self) -> String {
        let named = self.elements.iter().filter(|one| !one.title.is_empty());
        let named: Vec<String> =
            named.take(150).map(|one| format!("{} {:?}", one.kind, one.title)).collect();
        format!("{} elements: {}", self.elements.len(), named.join(", "))
    }
}
