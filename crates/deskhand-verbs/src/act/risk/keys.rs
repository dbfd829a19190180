//! Predicts what keys would press, close or delete, from a snapshot read before they are sent.

use deskhand_model::{Index, Node, Role, Snapshot, State};
use deskhand_platform::{Key, NamedKey};

use super::words;
use crate::{act::visibility, input::keys::KeyCombo};

/// Roles that a key presses when they have the focus. Typed text is not risky.
const PRESSABLE_ROLES: &[Role] = &[
    Role::Button,
    Role::CheckBox,
    Role::CheckMenuItem,
    Role::Link,
    Role::MenuItem,
    Role::RadioButton,
    Role::RadioMenuItem,
    Role::Switch,
    Role::ToggleButton,
];

/// Roles that have the focus in an open menu.
const MENU_ROLES: &[Role] =
    &[Role::CheckMenuItem, Role::Menu, Role::MenuItem, Role::PopupMenu, Role::RadioMenuItem];

/// The harm that keys may do.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Harm {
    /// The key itself closes or deletes. This is its name.
    Key(String),
    /// The key presses this risky element.
    Element(Box<Node>),
}

/// The effect of a key combination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeyEffect {
    /// Closes a window or a program, or opens the menu that does.
    Closes,
    /// Deletes the selection or text.
    Deletes(NamedKey),
    /// Presses the focused element.
    Presses(NamedKey),
    /// Presses the element with this mnemonic.
    Mnemonic(char),
    /// Presses the item with this mnemonic in an open menu, and types the letter elsewhere.
    Types(char),
    /// Moves within a text; the focus stays.
    KeepsFocus,
    /// Anything else; the focus may move.
    MovesFocus,
}

fn key_effect(combo: &KeyCombo) -> KeyEffect {
    use NamedKey::{
        Alt, Backspace, Command, Control, Delete, Down, End, Home, Left, Logo, Right, Shift, Up,
    };
    let has_key = |named: NamedKey| combo.keys.contains(&Key::Named(named));
    let command = has_key(Command) || has_key(Logo);
    let (control, alt, logo) = (has_key(Control) || has_key(Command), has_key(Alt), has_key(Logo));
    match combo.keys.last() {
        Some(Key::Named(NamedKey::Function(4))) if control || alt => KeyEffect::Closes,
        Some(Key::Named(Delete | Backspace)) if control && alt => KeyEffect::Closes,
        // On a Mac the first deletes the selected files, and with Shift it empties the trash.
        Some(Key::Named(Delete | Backspace)) if command && has_key(Shift) => KeyEffect::Closes,
        Some(Key::Named(Delete | Backspace)) if command => KeyEffect::Deletes(Delete),
        // The window menu, which no app has in its tree.
        Some(Key::Named(NamedKey::Space) | Key::Char(' ')) if alt => KeyEffect::Closes,
        Some(Key::Char('q' | 'w')) if control || logo => KeyEffect::Closes,
        Some(Key::Named(key @ (Delete | Backspace))) => KeyEffect::Deletes(*key),
        Some(Key::Named(NamedKey::Return) | Key::Char('\n' | '\r'))
            if !control && !alt && !logo =>
        {
            KeyEffect::Presses(NamedKey::Return)
        }
        Some(Key::Named(NamedKey::Space) | Key::Char(' ')) if !control && !logo => {
            KeyEffect::Presses(NamedKey::Space)
        }
        Some(Key::Char('\t' | '\n' | '\r')) => KeyEffect::MovesFocus,
        Some(Key::Char(letter)) if alt && !control && !logo => KeyEffect::Mnemonic(*letter),
        Some(Key::Char('a')) if control && !alt => KeyEffect::KeepsFocus,
        Some(Key::Char(letter)) if !control && !alt && !logo => KeyEffect::Types(*letter),
        Some(Key::Named(Home | End | Left | Right | Up | Down | Shift)) if !alt && !logo => {
            KeyEffect::KeepsFocus
        }
        Some(Key::Named(_) | Key::Char(_)) | None => KeyEffect::MovesFocus,
    }
}

/// Returns `true` if the combination is risky by itself or depending on the focused element.
pub(crate) fn may_harm(combo: &KeyCombo) -> bool {
    match key_effect(combo) {
        KeyEffect::Closes
        | KeyEffect::Deletes(_)
        | KeyEffect::Presses(_)
        | KeyEffect::Mnemonic(_) => true,
        KeyEffect::Types(_) | KeyEffect::KeepsFocus | KeyEffect::MovesFocus => false,
    }
}

/// Returns `true` if the combination is risky only while a menu is open.
pub(crate) fn may_harm_in_menu(combo: &KeyCombo) -> bool {
    matches!(key_effect(combo), KeyEffect::Types(_))
}

/// The focused element at the time of a key press.
#[derive(Debug, Clone, Copy)]
enum FocusedElement {
    At(Index),
    Unknown,
}

/// Returns the first harm of a series of combinations. Without a snapshot only the keys themselves
/// are judged.
pub(crate) fn first_harm(snapshot: Option<&Snapshot>, combos: &[KeyCombo]) -> Option<Harm> {
    let mut focus =
        snapshot.and_then(focused_index).map_or(FocusedElement::Unknown, FocusedElement::At);
    for combo in combos {
        let effect = key_effect(combo);
        let key = || Harm::Key(format_combo(combo));
        let element_harm = match (effect, snapshot, focus) {
            (KeyEffect::Closes, _, _) => Some(key()),
            (KeyEffect::Deletes(_), Some(snapshot), FocusedElement::At(at)) => {
                (!visibility::is_editable(snapshot.node(at))).then(key)
            }
            // If the focus is unknown: Backspace is mostly used for text, Delete is not.
            (KeyEffect::Deletes(named), _, _) => (named == NamedKey::Delete).then(key),
            (KeyEffect::Presses(named), Some(snapshot), FocusedElement::At(at)) => {
                pressed_harm(snapshot, at, named)
            }
            (KeyEffect::Presses(_), Some(snapshot), FocusedElement::Unknown) => {
                harm_anywhere(snapshot, None, |_| true)
            }
            (KeyEffect::Mnemonic(letter), Some(snapshot), _) => {
                harm_anywhere(snapshot, None, |node| may_have_mnemonic(node, letter))
            }
            (KeyEffect::Types(letter), Some(snapshot), FocusedElement::At(at)) => {
                menu_harm(snapshot, at, letter)
            }
            (KeyEffect::Presses(_) | KeyEffect::Mnemonic(_) | KeyEffect::Types(_), _, _)
            | (KeyEffect::KeepsFocus | KeyEffect::MovesFocus, _, _) => None,
        };
        if element_harm.is_some() {
            return element_harm;
        }
        match effect {
            KeyEffect::Types(_) | KeyEffect::KeepsFocus => {}
            KeyEffect::Closes
            | KeyEffect::Deletes(_)
            | KeyEffect::Presses(_)
            | KeyEffect::Mnemonic(_)
            | KeyEffect::MovesFocus => {
                focus = FocusedElement::Unknown;
            }
        }
    }
    None
}

/// Returns the harm that typed text may do outside its field, as far as the snapshot shows it.
pub(crate) fn text_harm(snapshot: &Snapshot, field: Index, text: &str) -> Option<Harm> {
    let node = snapshot.node(field);
    let (leaving_char, rest) = split_at_leaving_char(node, text)?;
    let by_return = || default_button_harm(snapshot, field);
    let element_harm = if leaving_char == '\t' { None } else { by_return() };
    element_harm.or_else(|| {
        contains_pressing_char(rest)
            .then(|| harm_anywhere(snapshot, window(snapshot, field), |_| true))
            .flatten()
    })
}

/// Returns `true` if a text leaves its field and then contains a character that presses an element.
pub(crate) fn leaves_and_presses(field: &Node, text: &str) -> bool {
    split_at_leaving_char(field, text).is_some_and(|(_, rest)| contains_pressing_char(rest))
}

/// Returns the first character that leaves the field, and the text after it.
fn split_at_leaving_char<'t>(field: &Node, text: &'t str) -> Option<(char, &'t str)> {
    let (at, leaving_char) = text.char_indices().find(|(_, one)| leaves_field(field, *one))?;
    Some((leaving_char, &text[at + leaving_char.len_utf8()..]))
}

/// Returns `true` if typing the character may move the focus out of the field. In a browser the tab
/// also leaves multi-line fields.
pub(crate) fn leaves_field(field: &Node, typed: char) -> bool {
    match typed {
        '\t' => true,
        '\n' | '\r' => !field.states.has(State::MultiLine),
        _ => false,
    }
}

/// Returns `true` if the text contains a character that presses a focused button.
pub(crate) fn contains_pressing_char(text: &str) -> bool {
    text.contains([' ', '\n', '\r'])
}

/// Returns `true` if the focused element accepts text.
pub(crate) fn is_focus_in_text(snapshot: &Snapshot) -> bool {
    focused_index(snapshot).is_some_and(|at| visibility::is_editable(snapshot.node(at)))
}

/// Returns the focused element. An item of an open menu may only report that it is selected.
fn focused_index(snapshot: &Snapshot) -> Option<Index> {
    let chosen = |node: &Node| {
        MENU_ROLES.contains(&node.role)
            && node.states.has(State::Selected)
            && node.states.has(State::Showing)
    };
    let chosen = snapshot.iter().filter(|(_, node)| chosen(node)).map(|(at, _)| at).next_back();
    chosen.or_else(|| visibility::focused_index(snapshot))
}

/// Returns the harm of Return or Space on the focused element.
fn pressed_harm(snapshot: &Snapshot, at: Index, key: NamedKey) -> Option<Harm> {
    let node = snapshot.node(at);
    if PRESSABLE_ROLES.contains(&node.role) {
        return is_risky(node).then(|| element_harm(node));
    }
    let text = visibility::is_editable(node) && node.states.has(State::MultiLine);
    if key == NamedKey::Return && !text { default_button_harm(snapshot, at) } else { None }
}

/// Returns the harm of Return in a field: it presses the default button of the window, a button of
/// a dialog without a known default, or a button of the form on a page.
fn default_button_harm(snapshot: &Snapshot, at: Index) -> Option<Harm> {
    let form = snapshot.ancestors(at).find(|up| snapshot.node(*up).role == Role::Form);
    let window = window(snapshot, at)?;
    let asks = |node: &Node| {
        node.states.has(State::Modal)
            || matches!(node.role, Role::Dialog | Role::Alert | Role::FileChooser)
    };
    let buttons = |within: Index| {
        let is_visible = visibility_test(snapshot);
        snapshot.subtree(within).map(|at| snapshot.node(at)).filter(move |node| {
            is_visible(node) && matches!(node.role, Role::Button | Role::ToggleButton)
        })
    };
    if let Some(default) = buttons(window).find(|node| node.states.has(State::Default)) {
        return is_risky(default).then(|| element_harm(default));
    }
    let within = form.or_else(|| asks(snapshot.node(window)).then_some(window))?;
    buttons(within).find(|node| is_risky(node)).map(element_harm)
}

/// Returns any visible, pressable and risky element that the predicate accepts, in one window or in
/// all active ones.
fn harm_anywhere(
    snapshot: &Snapshot,
    within: Option<Index>,
    is_meant: impl Fn(&Node) -> bool,
) -> Option<Harm> {
    let active = |at: &Index| snapshot.node(*at).states.has(State::Active);
    let front: Vec<Index> = match within {
        Some(window) => vec![window],
        None => snapshot.children(Index::ROOT).filter(active).collect(),
    };
    let all = || vec![Index::ROOT];
    let front = if front.is_empty() { all() } else { front };
    let is_visible = visibility_test(snapshot);
    let mut candidates =
        front.into_iter().flat_map(|at| snapshot.subtree(at)).map(|at| snapshot.node(at));
    let is_risk = |node: &&Node| {
        PRESSABLE_ROLES.contains(&node.role) && is_visible(node) && is_meant(node) && is_risky(node)
    };
    candidates.find(is_risk).map(element_harm)
}

/// Returns the harm of a letter in an open menu: it may press any item of the menu.
fn menu_harm(snapshot: &Snapshot, at: Index, letter: char) -> Option<Harm> {
    if !MENU_ROLES.contains(&snapshot.node(at).role) {
        return None;
    }
    let menu =
        if snapshot.node(at).role == Role::PopupMenu { Some(at) } else { snapshot.parent(at) };
    let items =
        menu.into_iter().flat_map(|menu| snapshot.subtree(menu)).map(|at| snapshot.node(at));
    items
        .filter(|node| may_have_mnemonic(node, letter))
        .find(|node| is_risky(node))
        .map(element_harm)
}

/// Returns `true` if the letter may be the mnemonic of an element. No toolkit reports the real
/// mnemonic here.
fn may_have_mnemonic(node: &Node, letter: char) -> bool {
    let wanted: String = letter.to_lowercase().collect();
    node.name.to_lowercase().contains(&wanted)
}

fn is_risky(node: &Node) -> bool {
    words::risk_cause(node).is_some()
}

fn element_harm(node: &Node) -> Harm {
    Harm::Element(Box::new(node.clone()))
}

fn window(snapshot: &Snapshot, at: Index) -> Option<Index> {
    visibility::window_index(snapshot, at)
}

/// Returns a test for visible elements. GTK 4 reports no element as showing, so then all count as
/// visible.
pub(crate) fn visibility_test(snapshot: &Snapshot) -> impl Fn(&Node) -> bool + use<> {
    let reports_showing = snapshot.iter().any(|(_, node)| node.states.has(State::Showing));
    move |node: &Node| !reports_showing || node.states.has(State::Showing)
}

/// Formats a combination for messages.
fn format_combo(combo: &KeyCombo) -> String {
    let word = |key: &Key| match key {
        Key::Named(NamedKey::Function(number)) => format!("F{number}"),
        Key::Named(named) => format!("{named:?}"),
        Key::Char(letter) => letter.to_string(),
    };
    combo.keys.iter().map(word).collect::<Vec<_>>().join("+")
}

#[cfg(test)]
mod tests;
