//! What keys would press, end or delete, judged by what is seen of the app before they are struck.

use deskhand_model::{Index, Node, Role, Snapshot, State};
use deskhand_platform::{Key, Named};

use super::words;
use crate::{
    act::{target, visibility},
    input::keys::KeyCombo,
};

/// What a key presses when it has the keyboard; text that is typed loses nothing.
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

/// What a menu that is open has the keyboard in.
const MENU_ROLES: &[Role] =
    &[Role::CheckMenuItem, Role::Menu, Role::MenuItem, Role::PopupMenu, Role::RadioMenuItem];

/// What keys would do harm by.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Harm {
    /// The key itself closes or deletes; this is what it is called.
    Key(String),
    /// It presses this element, which warns.
    Element(Box<Node>),
}

/// What a combination does where it is struck.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeyEffect {
    /// Ends what is in front: closes a window or a program, or opens the menu that does.
    Closes,
    /// Takes away what is chosen, or text.
    Deletes(Named),
    /// Presses what has the keyboard.
    Presses(Named),
    /// Presses what has this letter underlined.
    Mnemonic(char),
    /// Presses what has this letter underlined in an open menu, and writes it elsewhere.
    Types(char),
    /// Goes through a text, and leaves the keyboard where it is.
    KeepsFocus,
    /// Anything else: the keyboard may be elsewhere afterwards.
    MovesFocus,
}

fn key_effect(combo: &KeyCombo) -> KeyEffect {
    use Named::{
        Alt, Backspace, Command, Control, Delete, Down, End, Home, Left, Logo, Right, Shift, Up,
    };
    let holds = |named: Named| combo.keys.contains(&Key::Named(named));
    let command = holds(Command) || holds(Logo);
    let (control, alt, logo) = (holds(Control) || holds(Command), holds(Alt), holds(Logo));
    match combo.keys.last() {
        Some(Key::Named(Named::Function(4))) if control || alt => KeyEffect::Closes,
        Some(Key::Named(Delete | Backspace)) if control && alt => KeyEffect::Closes,
        // A Mac throws away what is chosen by the first, and empties the bin with Shift.
        Some(Key::Named(Delete | Backspace)) if command && holds(Shift) => KeyEffect::Closes,
        Some(Key::Named(Delete | Backspace)) if command => KeyEffect::Deletes(Delete),
        // The menu of the window, which no app shows in its tree.
        Some(Key::Named(Named::Space) | Key::Char(' ')) if alt => KeyEffect::Closes,
        Some(Key::Char('q' | 'w')) if control || logo => KeyEffect::Closes,
        Some(Key::Named(key @ (Delete | Backspace))) => KeyEffect::Deletes(*key),
        Some(Key::Named(Named::Return) | Key::Char('\n' | '\r')) if !control && !alt && !logo => {
            KeyEffect::Presses(Named::Return)
        }
        Some(Key::Named(Named::Space) | Key::Char(' ')) if !control && !logo => {
            KeyEffect::Presses(Named::Space)
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

/// Whether what a combination does depends on what has the keyboard, or is a risk by itself.
pub(crate) fn may_harm(combo: &KeyCombo) -> bool {
    match key_effect(combo) {
        KeyEffect::Closes
        | KeyEffect::Deletes(_)
        | KeyEffect::Presses(_)
        | KeyEffect::Mnemonic(_) => true,
        KeyEffect::Types(_) | KeyEffect::KeepsFocus | KeyEffect::MovesFocus => false,
    }
}

/// Whether a combination presses something only where a menu is open.
pub(crate) fn may_harm_in_menu(combo: &KeyCombo) -> bool {
    matches!(key_effect(combo), KeyEffect::Types(_))
}

/// What has the keyboard when a key is struck.
#[derive(Debug, Clone, Copy)]
enum FocusedElement {
    At(Index),
    Unknown,
}

/// The first harm a series of combinations would do; `None` for the look where there is nothing to
/// look at.
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
            // Where nothing tells, the one is mostly for text and the other is not.
            (KeyEffect::Deletes(named), _, _) => (named == Named::Delete).then(key),
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

/// What text that is typed on a keyboard would press beside the field it is for, as far as that can be
/// seen before.
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

/// Whether a text leaves the field it is typed into and then presses whatever comes next.
pub(crate) fn leaves_and_presses(field: &Node, text: &str) -> bool {
    split_at_leaving_char(field, text).is_some_and(|(_, rest)| contains_pressing_char(rest))
}

/// Where a text leaves the field it is typed into: by which character, and what comes after.
fn split_at_leaving_char<'t>(field: &Node, text: &'t str) -> Option<(char, &'t str)> {
    let (at, leaving_char) = text.char_indices().find(|(_, one)| leaves_field(field, *one))?;
    Some((leaving_char, &text[at + leaving_char.len_utf8()..]))
}

/// Whether a character typed into a field may put the keyboard elsewhere. In a browser the tab leaves
/// a field of several lines, too.
pub(crate) fn leaves_field(field: &Node, typed: char) -> bool {
    match typed {
        '\t' => true,
        '\n' | '\r' => !field.states.has(State::MultiLine),
        _ => false,
    }
}

/// Whether a text presses a button that has the keyboard.
pub(crate) fn contains_pressing_char(text: &str) -> bool {
    text.contains([' ', '\n', '\r'])
}

/// Whether something that takes text has the keyboard.
pub(crate) fn is_focus_in_text(snapshot: &Snapshot) -> bool {
    focused_index(snapshot).is_some_and(|at| visibility::is_editable(snapshot.node(at)))
}

/// The element that has the keyboard: an item of an open menu may only say that it is selected.
fn focused_index(snapshot: &Snapshot) -> Option<Index> {
    let chosen = |node: &Node| {
        MENU_ROLES.contains(&node.role)
            && node.states.has(State::Selected)
            && node.states.has(State::Showing)
    };
    let chosen = snapshot.iter().filter(|(_, node)| chosen(node)).map(|(at, _)| at).next_back();
    chosen.or_else(|| visibility::focused_index(snapshot))
}

/// What Return or Space presses while an element has the keyboard.
fn pressed_harm(snapshot: &Snapshot, at: Index, key: Named) -> Option<Harm> {
    let node = snapshot.node(at);
    if PRESSABLE_ROLES.contains(&node.role) {
        return is_risky(node).then(|| element_harm(node));
    }
    let text = visibility::is_editable(node) && node.states.has(State::MultiLine);
    if key == Named::Return && !text { default_button_harm(snapshot, at) } else { None }
}

/// What Return presses from a field: the default button of the window, the button of a dialog that does
/// not say which is its default, a button of the form on a page.
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

/// Anything in sight that can be pressed, warns, and is meant; in one window, or in those that are in
/// front.
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
    let mut there =
        front.into_iter().flat_map(|at| snapshot.subtree(at)).map(|at| snapshot.node(at));
    let is_risk = |node: &&Node| {
        PRESSABLE_ROLES.contains(&node.role) && is_visible(node) && is_meant(node) && is_risky(node)
    };
    there.find(is_risk).map(element_harm)
}

/// What a letter presses while a menu is open: an item beside the one that has the keyboard.
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

/// Whether an element could have a letter of its name underlined: which, no toolkit tells here.
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
    target::window_index(snapshot, at)
}

/// Whether elements can be seen; GTK 4 says of nothing that it is showing.
pub(crate) fn visibility_test(snapshot: &Snapshot) -> impl Fn(&Node) -> bool + use<> {
    let reports_showing = snapshot.iter().any(|(_, node)| node.states.has(State::Showing));
    move |node: &Node| !reports_showing || node.states.has(State::Showing)
}

/// A combination as messages write it.
fn format_combo(combo: &KeyCombo) -> String {
    let word = |key: &Key| match key {
        Key::Named(Named::Function(number)) => format!("F{number}"),
        Key::Named(named) => format!("{named:?}"),
        Key::Char(letter) => letter.to_string(),
    };
    combo.keys.iter().map(word).collect::<Vec<_>>().join("+")
}

#[cfg(test)]
mod tests;
