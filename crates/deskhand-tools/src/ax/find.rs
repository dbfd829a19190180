//! `ax_find`: the one element a query means.

use deskhand_locate::{Query, Strategy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::core;
use crate::{
    Context, Effect, Need, Offer, Result, Spec, Tool,
    verbs::{self, element::describe},
};

pub(crate) struct Find;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Name, alias or pid
    app: String,
    /// Title text, `role:title`, `role:button title:Save`, /regex/, XPath or a ref such as e12
    query: String,
    #[serde(default)]
    strategy: Strategy,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Found {
    found: bool,
    method: &'static str,
    strategy: &'static str,
    confidence: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    healed: Option<&'static str>,
    role: &'static str,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    position: Vec<i32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    size: Vec<i32>,
    enabled: bool,
    focused: bool,
    element_ref: String,
}

impl Tool for Find {
    const SPEC: Spec = Spec {
        name: "ax_find",
        command: "",
        about: "Find one element. Several matches are an error that lists their refs; none, what is near.",
        effect: Effect::Observe,
        needs: &[Need::Tree],
    };
    const OFFER: Option<Offer> = core("Find UI element");
    type Args = Args;
    type Output = Found;

    fn run(cx: &Context<'_>, args: Args) -> Result<Found> {
        let query = Query::parse(&args.query, args.strategy)?;
        let app = verbs::app::meant(cx, Some(&args.app))?;
        let mut sought = verbs::look::one(cx, &app, &query)?;
        let hit = sought.found;
        let element = describe(cx, &app, &mut sought.look, &[hit.index])?.remove(0);
        sought.look.keep()?;
        let confidence = hit.healed.as_ref().map_or(hit.confidence, |healed| healed.confidence);
        Ok(Found {
            found: true,
            method: "accessibility",
            strategy: hit.by.word(),
            confidence: (f64::from(confidence) * 100.0).round() / 100.0,
            healed: hit.healed.map(|healed| healed.by.word()),
            value: element.text(),
            role: element.role,
            title: element.title,
            position: element.position.map_or(Vec::new(), Vec::from),
            size: element.size.map_or(Vec::new(), Vec::from),
            enabled: element.enabled,
            focused: element.focused,
            element_ref: element.element_ref,
        })
    }
}
