//! One element of an app's tree.

use std::{fmt, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::{Rect, Role, States};

/// A backend's identifier for an element. It stays the same while the element exists, and only the
/// backend can interpret it.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NodeId(Arc<str>);

impl NodeId {
    /// Wraps a backend's identifier.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self(name.into())
    }

    /// Returns the backend's identifier.
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

/// The content of an element, in addition to its name.
#[derive(Debug, Clone)]
pub enum Value {
    /// Text: the part that was read, and the length of all of it.
    Text {
        /// The text, or the beginning of a long text.
        text: String,
        /// The length of the whole text, in characters.
        length: usize,
    },
    /// A number within a range.
    Number {
        /// The current number.
        now: f64,
        /// The minimum.
        min: f64,
        /// The maximum.
        max: f64,
        /// The smallest step; 0 if the app does not report one.
        step: f64,
    },
    /// A secret, such as a password. Its content is never read.
    Secret,
}

impl PartialEq for Value {
    // Apps report NaN, for example for a progress bar without a known value. NaN must equal NaN
    // here, or a tree would differ from its own copy.
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

/// The kind of a relation between elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RelationKind {
    /// The targets label this element.
    LabelledBy,
    /// This element labels the targets.
    LabelFor,
    /// The targets control this element.
    ControlledBy,
    /// This element controls the targets.
    ControllerFor,
    /// The targets describe this element.
    DescribedBy,
    /// This element describes the targets.
    DescriptionFor,
    /// The elements form one group, such as radio buttons.
    MemberOf,
    /// This element is a pop-up that belongs to the targets.
    PopupFor,
    /// The reading order continues at the targets.
    FlowsTo,
    /// The reading order comes from the targets.
    FlowsFrom,
    /// The targets are the element's parents in a hierarchy that differs from the tree.
    ChildOf,
    /// The targets are the element's children in a hierarchy that differs from the tree.
    ParentOf,
    /// The targets hold more details about this element.
    Details,
    /// The targets hold the error message for this element.
    ErrorMessage,
    /// This element embeds the targets.
    Embeds,
    /// This element is embedded in the targets.
    EmbeddedBy,
    /// Any other relation the platform reports.
    Other,
}

impl RelationKind {
    /// Returns the name used in JSON and outlines.
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

/// A relation from one element to others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation {
    /// The kind of the relation.
    pub kind: RelationKind,
    /// The elements the relation points to.
    pub targets: Vec<NodeId>,
}

/// The reason why the elements below a node were not all read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cut {
    /// They are deeper than the requested depth.
    Depth,
    /// There are more children than one read takes; the first ones were read.
    Many,
    /// The snapshot reached its maximum number of elements.
    Budget,
    /// The deadline passed.
    Deadline,
    /// The app did not answer for this element.
    Silent,
    /// The element disappeared while it was being read.
    Gone,
}

impl Cut {
    /// Returns the name used in JSON and outlines.
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
    /// The backend's identifier for the element.
    pub id: NodeId,
    /// The kind of the element.
    pub role: Role,
    /// The name; empty if the element has none.
    pub name: String,
    /// The content, if the element has some and it was read.
    pub value: Option<Value>,
    /// A longer description; empty for most elements.
    pub description: String,
    /// The text that an empty field shows; empty if there is none or it was not read.
    pub placeholder: String,
    /// The identifier set by the app's developer; empty if there is none or it was not requested.
    pub identifier: String,
    /// The states the element is in.
    pub states: States,
    /// The position and size on the screen; `None` if unknown or not requested.
    pub bounds: Option<Rect>,
    /// The actions the element supports, by their platform names.
    pub actions: Vec<String>,
    /// The relations to other elements.
    pub relations: Vec<Relation>,
    /// The number of children the app reports. It may be higher than the number that was read.
    pub child_count: u32,
    /// The reason why the children were not all read; `None` if they were.
    pub cut: Option<Cut>,
}

impl Node {
    /// Creates an element that has only an id and a role.
    pub fn new(id: NodeId, role: Role) -> Self {
        Self {
            id,
            role,
            name: String::new(),
            value: None,
            description: String::new(),
            placeholder: String::new(),
            identifier: String::new(),
            states: States::NONE,
            bounds: None,
            actions: Vec::new(),
            relations: Vec::new(),
            child_count: 0,
            cut: None,
        }
    }

    /// Returns the text content, if there is any and it is not secret.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Some(Value::Text { text, .. }) => Some(text),
            Some(Value::Number { .. } | Value::Secret) | None => None,
        }
    }
}
