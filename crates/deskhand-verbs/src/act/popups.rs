//! Pop-up windows that an action opens and that the accessibility tree does not contain, such as the
//! context menus of some Qt programs.

use deskhand_model::{Advice, App, Rect, Role, Snapshot, State, Step};
use deskhand_platform::{Deadline, NodeFields, VisibleWindow, WalkOptions};

use super::{timing, verify::poll_until};
use crate::{
    Context,
    effect::{ActionEffect, ActionOutcome, Evidence, EvidenceKind},
};

/// The window type of tooltips, which appear under a resting pointer without any action.
const TOOLTIP: &str = "tooltip";

/// The windows on the screen before an action.
pub(super) struct PopupWatch {
    app: App,
    before: Vec<u64>,
}

impl PopupWatch {
    /// Lists the windows on the screen.
    pub(super) fn start(cx: &Context<'_>, app: &App) -> Self {
        let before = visible(cx).into_iter().map(|window| window.id).collect();
        Self { app: app.clone(), before }
    }

    /// Completes the outcome of an action that should open a pop-up. One that is not in the tree is
    /// reported. Without one, a selection alone does not confirm the action.
    pub(super) fn report(&self, cx: &Context<'_>, outcome: ActionOutcome) -> ActionOutcome {
        let mut popup = None;
        poll_until(timing::POPUP_TIMEOUT, || {
            popup = self.opened(cx);
            popup.is_some()
        });
        match popup {
            Some(rect) if is_in_tree(cx, &self.app, rect) => outcome,
            Some(rect) => with_popup(outcome, rect),
            None => without_popup(outcome),
        }
    }

    /// Returns the area of a pop-up that opened since.
    fn opened(&self, cx: &Context<'_>) -> Option<Rect> {
        let windows = cx.desktop.windows.as_ref()?;
        let deadline = Deadline::after(timing::ELEMENT_READ_TIMEOUT);
        // A window that the window manager lists is no pop-up.
        let listed = windows.list(deadline).ok()?;
        let is_own =
            |window: &VisibleWindow| window.owners.iter().any(|owner| owner.pid == self.app.pid);
        let is_tooltip =
            |id: u64| windows.state(id, deadline).is_ok_and(|state| state.kind == TOOLTIP);
        visible(cx)
            .into_iter()
            .filter(|window| is_own(window) && !self.before.contains(&window.id))
            .filter(|window| listed.iter().all(|known| known.id != window.id))
            .find(|window| !is_tooltip(window.id))
            .map(|window| window.rect)
    }
}

fn visible(cx: &Context<'_>) -> Vec<VisibleWindow> {
    let deadline = Deadline::after(timing::ELEMENT_READ_TIMEOUT);
    // Without a list of the screen, no pop-up is known.
    cx.desktop.windows.as_ref().and_then(|all| all.visible(deadline).ok()).unwrap_or_default()
}

/// Returns `true` if the tree contains a menu entry inside the area.
fn is_in_tree(cx: &Context<'_>, app: &App, area: Rect) -> bool {
    let fields = NodeFields { bounds: true, ..NodeFields::MINIMAL };
    let options = WalkOptions::with_fields(fields);
    let deadline = Deadline::after(timing::MAX_TREE_READ);
    // An app that does not answer is not said to lack something.
    cx.desktop
        .tree
        .walk(app, &app.root, &options, deadline)
        .map_or(true, |snapshot| has_entry_in(&snapshot, area))
}

fn has_entry_in(snapshot: &Snapshot, area: Rect) -> bool {
    // Rows and buttons may lie beneath the pop-up.
    let is_entry = |role: Role| {
        matches!(role, Role::Menu | Role::MenuItem | Role::CheckMenuItem | Role::RadioMenuItem)
    };
    snapshot.iter().any(|(_, node)| {
        let is_inside = node
            .bounds
            .is_some_and(|bounds| !bounds.is_empty() && bounds.intersection(area) == Some(bounds));
        is_entry(node.role) && node.states.has(State::Showing) && is_inside
    })
}

/// Takes the confirmation away from an outcome that only a selection confirms.
fn without_popup(mut outcome: ActionOutcome) -> ActionOutcome {
    let only_selected = outcome.evidence.iter().all(Evidence::is_selection);
    if outcome.effect == ActionEffect::Confirmed && only_selected {
        outcome.effect = ActionEffect::Unverified;
        return outcome.with_next_step("no menu was found; take a screenshot to see the window");
    }
    outcome
}

fn with_popup(mut outcome: ActionOutcome, area: Rect) -> ActionOutcome {
    let Rect { x, y, width, height } = area;
    let subject = format!(
        "a pop-up opened at {x},{y} {width}x{height}, which is not in the accessibility tree"
    );
    outcome.evidence.push(Evidence::new(EvidenceKind::Window, subject));
    outcome.effect = ActionEffect::Confirmed;
    outcome.with_next_step(
        Advice::from("see the pop-up with ")
            .step(Step::Screenshot)
            .text("; choose an entry with ")
            .step(Step::PressKey)
            .text(" (Down, Return) or ")
            .step(Step::ClickPoint)
            .text(", or close it with Escape"),
    )
}

#[cfg(test)]
mod tests {
    use deskhand_model::{Index, Node, NodeId};

    use super::*;
    use crate::testing::{app, element};

    #[test]
    fn only_a_shown_entry_inside_the_area_is_the_pop_up() {
        let snapshot = |bounds, shown: bool| {
            let root = element("app", Role::Application);
            let mut item = Node { bounds: Some(bounds), ..element("Copy", Role::MenuItem) };
            if !shown {
                item.states = item.states.without(State::Showing);
            }
            let tree = Snapshot::assemble(app("app"), vec![root, item], &[vec![1], Vec::new()]);
            assert_eq!(tree.node(Index::ROOT).id, NodeId::new("app"));
            tree
        };
        let area = Rect::new(100, 100, 80, 200);
        let inside = Rect::new(102, 110, 70, 20);
        assert!(has_entry_in(&snapshot(inside, true), area));
        assert!(!has_entry_in(&snapshot(inside, false), area));
        assert!(!has_entry_in(&snapshot(Rect::new(10, 10, 70, 20), true), area));
    }

    #[test]
    fn a_selection_does_not_confirm_that_a_menu_opened() {
        let selected = Evidence::change(EvidenceKind::Selection, "x", "not selected", "selected");
        let outcome = without_popup(ActionOutcome::confirmed("pointer", selected));
        assert_eq!(outcome.effect, ActionEffect::Unverified);
        let opened = Evidence::new(EvidenceKind::Window, "window opened");
        let outcome = without_popup(ActionOutcome::confirmed("pointer", opened));
        assert_eq!(outcome.effect, ActionEffect::Confirmed);
    }

    #[test]
    fn a_pop_up_outside_the_tree_confirms_the_click_and_says_how_to_go_on() {
        let outcome = ActionOutcome::new(ActionEffect::Unverified, "pointer");
        let outcome = with_popup(outcome, Rect::new(1, 2, 3, 4));
        assert_eq!(outcome.effect, ActionEffect::Confirmed);
        assert!(outcome.evidence[0].subject.contains("not in the accessibility tree"));
        assert!(outcome.next_step.is_some());
    }
}
