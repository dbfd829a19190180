//! `ax_get_tree`: returns the outline of an app in pages.

use deskhand_model::{
    Index,
    outline::{Line as Outlined, Options, Outline, PartKind},
};
use deskhand_platform::{Extent, Facets};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::core_task;
use crate::{
    Context, Effect, Error, Int, Line, Offer, Page, Requirement, Result, Said, Shown, Style, Tool,
    ToolSpec,
    verbs::{self, look::Look, sift::Sift},
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

impl Shown for TreePage {
    fn page(&self) -> Page {
        let line = |text: &str| Line::new().with(Style::Plain, text);
        let page = self.outline.lines().fold(Page::default(), |page, text| page.line(line(text)));
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
        let app = verbs::app::meant(cx, Some(&args.app))?;
        let within = Extent::of(Facets::LOOK);
        let mut look = match &args.root_query {
            None => Look::at(cx, &app, &within)?,
            Some(root) => {
                let start = verbs::look::start(cx, &app, root)?;
                Look::below(cx, &app, &start, &within)?
            }
        };
        cx.stop.check()?;
        look.sift(cx, &app, Sift::asked_for(args.include_invisible));
        let elements = look.snapshot.len();
        // Progress is optional: a caller that no longer listens changes nothing.
        let _heard = (cx.listener)(Said::progress(
            elements as f64,
            Some(elements as f64),
            format!("read {elements} elements of {}", app.name),
        ));
        let options = Options {
            max_tokens: None,
            include_invisible: args.include_invisible,
            depth: Some(args.max_depth.count() as u32),
        };
        let Look { snapshot, refs, .. } = &mut look;
        let outline = Outline::of(snapshot, Index::ROOT, &options, &mut |s, at| {
            refs.assign(s, at).to_string()
        });
        look.keep()?;
        let left_out = outline.left_out();
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
    let reference = |line: &Outlined| line.part(PartKind::Reference).map(str::to_owned);
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
    match (line.part(PartKind::Role), line.part(PartKind::Name)) {
        (Some(role), Some(name)) => format!("{indent}{role}:{}", name.trim_matches('"')),
        (Some(role), None) => format!("{indent}{role}"),
        (None, _) => line.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use deskhand_model::outline::Part;

    use super::*;

    fn line(name: &str, reference: &str) -> Outlined {
        let part = |kind, text: &str| Part { kind, text: text.to_owned() };
        Outlined {
            depth: 1,
            index: None,
            parts: vec![
                part(PartKind::Role, "button"),
                part(PartKind::Name, &format!("\"{name}\"")),
                part(PartKind::Reference, reference),
                part(PartKind::State, "focused"),
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
