//! One element of an app, copied out of it.

use std::{fmt, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::{Rect, Role, States};

/// How a backend knows an element: stable for the element's life, opaque to everyone else.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NodeId(Arc<str>);

impl NodeId {
    /// Wraps a backend's own name for an element.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self(name.into())
    }

    /// The backend's own name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl schemars::JsonSchema for NodeId {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "NodeId".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        String::json_schema(generator)
    }
}

/// What an element holds, beside its name.
#[derive(Debug, Clone)]
pub enum Value {
    /// Text: its beginning, and how many characters there are in all.
    Text {
        /// The text, or as much of its beginning as was read.
        text: String,
        /// The length of the whole, in characters.
        length: usize,
    },
    /// A number within a range.
    Number {
        /// The number now.
        now: f64,
        /// The least it can be.
        min: f64,
        /// The most it can be.
        max: f64,
        /// The smallest step, 0 when the app does not say.
        step: f64,
    },
    /// A secret: it is there, and it is never read.
    Secret,
}

impl PartialEq for Value {
    // Apps do report NaN (a progress bar that does not know): such a value is the same as itself,
    // or a tree with one would differ from its own copy.
    fn eq(&self, other: &Self) -> bool {
        let same = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
        match (self, other) {
            (Self::Text { text, length }, Self::Text { text: other, length: whole }) => {
                length == whole && text == other
            }
            (
                Self::Number { now, min, max, step },
                Self::Number { now: n, min: low, max: high, step: by },
            ) => same(*now, *n) && same(*min, *low) && same(*max, *high) && same(*step, *by),
            (Self::Secret, Self::Secret) => true,
            (Self::Text { .. } | Self::Number { .. } | Self::Secret, _) => false,
        }
    }
}

/// How one element points at others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RelationKind {
    /// The targets name this element.
    LabelledBy,
    /// This element names the targets.
    LabelFor,
    /// The targets act on this element.
    ControlledBy,
    /// This element acts on the targets.
    ControllerFor,
    /// The targets explain this element.
    DescribedBy,
    /// This element explains the targets.
    DescriptionFor,
    /// The elements form one group, such as radio buttons.
    MemberOf,
    /// A pop-up that belongs to the targets.
    PopupFor,
    /// The reading order continues at the targets.
    FlowsTo,
    /// The reading order comes from the targets.
    FlowsFrom,
    /// The targets are its parents in a tree that the element order does not show.
    ChildOf,
    /// The targets are its children in a tree that the element order does not show.
    ParentOf,
    /// The targets hold more about this element.
    Details,
    /// The targets say what is wrong with this element.
    ErrorMessage,
    /// This element embeds the targets.
    Embeds,
    /// This element is embedded in the targets.
    EmbeddedBy,
    /// Anything else the platform reports.
    Other,
}

impl RelationKind {
    /// The word JSON and outlines use.
    pub fn word(self) -> &'static str {
        match self {
            Self::LabelledBy => "labelled_by",
            Self::LabelFor => "label_for",
            Self::ControlledBy => "controlled_by",
            Self::ControllerFor => "controller_for",
            Self::DescribedBy => "described_by",
            Self::DescriptionFor => "description_for",
            Self::MemberOf => "member_of",
            Self::PopupFor => "popup_for",
            Self::FlowsTo => "flows_to",
            Self::FlowsFrom => "flows_from",
            Self::ChildOf => "child_of",
            Self::ParentOf => "parent_of",
            Self::Details => "details",
            Self::ErrorMessage => "error_message",
            Self::Embeds => "embeds",
            Self::EmbeddedBy => "embedded_by",
            Self::Other => "other",
        }
    }
}

/// One relation of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation {
    /// How it points.
    pub kind: RelationKind,
    /// At what.
    pub targets: Vec<NodeId>,
}

/// Why the elements below a node were not all read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cut {
    /// Deeper than was asked for.
    Depth,
    /// More children than are read at once; the first ones are there.
    Many,
    /// The look already held as many elements as it may.
    Budget,
    /// The deadline came first.
    Deadline,
    /// The app did not answer for this element.
    Silent,
    /// The element vanished while it was read.
    Gone,
}

impl Cut {
    /// The word JSON and outlines use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Depth => "depth",
            Self::Many => "many",
            Self::Budget => "budget",
            Self::Deadline => "deadline",
            Self::Silent => "silent",
            Self::Gone => "gone",
        }
    }
}

/// One element, as it was when it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// How its backend knows it.
    pub id: NodeId,
    /// What kind of element it is.
    pub role: Role,
    /// What it is called; empty when it has no name.
    pub name: String,
    /// What it holds, when it holds something and that was read.
    pub value: Option<Value>,
    /// The longer explanation some elements have.
    pub description: String,
    /// The name its programmer gave it; empty when there is none or it was not asked for.
    pub identifier: String,
    /// What condition it is in.
    pub states: States,
    /// Where it is; `None` when it has no place or that was not asked for.
    pub bounds: Option<Rect>,
    /// What can be done to it, in the platform's own words.
    pub actions: Vec<String>,
    /// How it points at other elements.
    pub relations: Vec<Relation>,
    /// How many children the app says it has, which may be more than were read.
    pub child_count: u32,
    /// Why its children were not all read, when they were not.
    pub cut: Option<Cut>,
}

impl Node {
    /// An element with nothing but an identity and a kind.
    pub fn new(id: NodeId, role: Role) -> Self {
        Self {
            id,
            role,
            name: String::new(),
            value: None,
            description: String::new(),
            identifier: String::new(),
            states: States::NONE,
            bounds: None,
            actions: Vec::new(),
            relations: Vec::new(),
            child_count: 0,
            cut: None,
        }
    }

    /// The text it holds, when it holds text that may be shown.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Some(Value::Text { text, .. }) => Some(text),
            Some(Value::Number { .. } | Value::Secret) | None => None,
        }
    }
}
