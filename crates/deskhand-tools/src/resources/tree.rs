//! `view_tree`: everything an app or one of its windows shows, page by page; or only a mark by which
//! two looks can be compared.

use std::hash::{DefaultHasher, Hash, Hasher};

use deskhand_model::{
    App, Cut, Index, Node, NodeId, Rect, Snapshot, Window,
    json::{NodeJson, NoticeJson},
};
use deskhand_platform::{Error as Below, Extent, Facets};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::page;
use crate::{
    Context, Effect, Error, Int, Need, Result, Spec, Tool,
    verbs::{self, look::Look, sift::Sift},
};

pub(crate) struct Tree;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The app: its name, pid or desktop-file id.
    app: String,
    /// Only this window, counted from 0, the frontmost first.
    window: Option<Int<0, 10_000>>,
    /// Go on behind this element: the ref an earlier page ended with.
    cursor: Option<String>,
    /// Answer with a mark instead, which is the same while what is shown is.
    #[serde(default)]
    mark: bool,
}

/// What is shown.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Grown {
    /// The first page.
    First {
        /// The first element, and those below it that fit.
        #[serde(flatten)]
        root: Box<NodeJson>,
        /// What the look as a whole has to say.
        notices: Vec<NoticeJson>,
        /// Where the next page begins.
        #[serde(rename = "nextCursor", skip_serializing_if = "Option::is_none")]
        next_cursor: Option<String>,
    },
    /// A later page.
    Later {
        /// Elements, each with the ref of its parent, and those below it that fit.
        elements: Vec<NodeJson>,
        /// Where the next page begins.
        #[serde(rename = "nextCursor", skip_serializing_if = "Option::is_none")]
        next_cursor: Option<String>,
    },
    /// Only the mark.
    Mark {
        /// The same while what is shown is.
        mark: String,
    },
}

impl Tool for Tree {
    const SPEC: Spec = Spec {
        name: "view_tree",
        command: "",
        about: "Every element of an app or a window, page by page.",
        effect: Effect::Observe,
        needs: &[Need::Tree],
    };
    type Args = Args;
    type Output = Grown;

    fn run(cx: &Context<'_>, args: Args) -> Result<Grown> {
        let (app, from) = match args.window {
            None => {
                let app = verbs::app::meant(cx, Some(&args.app))?;
                let root = app.root.clone();
                (app, root)
            }
            Some(index) => window(cx, &args.app, index.count())?,
        };
        let within = Extent::of(Facets::ALL);
        if args.mark {
            let snapshot = cx.desktop.tree.walk(&app, &from, &within, cx.by)?;
            // What was only half seen is not to be compared.
            if snapshot.cuts().any(|(_, cut)| is_half(cut)) {
                return Err(Below::Timeout { what: app.name }.into());
            }
            let flat = NodeJson::flat(&snapshot, Index::ROOT, &mut |_, _| String::new());
            let mut hasher = DefaultHasher::new();
            written(&flat)?.hash(&mut hasher);
            return Ok(Grown::Mark { mark: format!("{:x}", hasher.finish()) });
        }
        let mut look = Look::below(cx, &app, &from, &within)?;
        look.sift(cx, &app, Sift::LeaveOut);
        let Look { snapshot, refs, .. } = &mut look;
        let notices = snapshot.notices().iter().map(NoticeJson::from).collect();
        let mut named = |s: &Snapshot, at: Index| refs.assign(s, at).to_string();
        let flat = NodeJson::flat(snapshot, Index::ROOT, &mut named);
        look.keep()?;
        let cursor = args.cursor.as_deref();
        let page = page::after(flat, cursor).ok_or_else(|| Error::BadArguments {
            tool: Self::SPEC.name,
            why: format!(
                "cursor: nothing follows {}: begin again without it",
                cursor.unwrap_or("")
            ),
        })?;
        let (mut elements, next_cursor) = (page.elements, page.next);
        match (cursor, elements.len()) {
            (None, 1) => {
                let root = Box::new(elements.remove(0));
                Ok(Grown::First { root, notices, next_cursor })
            }
            (None | Some(_), _) => Ok(Grown::Later { elements, next_cursor }),
        }
    }
}

/// The top of the tree of one window.
fn window(cx: &Context<'_>, wanted: &str, index: usize) -> Result<(App, NodeId)> {
    let running = verbs::running::meant(cx, wanted)?;
    let mut windows = running.windows;
    windows.sort_by_key(|window| window.minimized);
    let none = |windows: &[Window]| Error::NoWindow {
        wanted: format!("number {index} of {wanted}"),
        windows: windows.iter().map(verbs::windows::label).collect(),
    };
    let Some(meant) = windows.get(index) else { return Err(none(&windows)) };
    let Some(app) = running.app else {
        return Err(Error::NoTree { wanted: wanted.to_owned(), window: meant.title.clone() });
    };
    let tops = Extent { depth: Some(1), ..Extent::of(Facets { bounds: true, ..Facets::NAMES }) };
    let snapshot = cx.desktop.tree.walk(&app, &app.root, &tops, cx.by)?;
    let top = top_of(&snapshot, meant).ok_or_else(|| none(&windows))?;
    Ok((app, top))
}

/// The window of a tree that a window of the screen is: by its title, and among those by its place.
fn top_of(snapshot: &Snapshot, window: &Window) -> Option<NodeId> {
    let far = |node: &Node| {
        let (b, w) = (node.bounds.unwrap_or(Rect::new(0, 0, 0, 0)), window.bounds);
        let off = |one: i32, other: i32| u64::from(one.abs_diff(other));
        off(b.x, w.x) + off(b.y, w.y) + off(b.width, w.width) + off(b.height, w.height)
    };
    let tops = snapshot.children(Index::ROOT).map(|at| snapshot.node(at));
    let best = tops.min_by_key(|node| (node.name != window.title, far(node)))?;
    Some(best.id.clone())
}

/// Whether less was read than there is, so that another look may read more.
fn is_half(cut: Cut) -> bool {
    match cut {
        Cut::Deadline | Cut::Silent | Cut::Gone => true,
        Cut::Depth | Cut::Many | Cut::Budget => false,
    }
}

fn written(flat: &[NodeJson]) -> Result<String> {
    serde_json::to_string(flat).map_err(|error| Error::Unwritable { why: error.to_string() })
}
