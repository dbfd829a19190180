//! `ax_get_value`: returns the value of an element.

use deskhand_locate::{Query, Strategy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::offer;
use crate::{
    Context, Effect, Offer, Requirement, Result, Tool, ToolSpec,
    verbs::{self, tree::element},
};

pub(crate) struct AxGetValue;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Name, alias or pid
    app: String,
    /// Ref or query
    query: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ValueResult {
    found: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    role: &'static str,
    title: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    secret: bool,
}

impl Tool for AxGetValue {
    const SPEC: ToolSpec = ToolSpec {
        name: "ax_get_value",
        command: "",
        about: "Return the full value of an element. Passwords are never read.",
        effect: Effect::Observe,
        needs: &[Requirement::Tree],
    };
    const OFFER: Option<Offer> = offer("Get element value");
    type Args = Args;
    type Output = ValueResult;

    fn run(cx: &Context<'_>, args: Args) -> Result<ValueResult> {
        let query = Query::parse(&args.query, Strategy::Auto)?;
        let app = verbs::app::resolve_app(cx, Some(&args.app))?;
        let mut sought = verbs::tree::find_element(cx, &app, &query)?;
        let at = sought.found.index;
        let one = element::describe(cx, &app, &mut sought.tree, &[at])?.remove(0);
        sought.tree.save_refs()?;
        let id = &sought.tree.snapshot.node(at).id;
        let whole = element::read_full_text(cx, &app, id, &one)?;
        Ok(ValueResult {
            found: true,
            value: whole.or_else(|| one.value_text()),
            role: one.role,
            title: one.title,
            secret: one.secret,
        })
    }
}
