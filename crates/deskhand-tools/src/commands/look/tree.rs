//! `tree`: shows the accessibility tree of an app as an outline or as JSON.

use deskhand_model::{
    Window,
    json::{NodeJson, NoticeJson},
    outline::{LinePartKind, OutlineOptions},
};
use deskhand_platform::{NodeFields, WalkOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Context, Effect, Error, Int, OutputForm, Render, Requirement, Result, Style, StyledLine,
    StyledText, Tool, ToolSpec,
    verbs::tree::{
        sanitize::HiddenTextPolicy,
        view::{TreeRequest, TreeStart, TreeView, read_tree},
    },
    without_tree::{self, AppWithoutTree},
};

pub(crate) struct TreeCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The app: its name, pid or desktop-file id (default: the focused app).
    app: Option<String>,
    /// Start at this element instead of the whole app: a ref such as `e12`, or a query.
    root: Option<String>,
    /// Number of levels to read below the start (default: all).
    depth: Option<Int<0, 10_000>>,
    /// Token budget of the outline (default: 1000); 0 for no limit.
    max_tokens: Option<Int<0, 1_000_000>>,
    /// Include invisible elements; permanently hidden text is marked.
    #[serde(default)]
    hidden: bool,
    /// Start with this child of the root, counted from 0, to page through a long list.
    from: Option<Int<0, 2_147_483_647>>,
    /// In JSON, write a flat list with parent refs instead of nested children.
    #[serde(default)]
    flat: bool,
}

/// The outline of an app.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum TreeOutput {
    /// An outline for readers.
    Outline {
        /// One line per element.
        outline: String,
        #[serde(skip)]
        #[schemars(skip)]
        page: StyledText,
    },
    /// Nested elements.
    Nested {
        /// The root element with all its descendants.
        #[serde(flatten)]
        root: Box<NodeJson>,
        /// Notices about the snapshot as a whole.
        notices: Vec<NoticeJson>,
    },
    /// A flat list of elements.
    Flat {
        /// Every element, in document order.
        elements: Vec<NodeJson>,
        /// Notices about the snapshot as a whole.
        notices: Vec<NoticeJson>,
    },
    /// The windows of an app without a tree.
    WithoutTree {
        /// The name of the app.
        app: String,
        /// Its process id.
        pid: u32,
        /// Its windows, frontmost first.
        windows: Vec<Window>,
        /// The statement that it has no tree, and what works instead.
        note: String,
    },
}

impl Render for TreeOutput {
    fn render(&self) -> StyledText {
        match self {
            Self::Outline { page, .. } => page.clone(),
            Self::Nested { .. } | Self::Flat { .. } | Self::WithoutTree { .. } => {
                StyledText::default()
            }
        }
    }
}

impl Tool for TreeCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "tree",
        command: "tree",
        about: "Show the accessibility tree of an app: a compact outline with a ref for each \
                element, or complete JSON. Reports omitted parts.",
        effect: Effect::Observe,
        needs: &[Requirement::Tree],
    };
    type Args = Args;
    type Output = TreeOutput;

    fn run(cx: &Context<'_>, args: Args) -> Result<TreeOutput> {
        let fields = match cx.output_form {
            OutputForm::Text => NodeFields::STANDARD,
            OutputForm::Data => NodeFields::ALL,
        };
        let request = TreeRequest {
            app: args.app.as_deref(),
            start: args.root.as_deref().map_or(TreeStart::App, TreeStart::Element),
            walk: WalkOptions {
                max_depth: args.depth.map(|depth| depth.count() as u32),
                first_child: args.from.map_or(0, Int::count),
                ..WalkOptions::with_fields(fields)
            },
            hidden_text: HiddenTextPolicy::from_include_hidden(args.hidden),
        };
        let mut view = match read_tree(cx, &request) {
            Err(Error::NoTree { pid, .. }) if args.root.is_none() => {
                return Ok(windows_instead(cx, without_tree::describe(cx, pid)?));
            }
            other => other?,
        };
        match (cx.output_form, args.flat) {
            (OutputForm::Text, _) => outline(&mut view, &args),
            (OutputForm::Data, true) => {
                Ok(TreeOutput::Flat { elements: view.flat()?, notices: view.notices() })
            }
            (OutputForm::Data, false) => {
                Ok(TreeOutput::Nested { root: Box::new(view.nested()?), notices: view.notices() })
            }
        }
    }
}

/// Returns the windows of an app without a tree.
fn windows_instead(cx: &Context<'_>, app: AppWithoutTree) -> TreeOutput {
    if cx.output_form == OutputForm::Data {
        return TreeOutput::WithoutTree {
            note: format!("{}; {}", app.statement, app.advice),
            windows: app.program.windows_by_index(),
            app: app.program.name,
            pid: app.program.pid,
        };
    }
    let line =
        |indent, style, text: &str| StyledLine { indent, spans: Vec::new() }.with(style, text);
    let page = StyledText::default().line(line(0, Style::Warning, &app.statement));
    let page = app.windows.iter().fold(page, |page, text| page.line(line(1, Style::Plain, text)));
    let page = page.line(line(0, Style::Warning, &format!("next: {}", app.advice)));
    TreeOutput::Outline { outline: page.to_string(), page }
}

fn outline(view: &mut TreeView, args: &Args) -> Result<TreeOutput> {
    let options = OutlineOptions {
        max_tokens: match args.max_tokens.map(Int::count) {
            None => OutlineOptions::default().max_tokens,
            Some(0) => None,
            Some(most) => Some(most),
        },
        include_invisible: args.hidden,
        depth: args.depth.map(|depth| depth.count() as u32),
    };
    let outline = view.outline(&options)?;
    let mut page = StyledText::default();
    for line in outline.lines() {
        let mut shown = StyledLine { indent: line.depth as usize, spans: Vec::new() };
        for part in &line.parts {
            shown = shown.with(style(part.kind), &part.text);
        }
        page = page.line(shown);
    }
    Ok(TreeOutput::Outline { outline: outline.to_string(), page })
}

fn style(kind: LinePartKind) -> Style {
    match kind {
        LinePartKind::App | LinePartKind::Name => Style::Strong,
        LinePartKind::Role => Style::Kind,
        LinePartKind::Reference => Style::Handle,
        LinePartKind::Value => Style::Value,
        LinePartKind::State | LinePartKind::Mark => Style::Plain,
        LinePartKind::Note => Style::Faint,
        LinePartKind::Warning => Style::Warning,
    }
}
