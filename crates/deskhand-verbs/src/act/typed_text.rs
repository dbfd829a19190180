//! The proof that typed text has arrived. Only the text itself counts: a selection, a moved focus or
//! a new window shows that something happened, not that the text is there.

use deskhand_model::{App, Node, NodeId, Role};
use deskhand_platform::{Deadline, TextContent, WalkOptions};

use super::{
    target::{ActionTarget, SNAPSHOT_FACETS},
    timing,
    type_text::TypeRequest,
    verify::{Expectation, poll_until},
};
use crate::{
    Context,
    effect::{ActionEffect, ActionOutcome, Evidence, EvidenceKind},
};

/// The way in which typed text is verified.
pub(super) struct TextProof {
    app: App,
    id: NodeId,
    kind: ProofKind,
}

#[derive(Debug, Clone, PartialEq)]
enum ProofKind {
    /// The element reports its complete text, which must be this.
    Complete(String),
    /// Only the text that the element shows is known. The typed text must appear in it more
    /// often than before.
    Shown { typed: String, before: usize },
    /// No text can be read, so nothing confirms the typing.
    Unreadable,
}

impl TextProof {
    /// Reads the text before anything is typed.
    pub(super) fn before_typing(
        cx: &Context<'_>,
        target: &ActionTarget,
        request: TypeRequest<'_>,
    ) -> Self {
        let (app, id) = (target.app.clone(), target.node.id.clone());
        // A terminal reports the lines of its screen, and the program in it decides where typed text
        // appears.
        let is_terminal = target.node.role == Role::Terminal;
        let own_text = if is_terminal { None } else { read_text(cx, target) };
        let kind = match own_text {
            Some(text) => ProofKind::Complete(merged_text(&text, request)),
            None => match shown_text(cx, &app, &id) {
                Some(shown) => {
                    let typed = squeezed(request.text);
                    ProofKind::Shown { before: count(&squeezed(&shown), &typed), typed }
                }
                None => ProofKind::Unreadable,
            },
        };
        Self { app, id, kind }
    }

    /// Returns the change to wait for.
    pub(super) fn expectation(&self) -> Expectation {
        match &self.kind {
            ProofKind::Complete(text) => Expectation::Text(text.clone()),
            ProofKind::Shown { .. } | ProofKind::Unreadable => Expectation::AnyChange,
        }
    }

    /// Corrects an outcome that another change than the text has confirmed.
    pub(super) fn judge(&self, cx: &Context<'_>, mut outcome: ActionOutcome) -> ActionOutcome {
        if outcome.effect == ActionEffect::Refused {
            return outcome;
        }
        let unverified = "the text could not be read back: take a screenshot to see it";
        match &self.kind {
            ProofKind::Complete(_) => outcome,
            ProofKind::Shown { typed, before } => {
                let appeared = || {
                    shown_text(cx, &self.app, &self.id)
                        .is_some_and(|now| count(&squeezed(&now), typed) > *before)
                };
                if !typed.is_empty() && poll_until(timing::SHOWN_TEXT_TIMEOUT, appeared) {
                    let subject = outcome.target.clone().unwrap_or_default();
                    let evidence =
                        Evidence::new(EvidenceKind::Text, format!("{subject} shows the text"));
                    outcome.evidence.insert(0, evidence);
                    outcome.effect = ActionEffect::Confirmed;
                    outcome.next_step = None;
                    return outcome;
                }
                downgrade(outcome, unverified)
            }
            ProofKind::Unreadable => downgrade(outcome, unverified),
        }
    }
}

/// Takes the confirmation away from an outcome. The observed changes stay in it.
fn downgrade(mut outcome: ActionOutcome, next_step: &'static str) -> ActionOutcome {
    if outcome.effect == ActionEffect::Confirmed {
        outcome.effect = ActionEffect::Unverified;
        return outcome.with_next_step(next_step);
    }
    outcome
}

/// Returns the text that an element should have afterwards.
fn merged_text(before: &TextContent, request: TypeRequest<'_>) -> String {
    if request.clear {
        return request.text.to_owned();
    }
    if before.secret {
        // Only the length of a secret is known and compared.
        return "•".repeat(before.length) + request.text;
    }
    let caret = before.caret.unwrap_or(before.length);
    let (from, to) = before.selected.unwrap_or((caret, caret));
    let head: String = before.text.chars().take(from).collect();
    let tail: String = before.text.chars().skip(to).collect();
    head + request.text + &tail
}

/// Reads the text of an element; `None` if it cannot be read.
pub(super) fn read_text(cx: &Context<'_>, target: &ActionTarget) -> Option<TextContent> {
    let deadline = Deadline::after(timing::TEXT_READ_TIMEOUT);
    // An element whose text cannot be read is typed into as it is.
    cx.desktop.tree.text(&target.app, &target.node.id, deadline).ok().flatten()
}

/// Returns the text that an element shows: its own, or that of the elements inside it, as with the
/// paragraphs of a shape in a presentation.
fn shown_text(cx: &Context<'_>, app: &App, id: &NodeId) -> Option<String> {
    let deadline = Deadline::after(timing::TEXT_READ_TIMEOUT);
    // An element that cannot be read shows no text that could be compared.
    let own = cx.desktop.tree.text(app, id, deadline).ok().flatten();
    if let Some(own) = own.filter(|own| !own.secret) {
        return Some(own.text);
    }
    let options = WalkOptions::with_fields(SNAPSHOT_FACETS);
    let inside = cx.desktop.tree.walk(app, id, &options, deadline).ok()?;
    let start = inside.position(id)?;
    let texts: Vec<&str> =
        inside.subtree(start).map(|at| inside.node(at)).filter_map(Node::text).collect();
    (!texts.is_empty()).then(|| texts.concat())
}

/// Removes all white space. Terminals and shapes break lines where there is no room.
fn squeezed(text: &str) -> String {
    text.chars().filter(|one| !one.is_whitespace()).collect()
}

/// Counts how often a text occurs in another.
fn count(text: &str, part: &str) -> usize {
    if part.is_empty() { 0 } else { text.matches(part).count() }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use deskhand_model::{State, Value};
    use deskhand_platform::ActionReply;

    use super::*;
    use crate::{
        act::{ActionMode, type_text::type_text},
        testing::{FakeCallEnv, element},
    };

    const THIRD: TypeRequest<'_> =
        TypeRequest { text: "Third", clear: false, pause: Duration::ZERO };

    fn type_third(env: &FakeCallEnv) -> ActionOutcome {
        let app = env.fake.app();
        type_text(&env.context(), &app, Some("shape"), THIRD, ActionMode::Background).unwrap()
    }

    /// Returns a shape that has no text itself, with a paragraph inside it.
    fn shape() -> FakeCallEnv {
        let mut shape = element("shape", Role::Panel);
        shape.states = shape.states.with(State::Editable);
        let mut paragraph = element("paragraph", Role::Paragraph);
        paragraph.value = Some(Value::Text { text: String::new(), length: 0 });
        FakeCallEnv::with_tree(vec![(shape, 1), (paragraph, 2)])
    }

    #[test]
    fn a_selection_does_not_confirm_typed_text() {
        let env = shape();
        env.fake.on_act(|app, _, _| {
            let states = app.node("shape").states;
            app.node("shape").states = states.with(State::Selected);
            Ok(ActionReply::Accepted)
        });
        let outcome = type_third(&env);
        assert_eq!(outcome.effect, ActionEffect::Unverified, "{outcome:?}");
        assert!(!outcome.evidence.is_empty(), "the selection is reported");
    }

    #[test]
    fn text_that_appears_inside_the_element_confirms_typing() {
        let env = shape();
        env.fake.on_act(|app, _, _| {
            let text = "Third".to_owned();
            app.node("paragraph").value = Some(Value::Text { text, length: 5 });
            Ok(ActionReply::Accepted)
        });
        let outcome = type_third(&env);
        assert_eq!(outcome.effect, ActionEffect::Confirmed, "{outcome:?}");
        assert_eq!(outcome.evidence[0].kind, EvidenceKind::Text);
    }

    fn text(text: &str, caret: usize, selected: Option<(usize, usize)>) -> TextContent {
        let length = text.chars().count();
        TextContent { text: text.to_owned(), caret: Some(caret), selected, length, secret: false }
    }

    #[test]
    fn text_is_inserted_at_the_caret_and_replaces_the_selection() {
        let request = TypeRequest { text: "ß", clear: false, pause: Duration::ZERO };
        assert_eq!(merged_text(&text("aüb", 2, None), request), "aüßb");
        assert_eq!(merged_text(&text("aüb", 3, Some((0, 2))), request), "ßb");
        assert_eq!(merged_text(&text("aüb", 1, None), TypeRequest { clear: true, ..request }), "ß");
    }

    #[test]
    fn line_breaks_of_a_screen_do_not_hide_a_text() {
        let screen = "$ echo a lo\nng line\n$ \n\n";
        assert_eq!(count(&squeezed(screen), &squeezed("echo a long line\n")), 1);
        assert_eq!(count(&squeezed(screen), &squeezed("\n")), 0);
    }
}
