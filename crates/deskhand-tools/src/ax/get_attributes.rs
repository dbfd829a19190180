//! `ax_get_attributes`: returns everything known about an element.

use std::collections::BTreeMap;

use deskhand_locate::{Query, Strategy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::offer;
use crate::{
    Context, Effect, Offer, Requirement, Result, Tool, ToolSpec,
    verbs::{self, tree::element::describe},
};

pub(crate) struct AxGetAttributes;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Name, alias or pid
    app: String,
    /// Ref or query
    query: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct AttributesResult {
    element_ref: String,
    role: &'static str,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    secret: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    identifier: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    position: Vec<i32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    size: Vec<i32>,
    visible: bool,
    states: Vec<&'static str>,
    actions: Vec<String>,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    window: Option<String>,
    platform: BTreeMap<String, String>,
}

impl Tool for AxGetAttributes {
    const SPEC: ToolSpec = ToolSpec {
        name: "ax_get_attributes",
        command: "",
        about: "Return everything known about one element.",
        effect: Effect::Observe,
        needs: &[Requirement::Tree],
    };
    const OFFER: Option<Offer> = offer("Get all element attributes");
    type Args = Args;
    type Output = AttributesResult;

    fn run(cx: &Context<'_>, args: Args) -> Result<AttributesResult> {
        let query = Query::parse(&args.query, Strategy::Auto)?;
        let app = verbs::app::resolve_app(cx, Some(&args.app))?;
        let mut sought = verbs::tree::find_element(cx, &app, &query)?;
        let at = sought.found.index;
        let element = describe(cx, &app, &mut sought.tree, &[at])?.remove(0);
        sought.tree.save_refs()?;
        let id = &sought.tree.snapshot.node(at).id;
        let platform = cx.desktop.tree.attributes(&app, id, cx.deadline)?;
        Ok(AttributesResult {
            value: element.value_text(),
            element_ref: element.element_ref,
            role: element.role,
            title: element.title,
            secret: element.secret,
            description: element.description,
            identifier: element.identifier,
            position: element.position.map_or(Vec::new(), Vec::from),
            size: element.size.map_or(Vec::new(), Vec::from),
            visible: element.visible,
            states: element.states,
            actions: element.actions,
            path: element.path,
            window: element.window,
            platform: platform.into_iter().collect(),
        })
    }
}
