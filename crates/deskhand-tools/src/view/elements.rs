//! `view_elements`: what some elements of an app are, as events name them.

use deskhand_model::{NodeId, Role, State};
use deskhand_platform::Facets;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Context, Effect, Need, Result, Spec, Tool};

pub(crate) struct Elements;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The process of the app.
    pid: u32,
    /// The elements, as the platform knows them.
    ids: Vec<String>,
}

/// What elements are.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Named {
    /// One for each that was asked for; null where it is gone.
    elements: Vec<Option<Brief>>,
}

#[derive(Serialize, JsonSchema)]
struct Brief {
    /// Its role in the macOS spelling.
    role: &'static str,
    /// What it is called.
    title: String,
    /// Whether it is a window that asks something.
    dialog: bool,
}

impl Tool for Elements {
    const SPEC: Spec = Spec {
        name: "view_elements",
        command: "",
        about: "Role and name of some elements of an app.",
        effect: Effect::Observe,
        needs: &[Need::Tree],
    };
    type Args = Args;
    type Output = Named;

    fn run(cx: &Context<'_>, args: Args) -> Result<Named> {
        let nobody = || args.ids.iter().map(|_| None).collect();
        let Some(app) = cx.desktop.tree.apps_of(&[args.pid], cx.by)?.pop() else {
            return Ok(Named { elements: nobody() });
        };
        let ids: Vec<NodeId> = args.ids.iter().map(|id| NodeId::new(id.as_str())).collect();
        let nodes = cx.desktop.tree.read(&app, &ids, Facets::NAMES, cx.by)?;
        let brief = |node: deskhand_model::Node| Brief {
            role: node.role.ax(),
            dialog: is_dialog(node.role) || node.states.has(State::Modal),
            title: node.name,
        };
        Ok(Named { elements: nodes.into_iter().map(|node| node.map(brief)).collect() })
    }
}

/// Whether a window of this kind asks something.
fn is_dialog(role: Role) -> bool {
    matches!(
        role,
        Role::Dialog | Role::Alert | Role::FileChooser | Role::ColorChooser | Role::FontChooser
    )
}
