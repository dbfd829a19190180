//! The names of elements as a person reads them, and where each name comes from.
//!
//! Apps leave many fields without a name. A person reads the label before the field, the
//! placeholder inside it, or the text that it contains. The sources are tried in this order: the
//! own name, a labelling relation in either direction, the placeholder, the text inside, a label
//! nearby, the description. A nearby label is a guess, because only the layout connects it with the
//! field. Toolkits name a combo box after its current choice, and Qt names a field after the group
//! around it; such a name counts only if there is no label.

mod nearby;
mod pairs;
#[cfg(test)]
mod tests;

pub use nearby::{is_page_of_tab, nearest_field};
pub(crate) use pairs::LabelPairs;

use crate::{Index, Node, Role, ScreenVisibility, Snapshot};

/// The origin of an element's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NameSource {
    /// The element has this name.
    Own,
    /// The app relates a label to the element.
    Label,
    /// The text that an empty field shows.
    Placeholder,
    /// The text inside the element.
    Content,
    /// A label that stands before or above the element. This is a guess.
    NearbyLabel,
    /// The description, for example a tooltip.
    Description,
}

impl NameSource {
    /// Returns the name used in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Label => "label",
            Self::Placeholder => "placeholder",
            Self::Content => "content",
            Self::NearbyLabel => "nearby_label",
            Self::Description => "description",
        }
    }

    /// Returns `true` if nothing but the layout connects the name with the element.
    pub fn is_guess(self) -> bool {
        self == Self::NearbyLabel
    }
}

/// The name of an element and its origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccessibleName<'a> {
    /// The text, without surrounding whitespace.
    pub text: &'a str,
    /// The origin of the text.
    pub source: NameSource,
}

/// The names of all elements of a snapshot.
#[derive(Debug, Clone, Copy)]
pub struct Names<'a> {
    snapshot: &'a Snapshot,
    pairs: &'a LabelPairs,
}

impl<'a> Names<'a> {
    /// Returns the names of all elements. The snapshot remembers the labels that they come from.
    pub fn of(snapshot: &'a Snapshot) -> Self {
        Self { snapshot, pairs: snapshot.label_pairs() }
    }

    /// Returns the name of an element, if it has one.
    pub fn name(&self, at: Index) -> Option<AccessibleName<'a>> {
        let node = self.snapshot.node(at);
        let named = |text: &'a str, source: NameSource| {
            let text = bare(text);
            (!text.is_empty()).then_some(AccessibleName { text, source })
        };
        let label = |wanted: NameSource| {
            let (label, source) = self.pairs.label(at)?;
            if source == wanted { named(words(self.snapshot, label), wanted) } else { None }
        };
        let own = || named(&node.name, NameSource::Own);
        let is_borrowed = has_borrowed_name(self.snapshot, at);
        own()
            .filter(|_| !is_borrowed)
            .or_else(|| label(NameSource::Label))
            .or_else(|| named(&node.placeholder, NameSource::Placeholder))
            .or_else(|| named(content(self.snapshot, at)?, NameSource::Content))
            .or_else(|| label(NameSource::NearbyLabel))
            .or_else(own)
            .or_else(|| named(&node.description, NameSource::Description))
    }

    /// Returns the text of an element's label, and if the app relates the two or their layout does.
    pub fn label_text(&self, at: Index) -> Option<AccessibleName<'a>> {
        let (label, source) = self.pairs.label(at)?;
        Some(AccessibleName { text: words(self.snapshot, label), source })
    }

    /// Returns the element that a label names.
    pub fn labelled(&self, label: Index) -> Option<Index> {
        self.pairs.labelled(label)
    }

    /// Returns the visibility of the elements.
    pub fn visibility(&self) -> &'a ScreenVisibility {
        self.snapshot.visibility()
    }
}

/// Returns the text of the only element with text inside a control.
fn content(snapshot: &Snapshot, at: Index) -> Option<&str> {
    const MAX_ELEMENTS: usize = 16;
    let role = snapshot.node(at).role;
    let inside = snapshot.subtree_len(at) - 1;
    if is_field(role) || !role.is_control() || !(1..=MAX_ELEMENTS).contains(&inside) {
        return None;
    }
    let mut texts = Vec::new();
    for below in snapshot.subtree(at).skip(1) {
        if snapshot.node(below).role.is_control() {
            return None;
        }
        if snapshot.visibility().is_on_screen(below) && is_label(snapshot.node(below).role) {
            texts.push(words(snapshot, below));
        }
    }
    texts.retain(|text| !text.is_empty());
    texts.dedup();
    match texts[..] {
        [only] => Some(only),
        _ => None,
    }
}

/// Returns `true` for elements that can name another one.
pub fn is_label(role: Role) -> bool {
    matches!(role, Role::Label | Role::StaticText | Role::Caption | Role::AcceleratorLabel)
}

/// Returns `true` for elements that are often named only by a label beside them. A button after a
/// text is unrelated to it.
pub fn takes_label(role: Role) -> bool {
    is_field(role) || matches!(role, Role::CheckBox | Role::RadioButton)
}

/// Returns `true` for elements with a value that is not their name.
pub fn is_field(role: Role) -> bool {
    matches!(
        role,
        Role::Entry
            | Role::Text
            | Role::Password
            | Role::ComboBox
            | Role::SpinButton
            | Role::Slider
            | Role::DateEditor
            | Role::Autocomplete
            | Role::EditBar
            | Role::Switch
            | Role::ListBox
            | Role::ProgressBar
            | Role::LevelBar
            | Role::ColorChooser
    )
}

/// Returns `true` for a combo box whose own name is its current choice, as in Qt and GTK. The name
/// changes with every choice, so a person does not call the combo box by it.
pub(crate) fn is_named_after_choice(snapshot: &Snapshot, at: Index) -> bool {
    let node = snapshot.node(at);
    let name = bare(&node.name);
    node.role == Role::ComboBox
        && !name.is_empty()
        && (node.text().is_some_and(|text| bare(text) == name)
            || snapshot.subtree(at).skip(1).any(|item| bare(&snapshot.node(item).name) == name))
}

/// Returns `true` for a field whose own name is that of its choice or of the group around it.
pub fn has_borrowed_name(snapshot: &Snapshot, at: Index) -> bool {
    is_named_after_choice(snapshot, at) || is_named_after_group(snapshot, at)
}

/// Returns `true` for a field whose own name is the title of the group around it. Qt names fields this
/// way if no label is related to them.
fn is_named_after_group(snapshot: &Snapshot, at: Index) -> bool {
    const MAX_LEVELS: usize = 3;
    let node = snapshot.node(at);
    let name = bare(&node.name);
    is_field(node.role)
        && !name.is_empty()
        && snapshot.ancestors(at).take(MAX_LEVELS).any(|up| {
            let around = snapshot.node(up);
            matches!(around.role, Role::Panel | Role::Group) && bare(&around.name) == name
        })
}

/// Returns the visible text of an element: its name, or its content if it has no name.
pub(crate) fn words(snapshot: &Snapshot, at: Index) -> &str {
    own_words(snapshot.node(at))
}

/// Does the same as [`words`] for an element without its snapshot.
pub(crate) fn own_words(node: &Node) -> &str {
    let name = bare(&node.name);
    if name.is_empty() { bare(node.text().unwrap_or_default()) } else { name }
}

/// Trims whitespace and placeholders of embedded elements from both ends.
pub(crate) fn bare(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c == '\u{fffc}')
}
