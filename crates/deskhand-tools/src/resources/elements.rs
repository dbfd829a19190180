//! `view_elements`: describes elements that events refer to.

use deskhand_model::{App, Node, NodeId, Role, State};
use deskhand_platform::NodeFields;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Context, Effect, Requirement, Result, Tool, ToolSpec};

pub(crate) struct ElementsView;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Process id of the app.
    pid: u32,
    /// The platform ids of the elements.
    ids: Vec<String>,
}

/// The described elements.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ElementSummaries {
    /// One entry per requested element; null if the element is gone.
    elements: Vec<Option<ElementSummary>>,
}

#[derive(Serialize, JsonSchema)]
struct ElementSummary {
    /// Role in the macOS spelling.
    role: &'static str,
    /// Name; empty if the element is invisible.
    title: String,
    /// `true` if it is a window that asks the user something.
    dialog: bool,
}

impl Tool for ElementsView {
    const SPEC: ToolSpec = ToolSpec {
        name: "view_elements",
        command: "",
        about: "Role and name of elements of an app.",
        effect: Effect::Observe,
        needs: &[Requirement::Tree],
    };
    type Args = Args;
    type Output = ElementSummaries;

    fn run(cx: &Context<'_>, args: Args) -> Result<ElementSummaries> {
        let nobody = || args.ids.iter().map(|_| None).collect();
        let Some(app) = cx.desktop.tree.apps_by_pid(&[args.pid], cx.deadline)?.pop() else {
            return Ok(ElementSummaries { elements: nobody() });
        };
        let ids: Vec<NodeId> = args.ids.iter().map(|id| NodeId::new(id.as_str())).collect();
        let what = NodeFields { bounds: true, ..NodeFields::MINIMAL };
        let nodes = cx.desktop.tree.read(&app, &ids, what, cx.deadline)?;
        let brief = |node: Node| ElementSummary {
            role: node.role.ax(),
            dialog: is_dialog(node.role) || node.states.has(State::Modal),
            title: if is_seen(&app, &node) { node.name } else { String::new() },
        };
        Ok(ElementSummaries { elements: nodes.into_iter().map(|node| node.map(brief)).collect() })
    }
}

/// Returns `true` if the element reports that it is visible.
fn is_seen(app: &App, node: &Node) -> bool {
    // GTK 4 says of nothing that it is showing.
    let silent = app.toolkit.name == "GTK" && !app.toolkit.version.starts_with(['2', '3']);
    let shows = silent || node.states.has(State::Showing);
    let has_room = node
        .bounds
        .is_none_or(|room| !room.is_empty() && room.x + room.width > 0 && room.y + room.height > 0);
    node.role.is_window() || (shows && has_room)
}

/// Returns `true` if a window with this role asks the user something.
fn is_dialog(role: Role) -> bool {
    matches!(
        role,
        Role::Dialog | Role::Alert | Role::FileChooser | Role::ColorChooser | Role::FontChooser
    )
}

#[cfg(test)]
mod tests {
    use deskhand_model::Rect;

    use super::*;
    use crate::testing::app;

    #[test]
    fn what_nobody_sees_has_no_name() {
        let node = |role, states: &[State], bounds| Node {
            states: states.iter().copied().collect(),
            bounds,
            ..Node::new(NodeId::new("n"), role)
        };
        let app = app("root");
        let room = Some(Rect::new(10, 10, 80, 20));
        let label = Role::Label;
        assert!(is_seen(&app, &node(label, &[State::Showing], room)));
        assert!(is_seen(&app, &node(label, &[State::Showing], None)), "it does not say where");
        assert!(!is_seen(&app, &node(label, &[], room)));
        assert!(!is_seen(&app, &node(label, &[State::Showing], Some(Rect::new(9, 9, 0, 0)))));
        assert!(!is_seen(&app, &node(label, &[State::Showing], Some(Rect::new(-9999, 0, 50, 9)))));
        assert!(is_seen(&app, &node(Role::Window, &[], None)), "minimized");
    }
}
