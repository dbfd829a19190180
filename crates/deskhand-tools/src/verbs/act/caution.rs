//! Asking before something that may lose what a person made: a click, a switch that is turned, a key
//! that presses whatever has the keyboard, a click at a point.

use std::time::Duration;

use deskhand_model::{App, Node, Role, State};
use deskhand_platform::{Deadline, Extent, Facets, Key, Named};

use super::{
    sight,
    target::{self, Target},
    warning,
};
use crate::{
    Context, Result, Risk,
    verbs::{
        self,
        effect::{Done, Tried, Verdict},
        keys::Combo,
    },
    warden,
};

/// How long an element may take to be ready once a person has answered.
const AGAIN: Duration = Duration::from_secs(5);

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

/// Whether an action may go on.
pub(crate) enum Leave {
    /// Nobody need be asked, or there is nobody to ask.
    Free,
    /// A person said yes, and took time for it: the element must be found again.
    Given,
    /// A person said no; this is the answer.
    Refused(Box<Done>),
}

/// Asks the gate before something is done to an element that warns of a loss; `doing` is the word for
/// it, such as `Click`.
pub(crate) fn leave(cx: &Context<'_>, target: &Target, doing: &str) -> Result<Leave> {
    let left = asked(cx, &target.app, &target.node, doing)?;
    Ok(match left {
        Leave::Refused(done) => {
            Leave::Refused(Box::new(Done { element_ref: Some(target.reference.clone()), ..*done }))
        }
        Leave::Free | Leave::Given => left,
    })
}

/// Asks the same before keys that press what has the keyboard, in an app or in the one in front.
pub(crate) fn before_keys(cx: &Context<'_>, app: Option<&str>, combos: &[Combo]) -> Result<Leave> {
    if !cx.warden.heeds_risks() || !combos.iter().any(presses) {
        return Ok(Leave::Free);
    }
    // Where nothing tells what has the keyboard, nothing warns.
    let Some((app, node)) = at_the_keyboard(cx, app) else { return Ok(Leave::Free) };
    let left = asked(cx, &app, &node, "Press a key on")?;
    let moved = || {
        let now = at_the_keyboard(&later(cx), Some(&app.pid.to_string()));
        now.is_none_or(|(_, now)| now.id != node.id)
    };
    Ok(match left {
        Leave::Given if moved() => refused(&node, "the keyboard is elsewhere by now", None),
        Leave::Given | Leave::Free | Leave::Refused(_) => left,
    })
}

/// Asks the same before the pointer presses or drops something at a point.
pub(crate) fn before_pointer(cx: &Context<'_>, at: (i32, i32), doing: &str) -> Result<Leave> {
    if !cx.warden.heeds_risks() {
        return Ok(Leave::Free);
    }
    // Where nothing tells what lies there, nothing warns.
    let Some((app, node)) = under_the_pointer(cx, at) else { return Ok(Leave::Free) };
    let left = asked(cx, &app, &node, doing)?;
    let moved = || under_the_pointer(&later(cx), at).is_none_or(|(_, now)| now.id != node.id);
    Ok(match left {
        Leave::Given if moved() => refused(&node, "something else lies there by now", None),
        Leave::Given | Leave::Free | Leave::Refused(_) => left,
    })
}

/// The same call, with time to find the element again.
pub(crate) fn later<'a>(cx: &Context<'a>) -> Context<'a> {
    Context { by: Deadline::after(AGAIN), ..*cx }
}

fn asked(cx: &Context<'_>, app: &App, node: &Node, doing: &str) -> Result<Leave> {
    let Some(sign) = warning::of(node) else { return Ok(Leave::Free) };
    let what = format!("{} in {}", target::label(node), app.name);
    Ok(match cx.warden.leave(&Risk { app, doing, what, sign })? {
        warden::Leave::Free => Leave::Free,
        warden::Leave::Given => Leave::Given,
        warden::Leave::Refused { why, next } => refused(node, &why, next),
    })
}

fn refused(node: &Node, why: &str, next: Option<String>) -> Leave {
    let tried = vec![Tried { way: "question".to_owned(), why: why.to_owned() }];
    let done = Done { tried, escalation: next, ..Done::new(Verdict::Refused, "none") };
    Leave::Refused(Box::new(done.to(target::label(node))))
}

/// What has the keyboard and would be pressed by a key.
fn at_the_keyboard(cx: &Context<'_>, app: Option<&str>) -> Option<(App, Node)> {
    // An app that cannot be looked at is typed into as it is.
    let app = verbs::app::meant(cx, app).ok()?;
    let within = Extent::of(target::SEEN);
    let seen = cx.desktop.tree.walk(&app, &app.root, &within, cx.by).ok()?;
    let node = seen.node(sight::focused(&seen)?).clone();
    PRESSED.contains(&node.role).then_some((app, node))
}

/// What warns of a loss and lies at a point of the frontmost window there.
fn under_the_pointer(cx: &Context<'_>, (x, y): (i32, i32)) -> Option<(App, Node)> {
    let all = cx.desktop.windows.as_ref()?.list(cx.by).ok()?;
    let top = all.into_iter().find(|one| !one.minimized && one.frame.contains(x, y))?;
    // An app that cannot be looked at is clicked as it is.
    let app = verbs::app::meant(cx, Some(&top.pid.to_string())).ok()?;
    let within = Extent::of(Facets { bounds: true, ..target::SEEN });
    let seen = cx.desktop.tree.walk(&app, &app.root, &within, cx.by).ok()?;
    // GTK 4 says of nothing that it is showing.
    let tells = seen.iter().any(|(_, node)| node.states.has(State::Showing));
    let mut there = seen.iter().filter(|(_, node)| {
        PRESSED.contains(&node.role)
            && (!tells || node.states.has(State::Showing))
            && node.bounds.is_some_and(|bounds| bounds.contains(x, y))
            && warning::of(node).is_some()
    });
    let (_, node) = there.next_back()?;
    Some((app, node.clone()))
}

/// Whether a combination presses what has the keyboard.
fn presses(combo: &Combo) -> bool {
    let is_key = |key: &Key| {
        matches!(key, Key::Named(Named::Return | Named::Space) | Key::Char(' ' | '\n' | '\r'))
    };
    let holds = |key: &Key| matches!(key, Key::Named(Named::Control | Named::Alt | Named::Logo));
    combo.keys.iter().any(is_key) && !combo.keys.iter().any(holds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verbs::keys;

    #[test]
    fn only_keys_that_press_a_button_are_asked_about() {
        for (combo, is_press) in [
            ("return", true),
            ("space", true),
            ("shift+return", true),
            ("ctrl+return", false),
            ("a", false),
            ("tab", false),
        ] {
            assert_eq!(presses(&keys::parse(combo).unwrap()), is_press, "{combo}");
        }
    }
}
