//! What keys would press, end or delete, judged by what is seen of the app before they are struck.

use deskhand_model::{Index, Node, Role, Snapshot, State};
use deskhand_platform::{Key, Named};

use super::{sight, target, warning};
use crate::keys::Combo;

/// What a key presses when it has the keyboard; text that is typed loses nothing.
const PRESSED: &[Role] = &[
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
const OF_MENUS: &[Role] =
    &[Role::CheckMenuItem, Role::Menu, Role::MenuItem, Role::PopupMenu, Role::RadioMenuItem];

/// What keys would do harm by.
#[derive(Debug, Clone, PartialEq)]
pub enum Met {
    /// The key itself closes or deletes; this is what it is called.
    Key(String),
    /// It presses this element, which warns.
    Element(Box<Node>),
}

/// What a combination does where it is struck.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    /// Ends what is in front: closes a window or a program, or opens the menu that does.
    Ends,
    /// Takes away what is chosen, or text.
    Deletes(Named),
    /// Presses what has the keyboard.
    Presses(Named),
    /// Presses what has this letter underlined.
    Names(char),
    /// Presses what has this letter underlined in an open menu, and writes it elsewhere.
    Writes(char),
    /// Goes through a text, and leaves the keyboard where it is.
    Stays,
    /// Anything else: the keyboard may be elsewhere afterwards.
    Moves,
}

fn does(combo: &Combo) -> Does {
    use Named::{
        Alt, Backspace, Command, Control, Delete, Down, End, Home, Left, Logo, Right, Shift, Up,
    };
    let holds = |named: Named| combo.keys.contains(&Key::Named(named));
    let command = holds(Command) || holds(Logo);
    let (control, alt, logo) = (holds(Control) || holds(Command), holds(Alt), holds(Logo));
    match combo.keys.last() {
        Some(Key::Named(Named::Function(4))) if control || alt => Does::Ends,
        Some(Key::Named(Delete | Backspace)) if control && alt => Does::Ends,
        // A Mac throws away what is chosen by the first, and empties the bin with Shift.
        Some(Key::Named(Delete | Backspace)) if command && holds(Shift) => Does::Ends,
        Some(Key::Named(Delete | Backspace)) if command => Does::Deletes(Delete),
        // The menu of the window, which no app shows in its tree.
        Some(Key::Named(Named::Space) | Key::Char(' ')) if alt => Does::Ends,
        Some(Key::Char('q' | 'w')) if control || logo => Does::Ends,
        Some(Key::Named(key @ (Delete | Backspace))) => Does::Deletes(*key),
        Some(Key::Named(Named::Return) | Key::Char('\n' | '\r')) if !control && !alt && !logo => {
            Does::Presses(Named::Return)
        }
        Some(Key::Named(Named::Space) | Key::Char(' ')) if !control && !logo => {
            Does::Presses(Named::Space)
        }
        Some(Key::Char('\t' | '\n' | '\r')) => Does::Moves,
        Some(Key::Char(letter)) if alt && !control && !logo => Does::Names(*letter),
        Some(Key::Char('a')) if control && !alt => Does::Stays,
        Some(Key::Char(letter)) if !control && !alt && !logo => Does::Writes(*letter),
        Some(Key::Named(Home | End | Left | Right | Up | Down | Shift)) if !alt && !logo => {
            Does::Stays
        }
        Some(Key::Named(_) | Key::Char(_)) | None => Does::Moves,
    }
}

/// Whether what a combination does depends on what has the keyboard, or is a risk by itself.
pub(super) fn matters(combo: &Combo) -> bool {
    match does(combo) {
        Does::Ends | Does::Deletes(_) | Does::Presses(_) | Does::Names(_) => true,
        Does::Writes(_) | Does::Stays | Does::Moves => false,
    }
}

/// Whether a combination presses something only where a menu is open.
pub(super) fn matters_in_a_menu(combo: &Combo) -> bool {
    matches!(does(combo), Does::Writes(_))
}

/// What has the keyboard when a key is struck.
#[derive(Debug, Clone, Copy)]
enum Focus {
    At(Index),
    Unknown,
}

/// The first harm a series of combinations would do; `None` for the look where there is nothing to
/// look at.
pub(super) fn first(seen: Option<&Snapshot>, combos: &[Combo]) -> Option<Met> {
    let mut focus = seen.and_then(focused).map_or(Focus::Unknown, Focus::At);
    for combo in combos {
        let done = does(combo);
        let key = || Met::Key(words(combo));
        let met = match (done, seen, focus) {
            (Does::Ends, _, _) => Some(key()),
            (Does::Deletes(_), Some(seen), Focus::At(at)) => {
                (!sight::is_editable(seen.node(at))).then(key)
            }
            // Where nothing tells, the one is mostly for text and the other is not.
            (Does::Deletes(named), _, _) => (named == Named::Delete).then(key),
            (Does::Presses(named), Some(seen), Focus::At(at)) => pressed(seen, at, named),
            (Does::Presses(_), Some(seen), Focus::Unknown) => anywhere(seen, None, |_| true),
            (Does::Names(letter), Some(seen), _) => anywhere(seen, None, |node| has(node, letter)),
            (Does::Writes(letter), Some(seen), Focus::At(at)) => in_menu(seen, at, letter),
            (Does::Presses(_) | Does::Names(_) | Does::Writes(_), _, _)
            | (Does::Stays | Does::Moves, _, _) => None,
        };
        if met.is_some() {
            return met;
        }
        match done {
            Does::Writes(_) | Does::Stays => {}
            Does::Ends | Does::Deletes(_) | Does::Presses(_) | Does::Names(_) | Does::Moves => {
                focus = Focus::Unknown;
            }
        }
    }
    None
}

/// What text that is typed on a keyboard would press beside the field it is for, as far as that can be
/// seen before.
pub(super) fn by_text(seen: &Snapshot, field: Index, text: &str) -> Option<Met> {
    let node = seen.node(field);
    let (leaver, rest) = leaving(node, text)?;
    let by_return = || by_default(seen, field);
    let met = if leaver == '\t' { None } else { by_return() };
    met.or_else(|| presses(rest).then(|| anywhere(seen, window(seen, field), |_| true)).flatten())
}

/// Whether a text leaves the field it is typed into and then presses whatever comes next.
pub(super) fn wanders(field: &Node, text: &str) -> bool {
    leaving(field, text).is_some_and(|(_, rest)| presses(rest))
}

/// Where a text leaves the field it is typed into: by which character, and what comes after.
fn leaving<'t>(field: &Node, text: &'t str) -> Option<(char, &'t str)> {
    let (at, leaver) = text.char_indices().find(|(_, one)| leaves(field, *one))?;
    Some((leaver, &text[at + leaver.len_utf8()..]))
}

/// Whether a character typed into a field may put the keyboard elsewhere. In a browser the tab leaves
/// a field of several lines, too.
pub(super) fn leaves(field: &Node, typed: char) -> bool {
    match typed {
        '\t' => true,
        '\n' | '\r' => !field.states.has(State::MultiLine),
        _ => false,
    }
}

/// Whether a text presses a button that has the keyboard.
pub(super) fn presses(text: &str) -> bool {
    text.contains([' ', '\n', '\r'])
}

/// Whether something that takes text has the keyboard.
pub(super) fn in_text(seen: &Snapshot) -> bool {
    focused(seen).is_some_and(|at| sight::is_editable(seen.node(at)))
}

/// The element that has the keyboard: an item of an open menu may only say that it is selected.
fn focused(seen: &Snapshot) -> Option<Index> {
    let chosen = |node: &Node| {
        OF_MENUS.contains(&node.role)
            && node.states.has(State::Selected)
            && node.states.has(State::Showing)
    };
    let chosen = seen.iter().filter(|(_, node)| chosen(node)).map(|(at, _)| at).next_back();
    chosen.or_else(|| sight::focused(seen))
}

/// What Return or Space presses while an element has the keyboard.
fn pressed(seen: &Snapshot, at: Index, key: Named) -> Option<Met> {
    let node = seen.node(at);
    if PRESSED.contains(&node.role) {
        return warns(node).then(|| met(node));
    }
    let text = sight::is_editable(node) && node.states.has(State::MultiLine);
    if key == Named::Return && !text { by_default(seen, at) } else { None }
}

/// What Return presses from a field: the default button of the window, the button of a dialog that does
/// not say which is its default, a button of the form on a page.
fn by_default(seen: &Snapshot, at: Index) -> Option<Met> {
    let form = seen.ancestors(at).find(|up| seen.node(*up).role == Role::Form);
    let window = window(seen, at)?;
    let asks = |node: &Node| {
        node.states.has(State::Modal)
            || matches!(node.role, Role::Dialog | Role::Alert | Role::FileChooser)
    };
    let buttons = |within: Index| {
        let shown = shown(seen);
        seen.subtree(within).map(|at| seen.node(at)).filter(move |node| {
            shown(node) && matches!(node.role, Role::Button | Role::ToggleButton)
        })
    };
    if let Some(default) = buttons(window).find(|node| node.states.has(State::Default)) {
        return warns(default).then(|| met(default));
    }
    let within = form.or_else(|| asks(seen.node(window)).then_some(window))?;
    buttons(within).find(|node| warns(node)).map(met)
}

/// Anything in sight that can be pressed, warns, and is meant; in one window, or in those that are in
/// front.
fn anywhere(
    seen: &Snapshot,
    within: Option<Index>,
    is_meant: impl Fn(&Node) -> bool,
) -> Option<Met> {
    let active = |at: &Index| seen.node(*at).states.has(State::Active);
    let front: Vec<Index> = match within {
        Some(window) => vec![window],
        None => seen.children(Index::ROOT).filter(active).collect(),
    };
    let all = || vec![Index::ROOT];
    let front = if front.is_empty() { all() } else { front };
    let shown = shown(seen);
    let mut there = front.into_iter().flat_map(|at| seen.subtree(at)).map(|at| seen.node(at));
    let is_risk =
        |node: &&Node| PRESSED.contains(&node.role) && shown(node) && is_meant(node) && warns(node);
    there.find(is_risk).map(met)
}

/// What a letter presses while a menu is open: an item beside the one that has the keyboard.
fn in_menu(seen: &Snapshot, at: Index, letter: char) -> Option<Met> {
    if !OF_MENUS.contains(&seen.node(at).role) {
        return None;
    }
    let menu = if seen.node(at).role == Role::PopupMenu { Some(at) } else { seen.parent(at) };
    let items = menu.into_iter().flat_map(|menu| seen.subtree(menu)).map(|at| seen.node(at));
    items.filter(|node| has(node, letter)).find(|node| warns(node)).map(met)
}

/// Whether an element could have a letter of its name underlined: which, no toolkit tells here.
fn has(node: &Node, letter: char) -> bool {
    let wanted: String = letter.to_lowercase().collect();
    node.name.to_lowercase().contains(&wanted)
}

fn warns(node: &Node) -> bool {
    warning::of(node).is_some()
}

fn met(node: &Node) -> Met {
    Met::Element(Box::new(node.clone()))
}

fn window(seen: &Snapshot, at: Index) -> Option<Index> {
    target::window_of(seen, at)
}

/// Whether elements can be seen; GTK 4 says of nothing that it is showing.
pub(super) fn shown(seen: &Snapshot) -> impl Fn(&Node) -> bool + use<> {
    let tells = seen.iter().any(|(_, node)| node.states.has(State::Showing));
    move |node: &Node| !tells || node.states.has(State::Showing)
}

/// A combination as messages write it.
fn words(combo: &Combo) -> String {
    let word = |key: &Key| match key {
        Key::Named(Named::Function(number)) => format!("F{number}"),
        Key::Named(named) => format!("{named:?}"),
        Key::Char(letter) => letter.to_string(),
    };
    combo.keys.iter().map(word).collect::<Vec<_>>().join("+")
}

#[cfg(test)]
mod tests;
