//! `ax_get_tree`: returns the outline of an app in pages.

use deskhand_model::outline::{LinePartKind, OutlineLine, OutlineOptions};
use deskhand_platform::{NodeFields, WalkOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::core_task;
use crate::{
    Context, Effect, Error, Int, Offer, ProgressEvent, Render, Requirement, Result, Style,
    StyledLine, StyledText, Tool, ToolSpec,
    verbs::tree::{
        page::page_outline,
        sanitize::HiddenTextPolicy,
        view::{TreeRequest, TreeStart, read_tree},
    },
    without_tree::{self, AppWithoutTree},
};

/// Maximum size of an outline page in bytes; clients truncate longer results.
const PAGE: usize = 40_000;

pub(crate) struct AxGetTree;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Name, alias or pid
    app: String,
    /// Start at this ref or query
    root_query: Option<String>,
    /// Depth of the outline
    #[serde(default = "five")]
    max_depth: Int<0, 100>,
    /// Include invisible elements, marked
    #[serde(default)]
    include_invisible: bool,
    /// Only role:title
    #[serde(default)]
    compact: bool,
    /// next_cursor of the previous page
    cursor: Option<String>,
}

fn five() -> Int<0, 100> {
    Int::of(5)
}

/// The outline of an app.
#[derive(Serialize, JsonSchema)]
pub(crate) struct TreePage {
    app: String,
    outline: String,
    elements: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    cut: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

impl Render for TreePage {
    fn render(&self) -> StyledText {
        let line = |text: &str| StyledLine::new().with(Style::Plain, text);
        let page =
            self.outline.lines().fold(StyledText::default(), |page, text| page.line(line(text)));
        let more = self.next_cursor.as_ref().map(|cursor| format!("more with cursor {cursor}"));
        self.cut.iter().chain(more.as_ref()).fold(page, |page, text| page.line(line(text)))
    }
}

impl Tool for AxGetTree {
    const SPEC: ToolSpec = ToolSpec {
        name: "ax_get_tree",
        command: "",
        about: "Return the outline of an app with a ref for each element. Read it before you act.",
        effect: Effect::Observe,
        needs: &[Requirement::Tree],
    };
    const OFFER: Option<Offer> = core_task("Get element tree");
    type Args = Args;
    type Output = TreePage;

    fn run(cx: &Context<'_>, args: Args) -> Result<TreePage> {
        let request = TreeRequest {
            app: Some(&args.app),
            start: args.root_query.as_deref().map_or(TreeStart::App, TreeStart::Element),
            walk: WalkOptions::with_fields(NodeFields::STANDARD),
            hidden_text: HiddenTextPolicy::from_include_hidden(args.include_invisible),
        };
        let mut view = match read_tree(cx, &request) {
            Err(Error::NoTree { pid, .. }) if args.root_query.is_none() => {
                return Ok(windows_instead(without_tree::describe(cx, pid)?));
            }
            other => other?,
        };
        let elements = view.len();
        // Progress is optional: a caller that no longer listens changes nothing.
        let _ = (cx.progress)(ProgressEvent::progress(
            elements as f64,
            Some(elements as f64),
            format!("read {elements} elements of {}", view.app.name),
        ));
        let outline = view.outline(&OutlineOptions {
            max_tokens: None,
            include_invisible: args.include_invisible,
            depth: Some(args.max_depth.count() as u32),
        })?;
        let omitted = outline.omitted();
        let lines = without_footer(outline.lines(), omitted);
        let cursor = args.cursor.as_deref();
        let page = page_outline(lines, cursor, PAGE, |line| format_line(line, args.compact))
            .ok_or_else(|| Error::BadArguments {
                tool: Self::SPEC.name,
                why: format!(
                    "cursor: {} no longer exists: start again without a cursor",
                    cursor.unwrap_or_default()
                ),
            })?;
        let cut = (omitted > 0).then(|| {
            format!("{omitted} more elements omitted: raise max_depth or pass a root_query")
        });
        let app = view.app.name;
        Ok(TreePage { app, outline: page.text, elements, cut, next_cursor: page.next })
    }
}

/// Returns the windows of an app without a tree.
fn windows_instead(app: AppWithoutTree) -> TreePage {
    let lines: Vec<String> = [app.statement].into_iter().chain(app.windows).collect();
    TreePage {
        app: app.program.name,
        outline: lines.join("\n"),
        elements: 0,
        cut: Some(app.advice),
        next_cursor: None,
    }
}

/// Returns the lines without the footer, which is worded for the CLI.
fn without_footer(lines: &[OutlineLine], omitted: usize) -> &[OutlineLine] {
    match lines.split_last() {
        Some((last, others)) if omitted > 0 && last.index.is_none() => others,
        Some(_) | None => lines,
    }
}

/// Formats a line, completely or with only the role and the name of the element.
fn format_line(line: &OutlineLine, compact: bool) -> String {
    if compact { short(line) } else { line.to_string() }
}

/// Returns a line with only the role and the name of the element.
fn short(line: &OutlineLine) -> String {
    let indent = " ".repeat(line.depth as usize);
    match (line.part(LinePartKind::Role), line.part(LinePartKind::Name)) {
        (Some(role), Some(name)) => format!("{indent}{role}:{}", name.trim_matches('"')),
        (Some(role), None) => format!("{indent}{role}"),
        (None, _) => line.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use deskhand_model::outline::LinePart;

    use super::*;

    fn line(name: &str, reference: &str) -> OutlineLine {
        let part = |kind, text: &str| LinePart { kind, text: text.to_owned() };
        OutlineLine {
            depth: 1,
            index: None,
            parts: vec![
                part(LinePartKind::Role, "button"),
                part(LinePartKind::Name, &format!("\"{name}\"")),
                part(LinePartKind::Reference, reference),
                part(LinePartKind::State, "focused"),
            ],
        }
    }

    #[test]
    fn a_compact_line_is_role_and_title() {
        assert_eq!(format_line(&line("Save", "e1"), true), " button:Save");
    }
}
