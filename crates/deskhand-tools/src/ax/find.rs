//! `ax_find`: finds the one element that a query matches.

use deskhand_locate::{Error as Unfound, LocatedElement as Hit, Query, Strategy};
use deskhand_model::{App, Explain};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::core;
use crate::{
    Context, Effect, Error, Image, Offer, ProgressEvent, Render, Requirement, Result, StyledText,
    Tool, ToolSpec,
    verbs::{
        self, tree::SearchResult, tree::element::describe, tree::explain,
        tree::sanitize::HiddenTextPolicy,
    },
};

pub(crate) struct AxFind;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Name, alias or pid
    app: String,
    /// Title text, `role:title`, `role:button title:Save`, /regex/, XPath or a ref such as e12
    query: String,
    #[serde(default)]
    strategy: Strategy,
    /// If nothing matches: ask your model to look, or return a screenshot
    #[serde(default)]
    explain: bool,
    /// Include invisible text, marked
    #[serde(default)]
    include_invisible: bool,
}

#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct FindResult {
    found: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strategy: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    healed: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    position: Vec<i32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    size: Vec<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    enabled: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    focused: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    element_ref: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suggestions: Vec<String>,
    #[serde(skip)]
    #[schemars(skip)]
    picture: Option<Image>,
}

impl Render for FindResult {
    fn render(&self) -> StyledText {
        super::as_data(self)
    }

    fn take_image(&mut self) -> Option<Image> {
        self.picture.take()
    }

    fn succeeded(&self) -> bool {
        self.found
    }
}

impl Tool for AxFind {
    const SPEC: ToolSpec = ToolSpec {
        name: "ax_find",
        command: "",
        about: "Find one element. Several matches are an error that lists their refs; no match \
                lists near elements.",
        effect: Effect::Observe,
        needs: &[Requirement::Tree],
    };
    const OFFER: Option<Offer> = core("Find UI element");
    type Args = Args;
    type Output = FindResult;

    fn run(cx: &Context<'_>, args: Args) -> Result<FindResult> {
        let query = Query::parse(&args.query, args.strategy)?;
        let app = verbs::app::resolve_app(cx, Some(&args.app))?;
        report(cx, 1.0, format!("searching {}", app.name));
        let policy = HiddenTextPolicy::from_include_hidden(args.include_invisible);
        let sought = match verbs::tree::find_element_with(cx, &app, &query, policy) {
            Err(error @ Error::Locate(Unfound::NoMatch { .. })) if args.explain => {
                return explained(cx, &app, &args.query, &error);
            }
            sought => sought?,
        };
        let found = found(cx, &app, sought)?;
        report(cx, 2.0, "found it".to_owned());
        Ok(found)
    }
}

fn report(cx: &Context<'_>, step: f64, words: String) {
    // Progress is optional: a caller that no longer listens changes nothing.
    let _ = (cx.progress)(ProgressEvent::progress(step, Some(2.0), words));
}

fn found(cx: &Context<'_>, app: &App, mut sought: SearchResult<Hit>) -> Result<FindResult> {
    let hit = sought.found;
    let element = describe(cx, app, &mut sought.tree, &[hit.index])?.remove(0);
    sought.tree.save_refs()?;
    let confidence = hit.healed.as_ref().map_or(hit.confidence, |healed| healed.confidence);
    Ok(FindResult {
        found: true,
        method: Some("accessibility"),
        strategy: Some(hit.by.word()),
        confidence: Some((f64::from(confidence) * 100.0).round() / 100.0),
        healed: hit.healed.map(|healed| healed.by.word()),
        value: element.value_text(),
        role: Some(element.role),
        title: Some(element.title),
        position: element.position.map_or(Vec::new(), Vec::from),
        size: element.size.map_or(Vec::new(), Vec::from),
        enabled: Some(element.enabled),
        focused: Some(element.focused),
        element_ref: Some(element.element_ref),
        ..FindResult::default()
    })
}

/// No element matches, with the reason.
fn explained(cx: &Context<'_>, app: &App, query: &str, error: &Error) -> Result<FindResult> {
    let explanation = explain::explain_no_match(cx, app, query)?;
    let near = error.advice();
    let near = near.map_or(String::new(), |advice| format!(" ({})", super::spell(&advice)));
    Ok(FindResult {
        explanation: Some(format!("{error}{near}. {}", explanation.text)),
        suggestions: explanation.queries,
        picture: explanation.screenshot,
        ..FindResult::default()
    })
}
