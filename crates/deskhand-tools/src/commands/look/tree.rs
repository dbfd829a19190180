//! `tree`: shows the accessibility tree of an app as an outline or as JSON.

use deskhand_model::{
    Index,
    json::{NodeJson, NoticeJson},
    outline::{Options, Outline, PartKind},
};
use deskhand_platform::{Extent, Facets};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Context, Effect, Form, Int, Line, Page, Requirement, Result, Shown, Style, Tool, ToolSpec,
    verbs::{self, look::Look, sift::Sift},
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
        page: Page,
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
}

impl Shown for TreeOutput {
    fn page(&self) -> Page {
        match self {
            Self::Outline { page, .. } => page.clone(),
            Self::Nested { .. } | Self::Flat { .. } => Page::default(),
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
        let app = verbs::app::meant(cx, args.app.as_deref())?;
        let facets = match cx.form {
            Form::Text => Facets::LOOK,
            Form::Data => Facets::ALL,
        };
        let within = Extent {
            depth: args.depth.map(|depth| depth.count() as u32),
            first_child: args.from.map_or(0, Int::count),
            ..Extent::of(facets)
        };
        let mut look = match &args.root {
            None => Look::at(cx, &app, &within)?,
            Some(root) => {
                let start = verbs::look::start(cx, &app, root)?;
                Look::below(cx, &app, &start, &within)?
            }
        };
        look.sift(cx, &app, Sift::asked_for(args.hidden));
        let seen = match cx.form {
            Form::Text => outline(&mut look, &args),
            Form::Data => data(&mut look, args.flat),
        };
        look.keep()?;
        Ok(seen)
    }
}

fn data(look: &mut Look, flat: bool) -> TreeOutput {
    let Look { snapshot, refs, .. } = look;
    let notices = snapshot.notices().iter().map(NoticeJson::from).collect();
    let mut named = |s: &deskhand_model::Snapshot, at: Index| refs.assign(s, at).to_string();
    if flat {
        TreeOutput::Flat { elements: NodeJson::flat(snapshot, Index::ROOT, &mut named), notices }
    } else {
        let root = Box::new(NodeJson::tree(snapshot, Index::ROOT, &mut named));
        TreeOutput::Nested { root, notices }
    }
}

fn outline(look: &mut Look, args: &Args) -> TreeOutput {
    let Look { snapshot, refs, .. } = look;
    let options = Options {
        max_tokens: match args.max_tokens.map(Int::count) {
            None => Options::default().max_tokens,
            Some(0) => None,
            Some(most) => Some(most),
        },
        include_invisible: args.hidden,
        depth: args.depth.map(|depth| depth.count() as u32),
    };
    let outline =
        Outline::of(snapshot, Index::ROOT, &options, &mut |s, at| refs.assign(s, at).to_string());
    let mut page = Page::default();
    for line in outline.lines() {
        let mut shown = Line { indent: line.depth as usize, spans: Vec::new() };
        for part in &line.parts {
            shown = shown.with(style(part.kind), &part.text);
        }
        page = page.line(shown);
    }
    TreeOutput::Outline { outline: outline.to_string(), page }
}

fn style(kind: PartKind) -> Style {
    match kind {
        PartKind::App | PartKind::Name => Style::Strong,
        PartKind::Role => Style::Kind,
        PartKind::Reference => Style::Handle,
        PartKind::Value => Style::Value,
        PartKind::State | PartKind::Mark => Style::Plain,
        PartKind::Note => Style::Faint,
        PartKind::Warning => Style::Warning,
    }
}
