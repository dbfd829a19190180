//! Reading the tree of an app for a view of it: an outline, nested elements, a flat list or a digest.

use std::hash::{DefaultHasher, Hash, Hasher};

use deskhand_model::{
    App, Cut, Index, Node, NodeId, Notice, Rect, Snapshot, Window, blank_area,
    json::{NodeJson, NoticeJson},
    outline::{Outline, OutlineOptions},
};
use deskhand_platform::{Error as Below, NodeFields, WalkOptions};

use super::{
    TreeRead, find_start,
    sanitize::{self, HiddenTextPolicy},
};
use crate::{Context, Error, Result, app::resolve_app, programs::resolve_program, windows::label};

/// The part of a tree to read.
#[derive(Debug, Clone, Copy)]
pub enum TreeStart<'a> {
    /// The whole app.
    App,
    /// An element, by ref or query.
    Element(&'a str),
    /// A window, by index; 0 is the frontmost.
    Window(usize),
}

/// A request to read a tree.
#[derive(Debug, Clone)]
pub struct TreeRequest<'a> {
    /// The app; `None` for the focused one.
    pub app: Option<&'a str>,
    /// The part to read.
    pub start: TreeStart<'a>,
    /// The fields to read of each element, and the limits.
    pub walk: WalkOptions,
    /// The treatment of text that users cannot see.
    pub hidden_text: HiddenTextPolicy,
}

/// A tree that was read, without hidden text or with marks on it.
pub struct TreeView {
    /// The app.
    pub app: App,
    /// The snapshot and its refs.
    pub tree: TreeRead,
}

/// Reads a tree.
///
/// # Errors
///
/// Fails if the app or the start matches nothing or several things, or if the app does not answer.
pub fn read_tree(cx: &Context<'_>, request: &TreeRequest<'_>) -> Result<TreeView> {
    let (app, from) = resolve_start(cx, request)?;
    let mut tree = TreeRead::of_subtree(cx, &app, &from, &request.walk)?;
    cx.cancel.check()?;
    tree.sanitize(cx, &app, request.hidden_text);
    if request.walk.fields.bounds && matches!(request.start, TreeStart::App) {
        note_blank_areas(cx, &app, &mut tree.snapshot);
    }
    Ok(TreeView { app, tree })
}

/// Adds a notice for each large area without elements in which something is drawn.
fn note_blank_areas(cx: &Context<'_>, app: &App, snapshot: &mut Snapshot) {
    let silent = blank_area::silent_areas(snapshot);
    let drawn = sanitize::drawn_areas(cx, app, snapshot, &silent);
    for (at, area) in silent.into_iter().filter(|(at, _)| drawn.contains(at)) {
        let window = std::iter::once(at)
            .chain(snapshot.ancestors(at))
            .find(|up| snapshot.parent(*up) == Some(Index::ROOT));
        let window = window.map_or("", |window| snapshot.node(window).name.as_str()).to_owned();
        snapshot.add_notice(Notice::BlankArea { window, area });
    }
}

/// Returns a digest of a tree, which changes when the tree changes. Hidden text counts as well.
///
/// # Errors
///
/// Fails like [`read_tree`], and with a timeout if the app was read only in part.
pub fn tree_digest(cx: &Context<'_>, request: &TreeRequest<'_>) -> Result<String> {
    let (app, from) = resolve_start(cx, request)?;
    let snapshot = cx.desktop.tree.walk(&app, &from, &request.walk, cx.deadline)?;
    if snapshot.cuts().any(|(_, cut)| is_temporary(cut)) {
        return Err(Below::Timeout { what: app.name }.into());
    }
    let flat = NodeJson::flat(&snapshot, Index::ROOT, &mut |_, _| String::new());
    let text = serde_json::to_string(&flat)
        .map_err(|error| Error::NotSerializable { why: error.to_string() })?;
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    Ok(format!("{:x}", hasher.finish()))
}

impl TreeView {
    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.tree.snapshot.len()
    }

    /// Returns `true` if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns an outline with a ref for each element, and saves the refs.
    pub fn outline(&mut self, options: &OutlineOptions) -> Result<Outline> {
        let TreeRead { snapshot, refs, .. } = &mut self.tree;
        let outline = Outline::new(snapshot, Index::ROOT, options, &mut |s, at| {
            refs.assign(s, at).to_string()
        });
        self.tree.save_refs()?;
        Ok(outline)
    }

    /// Returns the root with all its descendants and their refs, and saves the refs.
    pub fn nested(&mut self) -> Result<NodeJson> {
        let TreeRead { snapshot, refs, .. } = &mut self.tree;
        let mut assign = |s: &Snapshot, at: Index| refs.assign(s, at).to_string();
        let root = NodeJson::tree(snapshot, Index::ROOT, &mut assign);
        self.tree.save_refs()?;
        Ok(root)
    }

    /// Returns every element with its ref, in document order, and saves the refs.
    pub fn flat(&mut self) -> Result<Vec<NodeJson>> {
        let TreeRead { snapshot, refs, .. } = &mut self.tree;
        let mut assign = |s: &Snapshot, at: Index| refs.assign(s, at).to_string();
        let elements = NodeJson::flat(snapshot, Index::ROOT, &mut assign);
        self.tree.save_refs()?;
        Ok(elements)
    }

    /// Returns the notices about the snapshot as a whole.
    pub fn notices(&self) -> Vec<NoticeJson> {
        self.tree.snapshot.notices().iter().map(NoticeJson::from).collect()
    }
}

fn resolve_start(cx: &Context<'_>, request: &TreeRequest<'_>) -> Result<(App, NodeId)> {
    if let TreeStart::Window(index) = request.start {
        return match request.app {
            Some(app) => window_root(cx, app, index),
            None => window_root(cx, &resolve_app(cx, None)?.pid.to_string(), index),
        };
    }
    let app = resolve_app(cx, request.app)?;
    let from = match request.start {
        TreeStart::Element(query) => find_start(cx, &app, query)?,
        TreeStart::App | TreeStart::Window(_) => app.root.clone(),
    };
    Ok((app, from))
}

/// Returns the root of a window's tree.
fn window_root(cx: &Context<'_>, wanted: &str, index: usize) -> Result<(App, NodeId)> {
    let running = resolve_program(cx, wanted)?;
    let windows = running.windows_by_index();
    let no_window = || Error::NoWindow {
        wanted: format!("window {index} of {wanted}"),
        windows: windows.iter().map(label).collect(),
    };
    let window = windows.get(index).ok_or_else(no_window)?;
    let Some(app) = running.app else {
        let (pid, window) = (running.pid, window.title.clone());
        return Err(Error::NoTree { wanted: wanted.to_owned(), pid, window });
    };
    let top_level = WalkOptions {
        max_depth: Some(1),
        ..WalkOptions::with_fields(NodeFields { bounds: true, ..NodeFields::MINIMAL })
    };
    let snapshot = cx.desktop.tree.walk(&app, &app.root, &top_level, cx.deadline)?;
    let root = matching_root(&snapshot, window).ok_or_else(no_window)?;
    Ok((app, root))
}

/// Returns the top-level element of a window on the screen, matched by title and then by position.
fn matching_root(snapshot: &Snapshot, window: &Window) -> Option<NodeId> {
    let distance = |node: &Node| {
        let (b, w) = (node.bounds.unwrap_or(Rect::new(0, 0, 0, 0)), window.bounds);
        let off = |one: i32, other: i32| u64::from(one.abs_diff(other));
        off(b.x, w.x) + off(b.y, w.y) + off(b.width, w.width) + off(b.height, w.height)
    };
    let roots = snapshot.children(Index::ROOT).map(|at| snapshot.node(at));
    let best = roots.min_by_key(|node| (node.name != window.title, distance(node)))?;
    Some(best.id.clone())
}

/// Returns `true` if the snapshot is incomplete for a reason that another attempt may not have.
fn is_temporary(cut: Cut) -> bool {
    match cut {
        Cut::Deadline | Cut::Silent | Cut::Gone => true,
        Cut::Depth | Cut::Many | Cut::Budget => false,
    }
}
