//! The names of elements as a person reads them, and where each name comes from.
//!
//! Apps leave many fields without a name. A person reads the label before the field, the
//! placeholder inside it, or the text that it contains. The sources are tried in this order: the
//! own name, a labelling relation in either direction, the placeholder, the text inside, a label
//! nearby, the description. A nearby label is a guess, because only the layout connects it with the
//! field. Toolkits name a combo box after its current choice, and Qt names a field after the group
//! around it; such a name counts only if there is no label.

mod nearby;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use crate::{Index, NodeId, RelationKind, Role, ScreenVisibility, Snapshot};

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
#[derive(Debug)]
pub struct Names<'a> {
    snapshot: &'a Snapshot,
    visibility: ScreenVisibility,
    labels: HashMap<Index, (Index, NameSource)>,
    labelled: HashMap<Index, Index>,
}

impl<'a> Names<'a> {
    /// Computes the names of all elements.
    pub fn of(snapshot: &'a Snapshot) -> Self {
        let visibility = ScreenVisibility::of(snapshot);
        let mut names =
            Self { snapshot, visibility, labels: HashMap::new(), labelled: HashMap::new() };
        names.add_relations();
        names.add_rows();
        names.add_nearby_labels();
        names
    }

    /// Returns the name of an element, if it has one.
    pub fn name(&self, at: Index) -> Option<AccessibleName<'a>> {
        let node = self.snapshot.node(at);
        let named = |text: &'a str, source: NameSource| {
            let text = bare(text);
            (!text.is_empty()).then_some(AccessibleName { text, source })
        };
        let label = |wanted: NameSource| {
            let (label, source) = self.labels.get(&at)?;
            if *source == wanted { named(words(self.snapshot, *label), wanted) } else { None }
        };
        let own = || named(&node.name, NameSource::Own);
        let is_borrowed = has_borrowed_name(self.snapshot, at);
        own()
            .filter(|_| !is_borrowed)
            .or_else(|| label(NameSource::Label))
            .or_else(|| named(&node.placeholder, NameSource::Placeholder))
            .or_else(|| named(self.content(at)?, NameSource::Content))
            .or_else(|| label(NameSource::NearbyLabel))
            .or_else(own)
            .or_else(|| named(&node.description, NameSource::Description))
    }

    /// Returns the label of an element, and if the app relates the two or their layout does.
    pub fn label(&self, at: Index) -> Option<(Index, NameSource)> {
        self.labels.get(&at).copied()
    }

    /// Returns the element that a label names.
    pub fn labelled(&self, label: Index) -> Option<Index> {
        self.labelled.get(&label).copied()
    }

    /// Returns all pairs of a label and the element it names, in document order of the elements.
    pub fn label_pairs(&self) -> Vec<(Index, Index)> {
        let mut pairs: Vec<_> = self.labels.iter().map(|(at, (label, _))| (*label, *at)).collect();
        pairs.sort_unstable_by_key(|(label, control)| (*control, *label));
        pairs
    }

    /// Returns the visibility of the elements.
    pub fn visibility(&self) -> &ScreenVisibility {
        &self.visibility
    }

    fn add_relations(&mut self) {
        let snapshot = self.snapshot;
        let mut positions: Option<HashMap<&NodeId, Index>> = None;
        for (at, node) in snapshot.iter() {
            for relation in &node.relations {
                let names_others = relation.kind == RelationKind::LabelFor;
                if !names_others && relation.kind != RelationKind::LabelledBy {
                    continue;
                }
                let positions = positions.get_or_insert_with(|| snapshot.positions());
                for other in relation.targets.iter().filter_map(|id| positions.get(id)) {
                    let (label, control) = if names_others { (at, *other) } else { (*other, at) };
                    let control = self.only_field_inside(control).unwrap_or(control);
                    // Qt relates a field without a label to the group around it.
                    let is_around = snapshot.ancestors(control).any(|up| up == label);
                    if label != control && !is_around && !words(snapshot, label).is_empty() {
                        self.labels.entry(control).or_insert((label, NameSource::Label));
                        self.labelled.entry(label).or_insert(control);
                    }
                }
            }
        }
    }

    /// Returns the only visible field inside a container. LibreOffice relates labels to the containers
    /// of their fields.
    fn only_field_inside(&self, at: Index) -> Option<Index> {
        if !self.snapshot.node(at).role.is_layout() {
            return None;
        }
        let is_shown_field = |at: &Index| {
            is_field(self.snapshot.node(*at).role) && self.visibility.is_on_screen(*at)
        };
        let mut fields = self.snapshot.subtree(at).skip(1).filter(is_shown_field);
        fields.next().filter(|_| fields.next().is_none())
    }

    /// Calls the only field in a row by the name of the row, as in lists of settings.
    fn add_rows(&mut self) {
        for field in self.unlabelled_fields() {
            if let Some(row) = row_around(self.snapshot, field) {
                self.labels.insert(field, (row, NameSource::NearbyLabel));
            }
        }
    }

    /// Returns the fields that neither have a name nor a label.
    fn unlabelled_fields(&self) -> Vec<Index> {
        let needs_label = |at: &Index| {
            let node = self.snapshot.node(*at);
            takes_label(node.role)
                && (bare(&node.name).is_empty() || has_borrowed_name(self.snapshot, *at))
                && !self.labels.contains_key(at)
                && self.content(*at).is_none()
        };
        self.snapshot.iter().map(|(at, _)| at).filter(needs_label).collect()
    }

    fn add_nearby_labels(&mut self) {
        let snapshot = self.snapshot;
        let fields = self.unlabelled_fields();
        if fields.is_empty() {
            return;
        }
        let used: HashSet<Index> = self.labelled.keys().copied().collect();
        for (label, field) in nearby::pairs(snapshot, &self.visibility, &fields, &used) {
            self.labels.insert(field, (label, NameSource::NearbyLabel));
            self.labelled.insert(label, field);
        }
    }

    /// Returns the text of the only element with text inside a control.
    fn content(&self, at: Index) -> Option<&'a str> {
        const MAX_ELEMENTS: usize = 16;
        let role = self.snapshot.node(at).role;
        let inside = self.snapshot.subtree_len(at) - 1;
        if is_field(role) || !role.is_control() || !(1..=MAX_ELEMENTS).contains(&inside) {
            return None;
        }
        let mut texts = Vec::new();
        for below in self.snapshot.subtree(at).skip(1) {
            if self.snapshot.node(below).role.is_control() {
                return None;
            }
            if self.visibility.is_on_screen(below) && is_label(self.snapshot.node(below).role) {
                texts.push(words(self.snapshot, below));
            }
        }
        texts.retain(|text| !text.is_empty());
        texts.dedup();
        match texts[..] {
            [only] => Some(only),
            _ => None,
        }
    }
}

/// Returns the row with a name around a field, if there is no other control in the row.
fn row_around(snapshot: &Snapshot, field: Index) -> Option<Index> {
    const MAX_LEVELS: usize = 4;
    let row = snapshot.ancestors(field).take(MAX_LEVELS).find(|up| {
        matches!(snapshot.node(*up).role, Role::ListItem | Role::TableRow | Role::TreeItem)
    })?;
    let is_inside = |at: Index| snapshot.ancestors(at).any(|up| up == field);
    let mut others = snapshot
        .subtree(row)
        .skip(1)
        .filter(|at| *at != field && takes_label(snapshot.node(*at).role) && !is_inside(*at));
    (!bare(&snapshot.node(row).name).is_empty() && others.next().is_none()).then_some(row)
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
pub(crate) fn is_field(role: Role) -> bool {
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
pub(crate) fn has_borrowed_name(snapshot: &Snapshot, at: Index) -> bool {
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
    let node = snapshot.node(at);
    let name = bare(&node.name);
    if name.is_empty() { bare(node.text().unwrap_or_default()) } else { name }
}

/// Trims whitespace and placeholders of embedded elements from both ends.
pub(crate) fn bare(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c == '\u{fffc}')
}
