//! Reads an app's tree: from the first request to the finished snapshot.

use deskhand_model::{App, Cut, Node, NodeId, Notice, Role, Snapshot, Value, blank_area};
use deskhand_platform::{Deadline, Error, NodeFields, Result, WalkOptions};

use super::{
    app_connection::AppConnection,
    bus::platform_error,
    cache,
    dbus::CallError,
    embedded, gtk4_pages,
    partial_node::{PartialNode, PartialTree},
    position::{self, ScreenLayout, TopLevel},
    quirks::Quirks,
    reader::{RequestQueue, TreeReader},
    toplevel,
};
use crate::apps::process;

/// The flag that makes Chromium and Electron enable accessibility at start.
const CHROMIUM_FLAG: &str = "--force-renderer-accessibility";

/// The variable that makes the browser engine of Qt enable accessibility at start.
const WEB_ENGINE_VARIABLE: &str = "QTWEBENGINE_CHROMIUM_FLAGS=--force-renderer-accessibility";

/// Reads a subtree.
pub(crate) fn read_subtree(
    connection: &mut AppConnection,
    app: &App,
    from: &NodeId,
    extent: &WalkOptions,
    deadline: Deadline,
    layout: impl FnOnce() -> ScreenLayout,
) -> Result<Snapshot> {
    let is_whole_app = *from == app.root;
    let quirks = Quirks::of(app);
    // The cache of GTK 4 lacks facts that are requested for each element.
    let extent = &WalkOptions { keep_cached: extent.keep_cached && !quirks.gtk4, ..*extent };
    let secret_fields = connection.secret_fields();
    let mut reader =
        TreeReader::new(connection.name(), connection.peer(), quirks, extent, &secret_fields);
    let (root, _) = reader.tree.get_or_insert(from.clone());
    // The cache contains the whole app; for a part of it, or a shallow read, separate requests are
    // fewer.
    let is_deep = extent.max_depth.is_none_or(|depth| depth > 2)
        && extent.first_child == 0
        && extent.page_size.is_none();
    if is_whole_app && is_deep && quirks.cache_is_safe && connection.may_use_cache() {
        let peer = connection.peer();
        match cache::fetch(connection.client(), &peer, deadline) {
            Ok(Some(reply)) => reader.load_cache(&reply),
            Ok(None) => {}
            // An app that survives a name that is not UTF-8 sends a broken reply, which ends the
            // connection. Separate requests for the same element still work.
            Err(CallError::Disconnected(_)) => connection.reopen(deadline)?,
            Err(error @ (CallError::TimedOut | CallError::Refused(_))) => {
                return Err(platform_error("the app", error));
            }
        }
    }
    let mut queue = RequestQueue::new();
    reader.visit(root, &mut queue);
    reader.run(connection.client(), queue, deadline);
    if reader.has_other_processes() {
        reader.read_other_processes(connection.bus(deadline)?, deadline);
    }
    let failure = reader.failure.take();
    let mut tree = reader.tree;
    if let Some(PartialNode { cut: Some(cut), role_number: 0, .. }) = tree.nodes.first() {
        return Err(match (cut, failure) {
            (_, Some(error)) => platform_error("the app", error),
            (_, None) => Error::Gone { what: "the element".to_owned() },
        });
    }
    if !extent.keep_cached {
        tree.truncate_to(extent);
    }
    embedded::inherit_visibility(&mut tree);
    if quirks.gtk4 {
        let peer = connection.peer();
        gtk4_pages::mark_hidden(&mut tree, connection.client(), &peer, deadline);
        name_controls_by_content(&mut tree);
    }
    let mut notices = Vec::new();
    let lacks_titles = is_whole_app && position::has_unnamed_window(&tree);
    let layout = (extent.fields.bounds || lacks_titles).then(layout);
    if let Some(layout) = layout.as_ref().filter(|_| lacks_titles) {
        position::name_windows(&mut tree, app, layout);
    }
    if let Some(layout) = layout.filter(|_| extent.fields.bounds) {
        notices = if is_whole_app {
            position::correct_all(&mut tree, app, quirks, &layout)
        } else {
            let top = if quirks.needs_position_fix() {
                let peer = connection.peer();
                toplevel::find_toplevel(connection.client(), &peer, from, quirks, deadline)
                    .unwrap_or_default()
            } else {
                TopLevel::default()
            };
            position::correct_below(&mut tree, &top, app, quirks, &layout)
        };
    }
    if !extent.fields.bounds {
        tree.nodes.iter_mut().for_each(|node| node.bounds = None);
    }
    if failure.is_some() {
        notices.push(Notice::NotResponding);
    }
    if is_whole_app && quirks.chromium && lacks_content(&tree) {
        notices.push(Notice::AccessibilityOff { flag: CHROMIUM_FLAG.to_owned() });
    }
    let mut snapshot = assemble(app, tree);
    if is_whole_app && extent.fields.bounds && lacks_web_pages(app, &snapshot) {
        notices.push(Notice::AccessibilityOff { flag: WEB_ENGINE_VARIABLE.to_owned() });
    }
    for notice in notices {
        snapshot.add_notice(notice);
    }
    Ok(snapshot)
}

/// Reads single elements without their children.
pub(crate) fn read_elements(
    connection: &mut AppConnection,
    app: &App,
    ids: &[NodeId],
    what: NodeFields,
    deadline: Deadline,
    layout: impl FnOnce() -> ScreenLayout,
) -> Result<Vec<Option<Node>>> {
    let quirks = Quirks::of(app);
    let peer = connection.peer();
    let extent = WalkOptions { max_depth: Some(0), ..WalkOptions::with_fields(what) };
    let secret_fields = connection.secret_fields();
    let mut reader =
        TreeReader::new(connection.name(), peer.clone(), quirks, &extent, &secret_fields);
    let mut queue = RequestQueue::new();
    let indexes: Vec<u32> = ids.iter().map(|id| reader.tree.get_or_insert(id.clone()).0).collect();
    for index in &indexes {
        reader.visit(*index, &mut queue);
    }
    reader.run(connection.client(), queue, deadline);
    if reader.has_other_processes() {
        reader.read_other_processes(connection.bus(deadline)?, deadline);
    }
    if let Some(error) = reader.failure.take() {
        return Err(platform_error("the app", error));
    }
    let mut tree = reader.tree;
    if quirks.gtk4 {
        tree.nodes.iter_mut().for_each(gtk4_pages::hide_if_empty);
        if !what.bounds {
            tree.nodes.iter_mut().for_each(|node| node.bounds = None);
        }
    }
    if what.bounds {
        let layout = layout();
        for index in &indexes {
            let id = tree.node_mut(*index).id.clone();
            let top = if quirks.needs_position_fix() {
                toplevel::find_toplevel(connection.client(), &peer, &id, quirks, deadline)
                    .unwrap_or_default()
            } else {
                TopLevel::default()
            };
            if let Some((dx, dy)) = position::find_offset(&top, app, quirks, &layout) {
                let node = tree.node_mut(*index);
                node.bounds = node.bounds.map(|bounds| bounds.moved(dx, dy));
            }
        }
    }
    let mut nodes: Vec<Option<Node>> =
        tree.nodes.into_iter().map(|node| (!is_gone(&node)).then(|| into_node(node))).collect();
    Ok(indexes.into_iter().map(|index| nodes.get_mut(index as usize)?.take()).collect())
}

/// Returns `true` if a Qt app shows web pages without their content: it has loaded the browser engine
/// of Qt, and a large part of a window has no elements.
fn lacks_web_pages(app: &App, snapshot: &Snapshot) -> bool {
    app.toolkit.name.eq_ignore_ascii_case("qt")
        && !snapshot.iter().any(|(_, node)| node.role == Role::WebDocument && node.child_count > 0)
        && !blank_area::silent_areas(snapshot).is_empty()
        && process::has_library(app.pid, "WebEngineCore")
}

/// Returns `true` if a Chromium tree looks as if accessibility were off: a window with a few
/// elements for its title bar and no content.
fn lacks_content(tree: &PartialTree) -> bool {
    tree.nodes.len() < 12
        && tree.nodes.iter().any(|node| node.role() == Role::Window)
        && tree.nodes.iter().all(|node| node.role() != Role::WebDocument)
}

fn is_gone(node: &PartialNode) -> bool {
    node.cut == Some(Cut::Gone) && node.role_number == 0
}

fn assemble(app: &App, mut tree: PartialTree) -> Snapshot {
    mark_descendants_secret(&mut tree);
    let gone: Vec<bool> = tree.nodes.iter().map(is_gone).collect();
    let mut nodes = Vec::with_capacity(tree.nodes.len());
    let mut children = Vec::with_capacity(tree.nodes.len());
    for mut node in tree.nodes {
        let mut node_children = std::mem::take(&mut node.children);
        node_children.retain(|child| !gone[*child as usize]);
        children.push(node_children);
        nodes.push(into_node(node));
    }
    Snapshot::assemble(app.clone(), nodes, &children)
}

/// Names controls after the labels inside them. GTK 4 does not name buttons that contain a named
/// label or image. It names each tab of a notebook "Tab", or by a text with the mnemonic marked.
fn name_controls_by_content(tree: &mut PartialTree) {
    for at in 0..tree.nodes.len() {
        let node = &tree.nodes[at];
        if !node.name.is_empty() && node.role() != Role::Tab || !node.role().is_control() {
            continue;
        }
        let mut words = Vec::new();
        let mut stack: Vec<u32> = node.children.iter().rev().copied().collect();
        while let Some(child) = stack.pop() {
            let inner = &tree.nodes[child as usize];
            if node.is_showing() && !inner.is_showing() {
                continue;
            }
            if inner.role().is_control() {
                // A nested control has its own name, which is not part of this one. Tabs have a
                // button that closes them.
                if node.role() == Role::Tab {
                    continue;
                }
                words.clear();
                break;
            }
            if inner.role() == Role::Label && !inner.name.is_empty() {
                words.push(inner.name.clone());
            }
            stack.extend(inner.children.iter().rev());
        }
        words.dedup();
        if !words.is_empty() {
            tree.nodes[at].name = words.join(" ");
        }
    }
}

/// Marks everything inside a secret field as secret. It may have been read before the field was
/// recognized.
fn mark_descendants_secret(tree: &mut PartialTree) {
    let is_unmarked_secret = tree.nodes.iter().filter(|node| node.is_unmarked_secret);
    let mut stack: Vec<u32> = is_unmarked_secret.flat_map(|node| node.children.clone()).collect();
    while let Some(at) = stack.pop() {
        let descendant = tree.node_mut(at);
        if !std::mem::replace(&mut descendant.is_secret, true) {
            stack.extend(&descendant.children);
        }
    }
}

fn into_node(node: PartialNode) -> Node {
    let role = if node.is_unmarked_secret { Role::Password } else { node.role() };
    // In GTK 4 the parts of a password field show the typed text as their name.
    let name = if node.is_secret && role != Role::Password && !role.is_control() {
        String::new()
    } else {
        node.name
    };
    Node {
        role,
        name,
        value: if node.is_secret && node.value.is_some() {
            Some(Value::Secret)
        } else {
            node.value
        },
        description: node.description,
        placeholder: node.placeholder,
        identifier: node.identifier,
        states: node.states,
        bounds: node.bounds,
        actions: node.actions,
        relations: node.relations,
        child_count: u32::try_from(node.child_count).unwrap_or(0),
        cut: node.cut,
        id: node.id,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a tree of elements with these AT-SPI role numbers.
    fn tree_of(roles: &[u32]) -> PartialTree {
        let mut tree = PartialTree::default();
        for (at, role) in roles.iter().enumerate() {
            let (index, _) = tree.get_or_insert(NodeId::new(format!(":1.1/{at}")));
            tree.node_mut(index).role_number = *role;
        }
        tree
    }

    #[test]
    fn a_browser_window_without_page_or_controls_lacks_content() {
        const APPLICATION: u32 = 75;
        const WINDOW: u32 = 23;
        const PANEL: u32 = 39;
        const PAGE: u32 = 95;
        assert!(lacks_content(&tree_of(&[APPLICATION, WINDOW, PANEL, PANEL])));
        assert!(!lacks_content(&tree_of(&[APPLICATION, WINDOW, PANEL, PAGE])));
        assert!(!lacks_content(&tree_of(&[APPLICATION])));
        let browser = [&[APPLICATION, WINDOW][..], &[PANEL; 200]].concat();
        assert!(!lacks_content(&tree_of(&browser)));
    }

    #[test]
    fn elements_inside_a_password_field_have_neither_name_nor_value() {
        let mut tree = tree_of(&[29]);
        let node = tree.node_mut(0);
        node.name = "hunter2".to_owned();
        node.value = Some(Value::Text { text: "hunter2".to_owned(), length: 7 });
        node.is_secret = true;
        let node = into_node(tree.nodes.remove(0));
        assert_eq!((node.name.as_str(), node.value), ("", Some(Value::Secret)));
    }
}
