//! `attributes`: shows everything known about one element.

use std::collections::BTreeMap;

use deskhand_locate::{Query, Strategy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Context, Effect, Render, Requirement, Result, Style, StyledText, Tool, ToolSpec,
    styled_text::{StyledSpan, span},
    verbs::{
        self,
        tree::element::{ElementInfo, describe},
    },
};

pub(crate) struct AttributesCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The element: a ref such as `e12`, or a query that matches exactly one.
    query: String,
    /// The app: its name, pid or desktop-file id (default: the focused app).
    app: Option<String>,
}

/// Everything known about one element.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ElementAttributes {
    #[serde(flatten)]
    element: ElementInfo,
    /// Attributes as the platform reports them, under its own names.
    platform: BTreeMap<String, String>,
}

impl Render for ElementAttributes {
    fn render(&self) -> StyledText {
        let e = &self.element;
        let pair = |at: Option<[i32; 2]>, by: &str| {
            at.map(|[a, b]| format!("{a}{by}{b}")).unwrap_or_else(|| "-".to_owned())
        };
        let value = match (&e.value, e.secret) {
            (_, true) => "(secret)".to_owned(),
            (Some(value), false) => value.quoted(400),
            (None, false) => "-".to_owned(),
        };
        let mut rows: Vec<Vec<StyledSpan>> = Vec::new();
        let mut row = |name: &str, style: Style, text: &str| {
            let text = deskhand_model::outline::printable(text);
            rows.push(vec![span(Style::Kind, name), span(style, text)]);
        };
        row("ref", Style::Handle, &e.element_ref);
        row("role", Style::Plain, &format!("{} ({})", e.kind, e.role));
        row("title", Style::Strong, &e.title);
        row("value", Style::Value, &value);
        row("description", Style::Plain, &e.description);
        row("identifier", Style::Plain, &e.identifier);
        row("position", Style::Plain, &pair(e.position, ","));
        row("size", Style::Plain, &pair(e.size, "x"));
        row("states", Style::Plain, &e.states.join(" "));
        row("actions", Style::Plain, &e.actions.join(" "));
        row("window", Style::Plain, e.window.as_deref().unwrap_or_default());
        row("path", Style::Plain, &e.path);
        for (name, text) in &self.platform {
            row(name, Style::Faint, text);
        }
        StyledText::default().table(vec!["ATTRIBUTE", "VALUE"], rows)
    }
}

impl Tool for AttributesCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "attributes",
        command: "attributes",
        about: "Show everything known about one element.",
        effect: Effect::Observe,
        needs: &[Requirement::Tree],
    };
    type Args = Args;
    type Output = ElementAttributes;

    fn run(cx: &Context<'_>, args: Args) -> Result<ElementAttributes> {
        let query = Query::parse(&args.query, Strategy::Auto)?;
        let app = verbs::app::resolve_app(cx, args.app.as_deref())?;
        let mut sought = verbs::tree::find_element(cx, &app, &query)?;
        let at = sought.found.index;
        let element = describe(cx, &app, &mut sought.tree, &[at])?.remove(0);
        sought.tree.save_refs()?;
        let id = &sought.tree.snapshot.node(at).id;
        let platform = cx.desktop.tree.attributes(&app, id, cx.deadline)?;
        Ok(ElementAttributes { element, platform: platform.into_iter().collect() })
    }
}
