//! What is done through accessibility shows in the app.

use std::{thread::sleep, time::Duration};

use deskhand_model::{Node, State};

use super::{AppUse, Check, Fault, Outcome, Scene, ensure, eventually, soon};
use crate::{Act, Error, Facets, Reply};

/// Between two presses: Qt 5 and GTK 4 show a button down for a moment, in which it takes no other.
const BUTTON: Duration = Duration::from_millis(400);

/// A text no keyboard has all letters of.
const MIXED: &str = "Grüße ✓ 日本 🙂\nsecond line";

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "a_text_that_is_set_is_read_back",
        covers: &["Tree::perform", "Tree::text", "Tree::walk"],
        needs: &[],
        app: AppUse::Shared,
        run: set,
    },
    Check {
        name: "a_text_is_put_where_the_caret_is",
        covers: &["Tree::perform", "Tree::text"],
        needs: &[],
        app: AppUse::Shared,
        run: insert,
    },
    Check {
        name: "an_ability_an_element_lacks_is_unsupported_and_changes_nothing",
        covers: &["Tree::perform"],
        needs: &[],
        app: AppUse::Shared,
        run: unknown,
    },
    Check {
        name: "a_press_shows_in_the_app",
        covers: &["Tree::perform", "Tree::walk"],
        needs: &[],
        app: AppUse::Shared,
        run: press,
    },
    Check {
        name: "an_element_takes_the_focus_of_its_window",
        covers: &["Tree::perform", "Tree::read"],
        needs: &[super::Part::Windows],
        app: AppUse::Shared,
        run: focus,
    },
];

/// Does something that must not be refused.
pub(super) fn act(scene: &Scene<'_>, on: &Node, act: &Act) -> Outcome {
    let reply = scene.desktop.tree.perform(&scene.app, &on.id, act, soon())?;
    // An app may answer late; what it did is looked at by the caller.
    ensure!(reply != Reply::Declined, "{act:?} was declined by {:?}", on.id);
    Ok(())
}

fn set(scene: &Scene<'_>) -> Outcome {
    let field = scene.text_field()?;
    for text in ["plain", MIXED, ""] {
        act(scene, &field, &Act::SetText(text.to_owned()))?;
        scene.awaits_text(&field.id, text)?;
        let told = scene.desktop.tree.text(&scene.app, &field.id, soon())?;
        let length = told.map(|told| (told.length, told.text.chars().count()));
        ensure!(
            length.is_some_and(|(says, is)| says == is),
            "{text:?} is told to be {length:?} characters long"
        );
        eventually(|| {
            let look = scene.look()?;
            let shown = look.position(&field.id).and_then(|at| look.node(at).text());
            let same = shown.unwrap_or_default().trim_end_matches('\n') == text;
            Ok((!same).then(|| format!("the tree shows {shown:?} where {text:?} was set")))
        })?;
    }
    Ok(())
}

fn insert(scene: &Scene<'_>) -> Outcome {
    let field = scene.text_field()?;
    act(scene, &field, &Act::SetText("🙂ab".to_owned()))?;
    scene.awaits_text(&field.id, "🙂ab")?;
    act(scene, &field, &Act::SetCaret(2))?;
    eventually(|| {
        let text = scene.desktop.tree.text(&scene.app, &field.id, soon())?;
        let caret = text.and_then(|text| text.caret);
        Ok((caret != Some(2)).then(|| format!("the caret was put at 2 and is at {caret:?}")))
    })?;
    act(scene, &field, &Act::Insert("ü🙂".to_owned()))?;
    scene.awaits_text(&field.id, "🙂aü🙂b")
}

fn unknown(scene: &Scene<'_>) -> Outcome {
    let tree = &scene.desktop.tree;
    let wanted = scene.subject.elements.first().ok_or(Fault::NotInSubject("element"))?;
    let node = scene.element(wanted)?;
    let before = scene.look()?;
    let mut acts = vec![Act::Do("no such action".to_owned())];
    if scene.subject.text.is_none() {
        acts.push(Act::SetText("nowhere".to_owned()));
    }
    for act in acts {
        let answer = tree.perform(&scene.app, &node.id, &act, soon());
        let refused = matches!(answer, Err(Error::Unsupported { .. }));
        ensure!(refused, "{act:?} on {:?} came to {answer:?}", node.id);
    }
    let after = scene.look()?;
    ensure!(before.len() == after.len(), "{} elements became {}", before.len(), after.len());
    Ok(())
}

fn press(scene: &Scene<'_>) -> Outcome {
    let press = scene.subject.press.as_ref().ok_or(Fault::NotInSubject("button to press"))?;
    let node = scene.element(&press.what)?;
    ensure!(node.actions.contains(&press.action), "{:?} can only {:?}", node.id, node.actions);
    let shows = |scene: &Scene<'_>| -> Result<bool, Fault> {
        let look = scene.look()?;
        Ok(look.iter().any(|(_, node)| {
            node.text().is_some_and(|text| text.contains(&press.shows)) || node.name == press.shows
        }))
    };
    ensure!(!shows(scene)?, "{:?} is there before anything is pressed", press.shows);
    for _ in 0..press.times {
        act(scene, &node, &Act::Do(press.action.clone()))?;
        sleep(BUTTON);
    }
    eventually(|| Ok((!shows(scene)?).then(|| format!("{:?} did not show up", press.shows))))
}

fn focus(scene: &Scene<'_>) -> Outcome {
    let field = scene.text_field()?;
    scene.to_front()?;
    act(scene, &field, &Act::Focus)?;
    eventually(|| {
        let ids = std::slice::from_ref(&field.id);
        let read = scene.desktop.tree.read(&scene.app, ids, Facets::NAMES, soon())?;
        let has = |node: &Node| node.states.has(State::Focused);
        let focused = read.iter().flatten().any(has);
        Ok((!focused).then(|| format!("{read:?} does not have the focus")))
    })
}
