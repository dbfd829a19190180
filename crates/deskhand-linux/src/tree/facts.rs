//! The facts that AT-SPI provides about an element: how to request each, and how to parse its
//! reply.

use std::collections::HashMap;

use deskhand_model::{Rect, Relation, RelationKind, Role, Value};
use zbus::{Message, OwnedVariant};

use super::{
    atspi,
    dbus::{CallError, Peer, body, method_call},
    partial_node::PartialNode,
};

/// Maximum number of characters of a text in a snapshot. Its full length is always reported.
pub(crate) const MAX_TEXT_CHARS: i64 = 2_000;

/// One fact about an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fact {
    /// Name, description, identifier and number of children in one request.
    Summary,
    Role,
    Name,
    States,
    ChildCount,
    Children,
    Child(i32),
    Columns,
    Extents,
    /// The extents relative to the window's corner.
    WindowExtents,
    TextLength,
    Text(i32),
    /// The first character as drawn.
    DrawnCharacter,
    /// The first character as stored.
    StoredCharacter,
    /// The attributes that may show that the text is a secret.
    SecretHint,
    NumberNow,
    NumberMin,
    NumberMax,
    NumberStep,
    Identifier,
    Attributes,
    /// The attribute with the text that an empty field shows.
    Placeholder,
    Description,
    Actions,
    ActionName(i32),
    Relations,
}

/// The facts to know about an element before any other is requested.
pub(crate) const BASICS: &[Fact] = &[Fact::Role, Fact::Name, Fact::States, Fact::ChildCount];

/// The same facts in fewer requests, for toolkits that support `GetAll`.
pub(crate) const COMBINED_BASICS: &[Fact] = &[Fact::Summary, Fact::Role, Fact::States];

/// The facts that make up a number within a range.
pub(crate) const NUMBER_FACTS: &[Fact] =
    &[Fact::NumberNow, Fact::NumberMin, Fact::NumberMax, Fact::NumberStep];

impl Fact {
    /// Builds the call that requests this fact.
    pub(crate) fn request(self, peer: &Peer, path: &str) -> Result<Message, CallError> {
        let accessible = |method| method_call(peer, path, atspi::ACCESSIBLE, method, &());
        let value = |property| atspi::property_call(peer, path, atspi::VALUE, property);
        match self {
            Self::Summary => {
                method_call(peer, path, atspi::PROPERTIES, "GetAll", &atspi::ACCESSIBLE)
            }
            Self::Role => accessible("GetRole"),
            Self::Name => atspi::property_call(peer, path, atspi::ACCESSIBLE, "Name"),
            Self::States => accessible("GetState"),
            Self::ChildCount => atspi::property_call(peer, path, atspi::ACCESSIBLE, "ChildCount"),
            Self::Children => accessible("GetChildren"),
            Self::Child(index) => {
                method_call(peer, path, atspi::ACCESSIBLE, "GetChildAtIndex", &index)
            }
            Self::Columns => atspi::property_call(peer, path, atspi::TABLE, "NColumns"),
            // 0 means screen coordinates; Qt's window coordinates are wrong.
            Self::Extents => method_call(peer, path, atspi::COMPONENT, "GetExtents", &0_u32),
            Self::WindowExtents => method_call(peer, path, atspi::COMPONENT, "GetExtents", &1_u32),
            Self::TextLength => atspi::property_call(peer, path, atspi::TEXT, "CharacterCount"),
            // GTK 4.8 returns an empty text for (0, -1), so the end is always explicit.
            Self::Text(end) => method_call(peer, path, atspi::TEXT, "GetText", &(0_i32, end)),
            // 0 is the granularity of one character.
            Self::DrawnCharacter => {
                method_call(peer, path, atspi::TEXT, "GetStringAtOffset", &(0_i32, 0_u32))
            }
            Self::StoredCharacter => {
                method_call(peer, path, atspi::TEXT, "GetCharacterAtOffset", &0_i32)
            }
            Self::NumberNow => value("CurrentValue"),
            Self::NumberMin => value("MinimumValue"),
            Self::NumberMax => value("MaximumValue"),
            Self::NumberStep => value("MinimumIncrement"),
            Self::Identifier => atspi::property_call(peer, path, atspi::ACCESSIBLE, "AccessibleId"),
            Self::Attributes | Self::SecretHint | Self::Placeholder => accessible("GetAttributes"),
            Self::Description => atspi::property_call(peer, path, atspi::ACCESSIBLE, "Description"),
            Self::Actions => method_call(peer, path, atspi::ACTION, "GetActions", &()),
            Self::ActionName(index) => method_call(peer, path, atspi::ACTION, "GetName", &index),
            Self::Relations => accessible("GetRelationSet"),
        }
    }

    /// Returns the fact for the beginning of a text of this length, up to `MAX_TEXT_CHARS`.
    pub(crate) fn text_up_to(length: i64) -> Self {
        Self::Text(length.min(MAX_TEXT_CHARS) as i32)
    }

    /// Returns `true` if other facts are requested only after this one.
    pub(crate) fn is_basic(self) -> bool {
        BASICS.contains(&self) || COMBINED_BASICS.contains(&self)
    }

    /// Returns `true` if the reply names other elements.
    pub(crate) fn leads_to_children(self) -> bool {
        matches!(self, Self::Children | Self::Child(_) | Self::Columns)
    }
}

/// Stores the reply to a request in the element.
pub(crate) fn store(node: &mut PartialNode, fact: Fact, message: &Message) {
    match fact {
        Fact::Summary => store_summary(node, message),
        Fact::Role => node.role_number = body(message).unwrap_or(0),
        Fact::Name => node.name = text(message).unwrap_or_default(),
        Fact::States => node.set_states(&body::<Vec<u32>>(message).unwrap_or_default()),
        Fact::ChildCount => {
            node.child_count = integer(message).unwrap_or(0).clamp(0, i32::MAX.into()) as i32;
        }
        Fact::Extents | Fact::WindowExtents => node.bounds = extents(message),
        Fact::Text(_) => {
            if let (Some(Value::Text { text, .. }), Ok(content)) = (&mut node.value, body(message))
            {
                *text = content;
            }
        }
        Fact::NumberNow | Fact::NumberMin | Fact::NumberMax | Fact::NumberStep => {
            store_number(node, fact, message);
        }
        Fact::Identifier => {
            if let Some(id) = text(message).filter(|id| !id.is_empty()) {
                node.identifier = id;
            }
        }
        Fact::Attributes => {
            let attributes: HashMap<String, String> = body(message).unwrap_or_default();
            // Browsers put the HTML `id` there and leave `AccessibleId` empty.
            if let Some(id) = attributes.get("id").filter(|_| node.identifier.is_empty()) {
                node.identifier.clone_from(id);
            }
        }
        Fact::Placeholder => {
            let mut attributes: HashMap<String, String> = body(message).unwrap_or_default();
            let text = ["placeholder-text", "placeholder"].map(|name| attributes.remove(name));
            node.placeholder = text.into_iter().flatten().next().unwrap_or_default();
        }
        Fact::Description => node.description = text(message).unwrap_or_default(),
        Fact::Actions => node.actions = actions(message),
        Fact::ActionName(index) => {
            let name: String = body(message).unwrap_or_default();
            let at = usize::try_from(index).unwrap_or(usize::MAX);
            if at == node.actions.len() && !name.is_empty() {
                node.actions.push(name);
            } else if let Some(slot) = node.actions.get_mut(at).filter(|_| !name.is_empty()) {
                *slot = name;
            }
        }
        Fact::Relations => node.relations = relations(message),
        Fact::Children
        | Fact::Child(_)
        | Fact::Columns
        | Fact::TextLength
        | Fact::DrawnCharacter
        | Fact::StoredCharacter
        | Fact::SecretHint => {}
    }
}

fn store_summary(node: &mut PartialNode, message: &Message) {
    let mut all: HashMap<String, OwnedVariant> = body(message).unwrap_or_default();
    let mut text = |name: &str| all.remove(name).and_then(|value| String::try_from(value).ok());
    node.name = text("Name").unwrap_or_default();
    node.description = text("Description").unwrap_or_default();
    node.identifier = text("AccessibleId").unwrap_or_default();
    let count = all.get("ChildCount").and_then(|value| i32::try_from(&**value).ok());
    node.child_count = count.unwrap_or(0).max(0);
}

fn store_number(node: &mut PartialNode, fact: Fact, message: &Message) {
    let Some(number) = number(message) else { return };
    let empty = Value::Number { now: 0.0, min: 0.0, max: 0.0, step: 0.0 };
    // Spin buttons have both a text and a number; the number is preferred.
    let value = match node.value.take() {
        Some(value @ Value::Number { .. }) => value,
        Some(Value::Text { .. } | Value::Secret) | None => empty,
    };
    node.value = Some(match (value, fact) {
        (Value::Number { min, max, step, .. }, Fact::NumberNow) => {
            Value::Number { now: number, min, max, step }
        }
        (Value::Number { now, max, step, .. }, Fact::NumberMin) => {
            Value::Number { now, min: number, max, step }
        }
        (Value::Number { now, min, step, .. }, Fact::NumberMax) => {
            Value::Number { now, min, max: number, step }
        }
        (Value::Number { now, min, max, .. }, Fact::NumberStep) => {
            Value::Number { now, min, max, step: number }
        }
        (other, _) => other,
    });
}

fn variant(message: &Message) -> Option<OwnedVariant> {
    body(message).ok()
}

/// Parses a property that is a string.
pub(crate) fn text(message: &Message) -> Option<String> {
    variant(message).and_then(|v| String::try_from(v).ok())
}

/// Parses a property that is an integer of any width.
pub(crate) fn integer(message: &Message) -> Option<i64> {
    let variant = variant(message)?;
    i32::try_from(&*variant)
        .map(i64::from)
        .or_else(|_| u32::try_from(&*variant).map(i64::from))
        .or_else(|_| i64::try_from(&*variant))
        .ok()
}

/// Parses a property that is a number.
pub(crate) fn number(message: &Message) -> Option<f64> {
    let variant = variant(message)?;
    f64::try_from(&*variant).ok().or_else(|| integer(message).map(|whole| whole as f64))
}

/// Parses extents. Returns `None` if the element has no position.
pub(crate) fn extents(message: &Message) -> Option<Rect> {
    let (x, y, width, height): (i32, i32, i32, i32) =
        body::<((i32, i32, i32, i32),)>(message).map(|(r,)| r).or_else(|_| body(message)).ok()?;
    // Toolkits mark a missing position with the smallest integer or a size of -1.
    (x > i32::MIN / 2 && y > i32::MIN / 2 && width >= 0 && height >= 0)
        .then(|| Rect::new(x, y, width, height))
}

fn actions(message: &Message) -> Vec<String> {
    let list: Vec<(String, String, String)> = body(message).unwrap_or_default();
    list.into_iter().map(|(name, ..)| name).collect()
}

fn relations(message: &Message) -> Vec<Relation> {
    let list: Vec<(u32, Vec<atspi::ObjectRef>)> = body(message).unwrap_or_default();
    list.into_iter()
        .map(|(kind, targets)| Relation {
            kind: relation_kind(kind),
            targets: targets.iter().map(|(bus, path)| atspi::node_id(bus, path.as_str())).collect(),
        })
        .collect()
}

fn relation_kind(number: u32) -> RelationKind {
    match number {
        1 => RelationKind::LabelFor,
        2 => RelationKind::LabelledBy,
        3 => RelationKind::ControllerFor,
        4 => RelationKind::ControlledBy,
        5 => RelationKind::MemberOf,
        7 => RelationKind::ChildOf,
        8 => RelationKind::ParentOf,
        10 => RelationKind::FlowsTo,
        11 => RelationKind::FlowsFrom,
        13 => RelationKind::Embeds,
        14 => RelationKind::EmbeddedBy,
        15 => RelationKind::PopupFor,
        17 => RelationKind::DescriptionFor,
        18 => RelationKind::DescribedBy,
        19 => RelationKind::Details,
        21 => RelationKind::ErrorMessage,
        _newer => RelationKind::Other,
    }
}

/// Returns `true` if an element with this role may contain text worth reading.
pub(crate) fn may_contain_text(role: Role, unnamed_leaf: bool) -> bool {
    let is_field = matches!(
        role,
        Role::Entry
            | Role::Text
            | Role::Terminal
            | Role::SpinButton
            | Role::DateEditor
            | Role::EditBar
            | Role::Autocomplete
            | Role::ComboBox
    );
    // Documents consist of these. Some toolkits use their content as the name, some put it in child
    // elements, and some provide it only as text.
    let is_prose = matches!(
        role,
        Role::Paragraph
            | Role::Heading
            | Role::Label
            | Role::StaticText
            | Role::Caption
            | Role::Cell
            | Role::BlockQuote
            | Role::Section
    );
    is_field || (is_prose && unnamed_leaf)
}
