//! Elements that belong to the one with the text of a query by their place: the field beside a text
//! or a button, and the only control inside a container. They are guesses.

use deskhand_model::{
    Index, Names, Role, Snapshot,
    name::{has_borrowed_name, is_field, is_label, nearest_field},
};

use super::{MatchMethod, matching::MatchSet, nested::Scope, ranking::Ranking};
use crate::{
    query::{
        role_words,
        terms::{TextMatch, WantedText},
    },
    text::fold_label,
};

/// Maximum number of elements with the same name. If there are more, the name does not identify a
/// field.
const MAX_NAMED: usize = 16;

/// Maximum number of elements in the group of one control. A container with more is not such a
/// group.
const MAX_CONTENT: usize = 200;

/// Returns the fields that can take the value of the caller and belong to an element with this text:
/// the nearest one after or below it, or the only one inside it.
pub(super) fn field(
    snapshot: &Snapshot,
    text: &str,
    ranking: &Ranking<'_>,
    scope: &Scope,
) -> Option<MatchSet> {
    let is_wanted = |at: &Index| {
        let role = snapshot.node(*at).role;
        let holds_value = is_field(role) || matches!(role, Role::CheckBox | Role::ToggleButton);
        holds_value && ranking.is_usable(*at)
    };
    let fields: Vec<Index> = snapshot.iter().map(|(at, _)| at).filter(is_wanted).collect();
    let split = role_words::split(text).map(|split| split.name);
    for text in std::iter::once(text.to_owned()).chain(split) {
        let wanted = WantedText::new(&text);
        let named = elements_named(snapshot, &wanted, ranking, scope);
        let has_fields_beside = |at: &&Index| has_field_beside(snapshot.node(**at).role);
        let is_free = |field: &Index| !is_called_differently(snapshot, *field, &wanted);
        let beside: Vec<Index> = named
            .iter()
            .filter(has_fields_beside)
            .filter_map(|at| nearest_field(snapshot, *at, &fields))
            .filter(is_free)
            .collect();
        for (by, mut found) in [
            (MatchMethod::Beside, beside),
            (MatchMethod::Inside, inside(snapshot, named.clone(), ranking)),
        ] {
            found.sort_unstable();
            found.dedup();
            if !found.is_empty() {
                return Some(MatchSet::new(by, found));
            }
        }
    }
    None
}

/// Returns the only element inside each container that the caller can use.
pub(super) fn inside(
    snapshot: &Snapshot,
    containers: Vec<Index>,
    ranking: &Ranking<'_>,
) -> Vec<Index> {
    let is_container = |at: &Index| {
        let role = snapshot.node(*at).role;
        (role.is_layout() || role.is_window() || role == Role::ToolBar) && !is_label(role)
    };
    let mut found: Vec<Index> = containers
        .into_iter()
        .filter(is_container)
        .filter_map(|at| only_usable_inside(snapshot, at, ranking))
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn only_usable_inside(snapshot: &Snapshot, at: Index, ranking: &Ranking<'_>) -> Option<Index> {
    let is_cut = || snapshot.subtree(at).any(|below| snapshot.node(below).cut.is_some());
    if snapshot.subtree_len(at) > MAX_CONTENT || is_cut() {
        return None;
    }
    let mut found: Option<Index> = None;
    for below in snapshot.subtree(at).skip(1) {
        let is_part = found.is_some_and(|outer| snapshot.ancestors(below).any(|up| up == outer));
        let role = snapshot.node(below).role;
        if is_part || !(role.is_control() || is_field(role)) || !ranking.is_usable(below) {
            continue;
        }
        if found.is_some() {
            return None;
        }
        found = Some(below);
    }
    found
}

/// Returns the visible elements with a name.
fn elements_named(
    snapshot: &Snapshot,
    wanted: &WantedText,
    ranking: &Ranking<'_>,
    scope: &Scope,
) -> Vec<Index> {
    let mut buffer = String::new();
    let named = snapshot
        .iter()
        .filter(|(_, node)| wanted.matches(TextMatch::Loose, &node.name, &mut buffer))
        .map(|(at, _)| at)
        .collect();
    let mut named = scope.within(snapshot, named);
    named.retain(|at| ranking.is_shown(*at));
    if named.len() > MAX_NAMED { Vec::new() } else { named }
}

/// Returns `true` for elements that stand before or above the field they belong to.
fn has_field_beside(role: Role) -> bool {
    is_label(role)
        || matches!(
            role,
            Role::Button
                | Role::ToggleButton
                | Role::RadioButton
                | Role::CheckBox
                | Role::ColumnHeader
                | Role::TableColumnHeader
                | Role::Heading
        )
}

/// Returns `true` for a field with another name. The name of a combo box may be its choice.
fn is_called_differently(snapshot: &Snapshot, field: Index, wanted: &WantedText) -> bool {
    let mut buffer = String::new();
    let mut differs = |name: &str| !wanted.matches(TextMatch::Loose, name, &mut buffer);
    let node = snapshot.node(field);
    let has_own = !fold_label(&node.name).is_empty()
        && node.role != Role::ComboBox
        && !has_borrowed_name(snapshot, field);
    has_own && differs(&node.name)
        || Names::of(snapshot).label_text(field).is_some_and(|label| differs(label.text))
}
