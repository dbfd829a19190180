//! Actions through accessibility have a visible effect in the app.

use std::thread::sleep;

use deskhand_model::{Node, State};

use super::{
    AppUse, CheckError, CheckResult, ConformanceCheck, Fixture, call_deadline, ensure, eventually,
    timing::PRESS_INTERVAL,
};
use crate::{ActionReply, Error, NodeAction, NodeFields};

/// A text with characters that no single keyboard layout has.
const MIXED: &str = "Grüße ✓ 日本 🙂\nsecond line";

pub(super) const CHECKS: &[ConformanceCheck] = &[
    ConformanceCheck {
        name: "a_text_that_is_set_can_be_read_back",
        covers: &["Tree::perform", "Tree::text", "Tree::walk"],
        requires: &[],
        app: AppUse::Shared,
        run: set,
    },
    ConformanceCheck {
        name: "a_text_is_inserted_at_the_caret",
        covers: &["Tree::perform", "Tree::text"],
        requires: &[],
        app: AppUse::Shared,
        run: insert,
    },
    ConformanceCheck {
        name: "an_unsupported_action_is_refused_and_changes_nothing",
        covers: &["Tree::perform"],
        requires: &[],
        app: AppUse::Shared,
        run: unknown,
    },
    ConformanceCheck {
        name: "a_press_has_a_visible_effect",
        covers: &["Tree::perform", "Tree::walk"],
        requires: &[],
        app: AppUse::Shared,
        run: press,
    },
    ConformanceCheck {
        name: "an_element_takes_the_focus_in_its_window",
        covers: &["Tree::perform", "Tree::read"],
        requires: &[super::Capability::Windows],
        app: AppUse::Shared,
        run: focus,
    },
];

/// Performs an action that the app must not decline.
pub(super) fn perform(fixture: &Fixture<'_>, node: &Node, action: &NodeAction) -> CheckResult {
    let reply = fixture.desktop.tree.perform(&fixture.app, &node.id, action, call_deadline())?;
    // The app may not have answered yet; the caller checks the effect.
    ensure!(reply != ActionReply::Declined, "{:?} declined {action:?}", node.id);
    Ok(())
}

fn set(fixture: &Fixture<'_>) -> CheckResult {
    let field = fixture.text_field()?;
    for text in ["plain", MIXED, ""] {
        perform(fixture, &field, &NodeAction::SetText(text.to_owned()))?;
        fixture.wait_for_text(&field.id, text)?;
        let content = fixture.desktop.tree.text(&fixture.app, &field.id, call_deadline())?;
        let length = content.map(|content| (content.length, content.text.chars().count()));
        ensure!(
            length.is_some_and(|(reported, actual)| reported == actual),
            "the length of {text:?} is reported as {length:?}"
        );
        eventually(|| {
            let snapshot = fixture.snapshot()?;
            let shown = snapshot.position(&field.id).and_then(|at| snapshot.node(at).text());
            let same = shown.unwrap_or_default().trim_end_matches('\n') == text;
            Ok((!same).then(|| format!("the tree contains {shown:?} after {text:?} was set")))
        })?;
    }
    Ok(())
}

fn insert(fixture: &Fixture<'_>) -> CheckResult {
    let field = fixture.text_field()?;
    perform(fixture, &field, &NodeAction::SetText("🙂ab".to_owned()))?;
    fixture.wait_for_text(&field.id, "🙂ab")?;
    perform(fixture, &field, &NodeAction::SetCaret(2))?;
    eventually(|| {
        let text = fixture.desktop.tree.text(&fixture.app, &field.id, call_deadline())?;
        let caret = text.and_then(|text| text.caret);
        Ok((caret != Some(2)).then(|| format!("the caret was set to 2 and is at {caret:?}")))
    })?;
    perform(fixture, &field, &NodeAction::Insert("ü🙂".to_owned()))?;
    fixture.wait_for_text(&field.id, "🙂aü🙂b")
}

fn unknown(fixture: &Fixture<'_>) -> CheckResult {
    let tree = &fixture.desktop.tree;
    let pattern = fixture.test_app.elements.first().ok_or(CheckError::NotInApp("element"))?;
    let node = fixture.element(pattern)?;
    let before = fixture.snapshot()?;
    let mut actions = vec![NodeAction::Invoke("no such action".to_owned())];
    if fixture.test_app.text_field.is_none() {
        actions.push(NodeAction::SetText("nowhere".to_owned()));
    }
    for action in actions {
        let answer = tree.perform(&fixture.app, &node.id, &action, call_deadline());
        let refused = matches!(answer, Err(Error::Unsupported { .. }));
        ensure!(refused, "expected `Unsupported` for {action:?}, got {answer:?}");
    }
    let after = fixture.snapshot()?;
    ensure!(
        before.len() == after.len(),
        "expected {} nodes after the refused actions, got {}",
        before.len(),
        after.len()
    );
    Ok(())
}

fn press(fixture: &Fixture<'_>) -> CheckResult {
    let press =
        fixture.test_app.press_target.as_ref().ok_or(CheckError::NotInApp("button to press"))?;
    let node = fixture.element(&press.element)?;
    ensure!(
        node.actions.contains(&press.action),
        "expected the action `{}` of {:?}, got {:?}",
        press.action,
        node.id,
        node.actions
    );
    let is_visible = |fixture: &Fixture<'_>| -> Result<bool, CheckError> {
        let snapshot = fixture.snapshot()?;
        Ok(snapshot.iter().any(|(_, node)| {
            node.text().is_some_and(|text| text.contains(&press.expected_text))
                || node.name == press.expected_text
        }))
    };
    ensure!(!is_visible(fixture)?, "{:?} is already visible before the press", press.expected_text);
    for _ in 0..press.times {
        perform(fixture, &node, &NodeAction::Invoke(press.action.clone()))?;
        sleep(PRESS_INTERVAL);
    }
    eventually(|| {
        Ok((!is_visible(fixture)?)
            .then(|| format!("{:?} did not become visible", press.expected_text)))
    })
}

fn focus(fixture: &Fixture<'_>) -> CheckResult {
    let field = fixture.text_field()?;
    fixture.focus_window()?;
    perform(fixture, &field, &NodeAction::Focus)?;
    eventually(|| {
        let ids = std::slice::from_ref(&field.id);
        let read =
            fixture.desktop.tree.read(&fixture.app, ids, NodeFields::MINIMAL, call_deadline())?;
        let is_focused = |node: &Node| node.states.has(State::Focused);
        let focused = read.iter().flatten().any(is_focused);
        Ok((!focused).then(|| format!("{read:?} does not have the focus")))
    })
}
