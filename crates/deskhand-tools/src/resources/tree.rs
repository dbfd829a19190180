//! `view_tree`: returns every element of an app or a window in pages, or a digest for comparison.

use std::hash::{DefaultHasher, Hash, Hasher};

use deskhand_model::{
    App, Cut, Index, Node, NodeId, Rect, Snapshot, Window,
    json::{NodeJson, NoticeJson},
};
use deskhand_platform::{Error as Below, NodeFields, WalkOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::page;
use crate::{
    Context, Effect, Error, Int, Requirement, Result, Tool, ToolSpec,
    verbs::{self, tree::TreeRead, tree::sanitize::HiddenTextPolicy},
};

pub(crate) struct TreeResource;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The app: its name, pid or desktop-file id.
    app: String,
    /// Only this window, by index; 0 is the frontmost.
    window: Option<Int<0, 10_000>>,
    /// Continue after this element: the ref at the end of the previous page.
    cursor: Option<String>,
    /// Return a digest instead, which changes when the tree changes.
    #[serde(default)]
    mark: bool,
}

/// A page of a tree, or its digest.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum TreeView {
    /// The first page.
    First {
        /// The root element with the descendants that fit.
        #[serde(flatten)]
        root: Box<NodeJson>,
        /// Notices about the snapshot as a whole.
        notices: Vec<NoticeJson>,
        /// The cursor of the next page.
        #[serde(rename = "nextCursor", skip_serializing_if = "Option::is_none")]
        next_cursor: Option<String>,
    },
    /// A later page.
    Later {
        /// Elements with the refs of their parents, and the descendants that fit.
        elements: Vec<NodeJson>,
        /// The cursor of the next page.
        #[serde(rename = "nextCursor", skip_serializing_if = "Option::is_none")]
        next_cursor: Option<String>,
    },
    /// Only the digest.
    Mark {
        /// The digest; it changes when the tree changes.
        mark: String,
    },
}

impl Tool for TreeResource {
    const SPEC: ToolSpec = ToolSpec {
        name: "view_tree",
        command: "",
        about: "Every element of an app or a window, in pages.",
        effect: Effect::Observe,
        needs: &[Requirement::Tree],
    };
    type Args = Args;
    type Output = TreeView;

    fn run(cx: &Context<'_>, args: Args) -> Result<TreeView> {
        let (app, from) = match args.window {
            None => {
                let app = verbs::app::resolve_app(cx, Some(&args.app))?;
                let root = app.root.clone();
                (app, root)
            }
            Some(index) => window(cx, &args.app, index.count())?,
        };
        let within = WalkOptions::with_fields(NodeFields::ALL);
        if args.mark {
            let snapshot = cx.desktop.tree.walk(&app, &from, &within, cx.deadline)?;
            // What was only half seen is not to be compared.
            if snapshot.cuts().any(|(_, cut)| is_half(cut)) {
                return Err(Below::Timeout { what: app.name }.into());
            }
            let flat = NodeJson::flat(&snapshot, Index::ROOT, &mut |_, _| String::new());
            let mut hasher = DefaultHasher::new();
            written(&flat)?.hash(&mut hasher);
            return Ok(TreeView::Mark { mark: format!("{:x}", hasher.finish()) });
        }
        let mut look = TreeRead::of_subtree(cx, &app, &from, &within)?;
        look.sanitize(cx, &app, HiddenTextPolicy::Omit);
        let TreeRead { snapshot, refs, .. } = &mut look;
        let notices = snapshot.notices().iter().map(NoticeJson::from).collect();
        let mut named = |s: &Snapshot, at: Index| refs.assign(s, at).to_string();
        let flat = NodeJson::flat(snapshot, Index::ROOT, &mut named);
        look.save_refs()?;
        let cursor = args.cursor.as_deref();
        let page = page::after(flat, cursor).ok_or_else(|| Error::BadArguments {
            tool: Self::SPEC.name,
            why: format!(
                "cursor: nothing follows {}: start again without a cursor",
                cursor.unwrap_or("")
            ),
        })?;
        let (mut elements, next_cursor) = (page.elements, page.next);
        match (cursor, elements.len()) {
            (None, 1) => {
                let root = Box::new(elements.remove(0));
                Ok(TreeView::First { root, notices, next_cursor })
            }
            (None | Some(_), _) => Ok(TreeView::Later { elements, next_cursor }),
        }
    }
}

/// Returns the root of a window's tree.
fn window(cx: &Context<'_>, wanted: &str, index: usize) -> Result<(App, NodeId)> {
    let running = verbs::programs::resolve_program(cx, wanted)?;
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
    let tops = WalkOptions {
        max_depth: Some(1),
        ..WalkOptions::with_fields(NodeFields { bounds: true, ..NodeFields::MINIMAL })
    };
    let snapshot = cx.desktop.tree.walk(&app, &app.root, &tops, cx.deadline)?;
    let top = top_of(&snapshot, meant).ok_or_else(|| none(&windows))?;
    Ok((app, top))
}

/// Returns the tree of a window on the screen, matched by title and then by position.
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

/// Returns `true` if the snapshot is incomplete for a reason that another attempt may not have.
fn is_half(cut: Cut) -> bool {
    match cut {
        Cut::Deadline | Cut::Silent | Cut::Gone => true,
        Cut::Depth | Cut::Many | Cut::Budget => false,
    }
}

fn written(flat: &[NodeJson]) -> Result<String> {
    serde_json::to_string(flat).map_err(|error| Error::NotSerializable { why: error.to_string() })
}
