//! `ax_get_tree`: returns the outline of an app in pages.

use deskhand_model::{
    Index,
    outline::{LinePartKind, Outline, OutlineLine as Outlined, OutlineOptions},
};
use deskhand_platform::{NodeFields, WalkOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::core_task;
use crate::{
    Context, Effect, Error, Int, Offer, ProgressEvent, Render, Requirement, Result, Style,
    StyledLine, StyledText, Tool, ToolSpec,
    verbs::{self, tree::TreeRead, tree::sanitize::HiddenTextPolicy},
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
        let app = verbs::app::resolve_app(cx, Some(&args.app))?;
        let within = WalkOptions::with_fields(NodeFields::STANDARD);
        let mut look = match &args.root_query {
            None => TreeRead::of_app(cx, &app, &within)?,
            Some(root) => {
                let start = verbs::tree::find_start(cx, &app, root)?;
                TreeRead::of_subtree(cx, &app, &start, &within)?
            }
        };
        cx.cancel.check()?;
        look.sanitize(cx, &app, HiddenTextPolicy::from_include_hidden(args.include_invisible));
        let elements = look.snapshot.len();
        // Progress is optional: a caller that no longer listens changes nothing.
        let _heard = (cx.progress)(ProgressEvent::progress(
            elements as f64,
            Some(elements as f64),
            format!("read {elements} elements of {}", app.name),
        ));
        let options = OutlineOptions {
            max_tokens: None,
            include_invisible: args.include_invisible,
            depth: Some(args.max_depth.count() as u32),
        };
        let TreeRead { snapshot, refs, .. } = &mut look;
        let outline = Outline::new(snapshot, Index::ROOT, &options, &mut |s, at| {
            refs.assign(s, at).to_string()
        });
        look.save_refs()?;
        let left_out = outline.omitted();
        let lines = without_footer(outline.lines(), left_out);
        let (text, next_cursor) = page(lines, args.cursor.as_deref(), args.compact)?;
        let cut = (left_out > 0).then(|| {
            format!(
                "{left_out} more elements omitted: raise max_depth or pass a \
                              root_query"
            )
        });
        Ok(TreePage { app: app.name, outline: text, elements, cut, next_cursor })
    }
}

/// Returns the lines without the footer, which is worded for the CLI.
fn without_footer(lines: &[Outlined], left_out: usize) -> &[Outlined] {
    match lines.split_last() {
        Some((last, others)) if left_out > 0 && last.index.is_none() => others,
        Some(_) | None => lines,
    }
}

/// Returns the lines after the cursor that fit one page, and the cursor of the next page.
fn page(
    lines: &[Outlined],
    after: Option<&str>,
    compact: bool,
) -> Result<(String, Option<String>)> {
    let reference = |line: &Outlined| line.part(LinePartKind::Reference).map(str::to_owned);
    let begin = match after {
        None => 0,
        Some(cursor) => {
            let at = lines.iter().position(|line| reference(line).as_deref() == Some(cursor));
            1 + at.ok_or_else(|| Error::BadArguments {
                tool: AxGetTree::SPEC.name,
                why: format!("cursor: {cursor} no longer exists: start again without a cursor"),
            })?
        }
    };
    let mut text = String::new();
    let mut last = None;
    for line in &lines[begin..] {
        let words = if compact { short(line) } else { line.to_string() };
        if text.len() + words.len() > PAGE && last.is_some() {
            return Ok((text, last));
        }
        text.push_str(&words);
        text.push('\n');
        last = reference(line).or(last);
    }
    Ok((text, None))
}

/// Returns a line with only the role and the name of the element.
fn short(line: &Outlined) -> String {
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

    fn line(name: &str, reference: &str) -> Outlined {
        let part = |kind, text: &str| LinePart { kind, text: text.to_owned() };
        Outlined {
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
    fn pages_go_on_where_the_last_ended_and_lose_nothing() {
        let long = "x".repeat(1_000);
        let lines: Vec<Outlined> = (0..100).map(|at| line(&long, &format!("e{at}"))).collect();
        let (mut all, mut cursor, mut pages) = (String::new(), None, 0);
        loop {
            let (text, next) = page(&lines, cursor.as_deref(), false).unwrap();
            assert!(text.len() <= PAGE + 2_000);
            all.push_str(&text);
            pages += 1;
            cursor = next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!((pages, all.lines().count()), (3, 100));
        assert!(page(&lines, Some("e999"), false).is_err());
    }

    #[test]
    fn a_compact_line_is_role_and_title() {
        assert_eq!(page(&[line("Save", "e1")], None, true).unwrap().0, " button:Save\n");
    }
}
