//! The single facts that can be asked of an element: how to ask, and what an answer means.

use std::collections::HashMap;

use deskhand_model::{Rect, Relation, RelationKind, Role, Value};
use zbus::{Message, OwnedVariant};

use super::{
    draft::Draft,
    pipe::{Peer, Silence, body, call},
    spi,
};

/// How many characters of a text are read in a look; its length is always told.
pub(crate) const TEXT_READ: i64 = 2_000;

/// Something to know about an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fact {
    /// Name, description, identifier and number of children at once.
    Summary,
    Role,
    Name,
    States,
    ChildCount,
    Children,
    Child(i32),
    Columns,
    Extents,
    /// The same, counted from the window's corner.
    WindowExtents,
    TextLength,
    Text(i32),
    /// The first character as it is drawn.
    Drawn,
    /// The first character as it is held.
    Held,
    /// Attributes that may tell that the text is a secret.
    Clue,
    NumberNow,
    NumberMin,
    NumberMax,
    NumberStep,
    Identifier,
    Attributes,
    Description,
    Actions,
    ActionName(i32),
    Relations,
}

/// What must be known of an element before anything else is asked.
pub(crate) const BASICS: &[Fact] = &[Fact::Role, Fact::Name, Fact::States, Fact::ChildCount];

/// The same in fewer questions, for apps that can take them.
pub(crate) const BASICS_AT_ONCE: &[Fact] = &[Fact::Summary, Fact::Role, Fact::States];

/// The parts of a number within a range.
pub(crate) const NUMBERS: &[Fact] =
    &[Fact::NumberNow, Fact::NumberMin, Fact::NumberMax, Fact::NumberStep];

impl Fact {
    /// The call that asks for it.
    pub(crate) fn question(self, peer: &Peer, path: &str) -> Result<Message, Silence> {
        let accessible = |method| call(peer, path, spi::ACCESSIBLE, method, &());
        let value = |property| spi::get(peer, path, spi::VALUE, property);
        match self {
            Self::Summary => call(peer, path, spi::PROPERTIES, "GetAll", &spi::ACCESSIBLE),
            Self::Role => accessible("GetRole"),
            Self::Name => spi::get(peer, path, spi::ACCESSIBLE, "Name"),
            Self::States => accessible("GetState"),
            Self::ChildCount => spi::get(peer, path, spi::ACCESSIBLE, "ChildCount"),
            Self::Children => accessible("GetChildren"),
            Self::Child(index) => call(peer, path, spi::ACCESSIBLE, "GetChildAtIndex", &index),
            Self::Columns => spi::get(peer, path, spi::TABLE, "NColumns"),
            // 0 is screen coordinates; Qt's window coordinates are garbage.
            Self::Extents => call(peer, path, spi::COMPONENT, "GetExtents", &0_u32),
            Self::WindowExtents => call(peer, path, spi::COMPONENT, "GetExtents", &1_u32),
            Self::TextLength => spi::get(peer, path, spi::TEXT, "CharacterCount"),
            // GTK 4.8 answers (0, -1) with nothing, so the end is always named.
            Self::Text(end) => call(peer, path, spi::TEXT, "GetText", &(0_i32, end)),
            // 0 is one character.
            Self::Drawn => call(peer, path, spi::TEXT, "GetStringAtOffset", &(0_i32, 0_u32)),
            Self::Held => call(peer, path, spi::TEXT, "GetCharacterAtOffset", &0_i32),
            Self::NumberNow => value("CurrentValue"),
            Self::NumberMin => value("MinimumValue"),
            Self::NumberMax => value("MaximumValue"),
            Self::NumberStep => value("MinimumIncrement"),
            Self::Identifier => spi::get(peer, path, spi::ACCESSIBLE, "AccessibleId"),
            Self::Attributes | Self::Clue => accessible("GetAttributes"),
            Self::Description => spi::get(peer, path, spi::ACCESSIBLE, "Description"),
            Self::Actions => call(peer, path, spi::ACTION, "GetActions", &()),
            Self::ActionName(index) => call(peer, path, spi::ACTION, "GetName", &index),
            Self::Relations => accessible("GetRelationSet"),
        }
    }

    /// As much of the beginning of a text of this length as a look takes in.
    pub(crate) fn of_text(length: i64) -> Self {
        Self::Text(length.min(TEXT_READ) as i32)
    }

    /// Whether nothing else is asked of an element before this is known.
    pub(crate) fn is_basic(self) -> bool {
        BASICS.contains(&self) || BASICS_AT_ONCE.contains(&self)
    }

    /// Whether it leads to other elements.
    pub(crate) fn is_about_children(self) -> bool {
        matches!(self, Self::Children | Self::Child(_) | Self::Columns)
    }
}

/// Writes an answer down.
pub(crate) fn note(draft: &mut Draft, fact: Fact, message: &Message) {
    match fact {
        Fact::Summary => note_summary(draft, message),
        Fact::Role => draft.role = body(message).unwrap_or(0),
        Fact::Name => draft.name = text(message).unwrap_or_default(),
        Fact::States => draft.set_states(&body::<Vec<u32>>(message).unwrap_or_default()),
        Fact::ChildCount => {
            draft.child_count = integer(message).unwrap_or(0).clamp(0, i32::MAX.into()) as i32;
        }
        Fact::Extents | Fact::WindowExtents => draft.bounds = extents(message),
        Fact::Text(_) => {
            if let (Some(Value::Text { text, .. }), Ok(read)) = (&mut draft.value, body(message)) {
                *text = read;
            }
        }
        Fact::NumberNow | Fact::NumberMin | Fact::NumberMax | Fact::NumberStep => {
            note_number(draft, fact, message);
        }
        Fact::Identifier => {
            if let Some(id) = text(message).filter(|id| !id.is_empty()) {
                draft.identifier = id;
            }
        }
        Fact::Attributes => {
            let attributes: HashMap<String, String> = body(message).unwrap_or_default();
            // Browsers put the page's own `id` there and leave AccessibleId empty.
            if let Some(id) = attributes.get("id").filter(|_| draft.identifier.is_empty()) {
                draft.identifier.clone_from(id);
            }
        }
        Fact::Description => draft.description = text(message).unwrap_or_default(),
        Fact::Actions => draft.actions = actions(message),
        Fact::ActionName(index) => {
            let name: String = body(message).unwrap_or_default();
            let slot = usize::try_from(index).ok().and_then(|at| draft.actions.get_mut(at));
            if let Some(slot) = slot.filter(|_| !name.is_empty()) {
                *slot = name;
            }
        }
        Fact::Relations => draft.relations = relations(message),
        Fact::Children
        | Fact::Child(_)
        | Fact::Columns
        | Fact::TextLength
        | Fact::Drawn
        | Fact::Held
        | Fact::Clue => {}
    }
}

fn note_summary(draft: &mut Draft, message: &Message) {
    let mut all: HashMap<String, OwnedVariant> = body(message).unwrap_or_default();
    let mut text = |name: &str| all.remove(name).and_then(|value| String::try_from(value).ok());
    draft.name = text("Name").unwrap_or_default();
    draft.description = text("Description").unwrap_or_default();
    draft.identifier = text("AccessibleId").unwrap_or_default();
    let count = all.get("ChildCount").and_then(|value| i32::try_from(&**value).ok());
    draft.child_count = count.unwrap_or(0).max(0);
}

fn note_number(draft: &mut Draft, fact: Fact, message: &Message) {
    let Some(number) = number(message) else { return };
    let empty = Value::Number { now: 0.0, min: 0.0, max: 0.0, step: 0.0 };
    // Spin buttons hold both a text and a number; the number says more.
    let value = match draft.value.take() {
        Some(value @ Value::Number { .. }) => value,
        Some(Value::Text { .. } | Value::Secret) | None => empty,
    };
    draft.value = Some(match (value, fact) {
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

/// A property that is text.
pub(crate) fn text(message: &Message) -> Option<String> {
    variant(message).and_then(|v| String::try_from(v).ok())
}

/// A property that is a whole number of any width.
pub(crate) fn integer(message: &Message) -> Option<i64> {
    let variant = variant(message)?;
    i32::try_from(&*variant)
        .map(i64::from)
        .or_else(|_| u32::try_from(&*variant).map(i64::from))
        .or_else(|_| i64::try_from(&*variant))
        .ok()
}

fn number(message: &Message) -> Option<f64> {
    let variant = variant(message)?;
    f64::try_from(&*variant).ok().or_else(|| integer(message).map(|whole| whole as f64))
}

/// A place on the screen, `None` when the element is nowhere.
pub(crate) fn extents(message: &Message) -> Option<Rect> {
    let (x, y, width, height): (i32, i32, i32, i32) =
        body::<((i32, i32, i32, i32),)>(message).map(|(r,)| r).or_else(|_| body(message)).ok()?;
    // Toolkits write "nowhere" as the smallest number or as a size of -1.
    (x > i32::MIN / 2 && y > i32::MIN / 2 && width >= 0 && height >= 0)
        .then(|| Rect::new(x, y, width, height))
}

fn actions(message: &Message) -> Vec<String> {
    let list: Vec<(String, String, String)> = body(message).unwrap_or_default();
    list.into_iter().map(|(name, ..)| name).collect()
}

fn relations(message: &Message) -> Vec<Relation> {
    let list: Vec<(u32, Vec<spi::Reference>)> = body(message).unwrap_or_default();
    list.into_iter()
        .map(|(kind, targets)| Relation {
            kind: relation_kind(kind),
            targets: targets.iter().map(|(bus, path)| spi::node_id(bus, path.as_str())).collect(),
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

/// Whether such an element may hold text worth reading.
pub(crate) fn holds_text(kind: Role, silent_leaf: bool) -> bool {
    let field = matches!(
        kind,
        Role::Entry
            | Role::Text
            | Role::Terminal
            | Role::SpinButton
            | Role::DateEditor
            | Role::EditBar
            | Role::Autocomplete
            | Role::ComboBox
    );
    // Documents are made of these; some name them by their content, some hold elements that have
    // it, and some only hold it themselves.
    let words = matches!(
        kind,
        Role::Paragraph
            | Role::Heading
            | Role::Label
            | Role::StaticText
            | Role::Caption
            | Role::Cell
            | Role::BlockQuote
            | Role::Section
    );
    field || (words && silent_leaf)
}
