//! Finds the password fields of an app. Every screenshot needs this, so it sends as few requests as
//! possible.

use std::collections::{HashSet, VecDeque};

use deskhand_model::{App, Cut, NodeId, Notice, Role, Snapshot, States};
use deskhand_platform::{
    Deadline, IncompleteReason, NodeFields, PasswordFields, Result, WalkOptions,
};
use zbus::Message;

use super::{
    app_connection::AppConnection,
    atspi,
    bus::platform_error,
    cache::{self, CachedChildren, CachedNodes},
    dbus::{CallError, CallResult, Peer, body},
    facts::{self, Fact},
    partial_node::PartialTree,
    position::ScreenLayout,
    quirks::Quirks,
    role, secret_fields, walk,
};
use crate::apps::process;

/// Tables with more cells than this are skipped: their cells are drawn, not input fields.
const MAX_TABLE_CELLS: i64 = 100;
/// Maximum number of children of one element. A list beyond it is skipped, since its rows are
/// alike.
const MAX_CHILDREN: i64 = 1_000;
/// Maximum number of elements in one search.
const MAX_ELEMENTS: usize = 20_000;
/// Maximum number of plain fields to check for secrets.
const MAX_PLAIN_FIELDS: usize = 500;

/// Finds the password fields of an app.
pub(crate) fn search(
    connection: &mut AppConnection,
    app: &App,
    deadline: Deadline,
) -> Result<PasswordFields> {
    let quirks = Quirks::of(app);
    // For Chromium a full read also reports when its accessibility is off.
    if !quirks.chromium {
        let mut search = PasswordSearch::new(&app.root);
        if quirks.cache_is_safe && connection.may_use_cache() {
            search.load_cache(connection, quirks, deadline)?;
        }
        search.peer = connection.peer();
        let mut queue = SearchQueue::new();
        search.visit_cached(app.root.clone(), SearchContext::App, &mut queue);
        connection.client().call_streaming(queue, deadline, |tag, result, queue| {
            search.handle_reply(tag, result, queue);
        });
        if !search.crosses_processes {
            search.check_plain_fields(connection, app, deadline);
            if !search.has_page_content && hides_web_pages(app) {
                search.found.incomplete.get_or_insert(IncompleteReason::ContentNotExposed);
            }
            return Ok(search.found);
        }
    }
    let extent = WalkOptions::with_fields(NodeFields::MINIMAL);
    let snapshot =
        walk::read_subtree(connection, app, &app.root, &extent, deadline, ScreenLayout::default)?;
    Ok(from_snapshot(&snapshot))
}

/// Returns `true` if the app may show web pages that its tree does not contain: the engine of Qt is
/// loaded, whose accessibility is off by default.
fn hides_web_pages(app: &App) -> bool {
    app.toolkit.name.eq_ignore_ascii_case("qt") && process::has_library(app.pid, "WebEngineCore")
}

fn from_snapshot(snapshot: &Snapshot) -> PasswordFields {
    let fields = snapshot.iter().filter(|(_, node)| node.role == Role::Password);
    let from_notice = snapshot.notices().iter().find_map(|notice| match notice {
        Notice::AccessibilityOff { .. } => Some(IncompleteReason::ContentNotExposed),
        Notice::NotResponding => Some(IncompleteReason::Timeout),
        Notice::UnplacedWindow { .. } | Notice::BlankArea { .. } => None,
    });
    let cut = snapshot.cuts().find_map(|(at, cut)| match cut {
        Cut::Deadline | Cut::Silent => Some(IncompleteReason::Timeout),
        Cut::Budget => Some(IncompleteReason::TooManyNodes),
        // A list is cut by omitting further rows of the same kind.
        Cut::Many if !is_listing(snapshot.node(at).role) => Some(IncompleteReason::TooManyNodes),
        Cut::Many | Cut::Depth | Cut::Gone => None,
    });
    PasswordFields {
        fields: fields.map(|(_, node)| node.id.clone()).collect(),
        incomplete: from_notice.or(cut),
    }
}

/// The kind of content that an element is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SearchContext {
    /// The windows of an app, as its toolkit builds them.
    App,
    /// A web page, where any element may contain any other.
    Page,
}

type SearchTag = (NodeId, Fact, Role, SearchContext);
type SearchQueue = VecDeque<(SearchTag, Message)>;

/// A search in progress. Unless the cache contains an element, its role is requested first: most
/// elements cannot contain a field.
struct PasswordSearch {
    app_name: String,
    peer: Peer,
    tree: PartialTree,
    cached: CachedNodes,
    visited: HashSet<NodeId>,
    found: PasswordFields,
    /// Plain fields, which may hold a secret although their role does not say so.
    plain_fields: Vec<NodeId>,
    /// `true` if parts of the tree belong to another process, such as a page in a WebKit window.
    /// Only a full read reaches these.
    crosses_processes: bool,
    /// `true` if an element inside a web page was visited.
    has_page_content: bool,
}

impl PasswordSearch {
    fn new(root: &NodeId) -> Self {
        Self {
            app_name: atspi::split_node_id(root).0.to_owned(),
            peer: Peer::Direct,
            tree: PartialTree::default(),
            cached: CachedNodes::default(),
            visited: HashSet::new(),
            found: PasswordFields { fields: Vec::new(), incomplete: None },
            plain_fields: Vec::new(),
            crosses_processes: false,
            has_page_content: false,
        }
    }

    /// Loads the app's cache.
    fn load_cache(
        &mut self,
        connection: &mut AppConnection,
        quirks: Quirks,
        deadline: Deadline,
    ) -> Result<()> {
        let peer = connection.peer();
        match cache::fetch(connection.client(), &peer, deadline) {
            Ok(Some(reply)) => self.cached = cache::store(&reply, &mut self.tree, quirks),
            Ok(None) => {}
            // A name that is not UTF-8 breaks the reply and the connection. Separate requests still
            // work.
            Err(CallError::Disconnected(_)) => connection.reopen(deadline)?,
            Err(error @ (CallError::TimedOut | CallError::Refused(_))) => {
                return Err(platform_error("the app", error));
            }
        }
        Ok(())
    }

    /// Visits an element and all cached elements below it.
    fn visit_cached(&mut self, id: NodeId, context: SearchContext, queue: &mut SearchQueue) {
        let mut stack = vec![(id, context)];
        while let Some((id, context)) = stack.pop() {
            let (bus, path) = atspi::split_node_id(&id);
            if path == atspi::NULL_PATH || bus.is_empty() {
                continue;
            }
            if bus != self.app_name {
                self.crosses_processes = true;
                queue.clear();
                return;
            }
            if !self.visited.insert(id.clone()) {
                continue;
            }
            if self.visited.len() > MAX_ELEMENTS {
                self.found.incomplete = Some(IncompleteReason::TooManyNodes);
                return;
            }
            let (index, _) = self.tree.get_or_insert(id.clone());
            let Some(children_state) = self.cached.children_of(index) else {
                self.request(id, Fact::Role, Role::Unknown, context, queue);
                continue;
            };
            let node = self.tree.node_mut(index);
            let (role, children) = (node.role(), node.children.clone());
            let inner_context = self.visit(&id, role, context);
            match (inner_context, children_state) {
                (None, _) => {}
                (Some(inner_context), CachedChildren::All) => {
                    let children = children.into_iter().map(|at| self.tree.node_mut(at).id.clone());
                    stack.extend(children.map(|child| (child, inner_context)));
                }
                (Some(inner_context), CachedChildren::Partial | CachedChildren::Unknown) => {
                    self.request(id, Fact::ChildCount, role, inner_context, queue);
                }
            }
        }
    }

    /// Finds the plain fields that hold a secret.
    fn check_plain_fields(
        &mut self,
        connection: &mut AppConnection,
        app: &App,
        deadline: Deadline,
    ) {
        const FIELD_FACETS: NodeFields =
            NodeFields { values: true, hidden: true, ..NodeFields::MINIMAL };
        self.plain_fields.truncate(MAX_PLAIN_FIELDS);
        if self.plain_fields.is_empty() {
            return;
        }
        let read = walk::read_elements(
            connection,
            app,
            &self.plain_fields,
            FIELD_FACETS,
            deadline,
            ScreenLayout::default,
        );
        match read {
            Ok(nodes) => {
                let secret = nodes.into_iter().flatten().filter(|it| it.role == Role::Password);
                self.found.fields.extend(secret.map(|node| node.id));
            }
            Err(_) => self.found.incomplete = Some(IncompleteReason::Timeout),
        }
    }

    /// Records a password field. For other elements, returns the context of their children, or
    /// `None` if they need no search.
    fn visit(&mut self, id: &NodeId, role: Role, context: SearchContext) -> Option<SearchContext> {
        self.has_page_content |= context == SearchContext::Page;
        if role == Role::Password {
            self.found.fields.push(id.clone());
            return None;
        }
        if secret_fields::is_single_line_field(role, States::NONE) {
            self.plain_fields.push(id.clone());
        }
        let page = matches!(role, Role::WebDocument | Role::DocumentFrame | Role::HtmlContainer);
        match context {
            SearchContext::Page => Some(SearchContext::Page),
            SearchContext::App if page => Some(SearchContext::Page),
            SearchContext::App => may_contain_fields(role).then_some(SearchContext::App),
        }
    }

    fn request(
        &self,
        id: NodeId,
        fact: Fact,
        role: Role,
        context: SearchContext,
        queue: &mut SearchQueue,
    ) {
        // An element with an invalid path has no children to search.
        if let Ok(message) = fact.request(&self.peer, atspi::split_node_id(&id).1) {
            queue.push_back(((id, fact, role, context), message));
        }
    }

    fn handle_reply(
        &mut self,
        (id, fact, role, context): SearchTag,
        result: CallResult,
        queue: &mut SearchQueue,
    ) {
        let message = match result {
            Ok(message) => message,
            // An element that no longer exists shows no secret.
            Err(CallError::Refused(_)) => return,
            Err(CallError::TimedOut | CallError::Disconnected(_)) => {
                self.found.incomplete = Some(IncompleteReason::Timeout);
                return;
            }
        };
        if fact == Fact::Role {
            let role = role::from_number(body(&message).unwrap_or(0), States::default());
            match self.visit(&id, role, context) {
                None => {}
                Some(SearchContext::App) if is_short(role) => {
                    self.request(id, Fact::Children, role, SearchContext::App, queue);
                }
                Some(inner_context) => {
                    self.request(id, Fact::ChildCount, role, inner_context, queue)
                }
            }
        } else if fact == Fact::ChildCount {
            match facts::integer(&message).unwrap_or(0) {
                ..=0 => {}
                cells if is_grid(role) && cells > MAX_TABLE_CELLS => {}
                rows if is_listing(role) && rows > MAX_CHILDREN => {}
                many if many > MAX_CHILDREN => {
                    self.found.incomplete = Some(IncompleteReason::TooManyNodes)
                }
                _ => self.request(id, Fact::Children, role, context, queue),
            }
        } else {
            let children: Vec<atspi::ObjectRef> = body(&message).unwrap_or_default();
            for (bus, child) in children {
                self.visit_cached(atspi::node_id(&bus, child.as_str()), context, queue);
            }
        }
    }
}

/// Returns `true` if elements with this role never have many children.
fn is_short(role: Role) -> bool {
    role.is_window()
        || (role.is_layout() && may_contain_fields(role))
        || matches!(role, Role::Application | Role::TabList | Role::Tab | Role::ToolBar)
}

/// Returns `true` if an element with this role may contain fields. Menus and clickable elements do
/// not.
fn may_contain_fields(role: Role) -> bool {
    let menu = matches!(
        role,
        Role::Menu
            | Role::MenuBar
            | Role::MenuItem
            | Role::PopupMenu
            | Role::CheckMenuItem
            | Role::RadioMenuItem
    );
    let leaf = matches!(
        role,
        Role::Button
            | Role::ToggleButton
            | Role::CheckBox
            | Role::RadioButton
            | Role::Label
            | Role::Image
            | Role::Icon
            | Role::Slider
            | Role::ScrollBar
            | Role::ProgressBar
            | Role::Separator
            | Role::Terminal
    );
    !menu && !leaf
}

fn is_grid(role: Role) -> bool {
    matches!(role, Role::Table | Role::Tree | Role::TreeTable | Role::Spreadsheet)
}

fn is_listing(role: Role) -> bool {
    is_grid(role) || matches!(role, Role::List | Role::ListBox | Role::Menu)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_grouping_role_is_searched() {
        for role in Role::ALL.iter().filter(|role| role.is_window() || role.is_layout()) {
            assert!(may_contain_fields(*role) || *role == Role::Separator, "{role:?}");
        }
        for role in [Role::Application, Role::WebDocument, Role::ToolBar, Role::Cell, Role::Form] {
            assert!(may_contain_fields(role), "{role:?}");
        }
        assert!(!may_contain_fields(Role::MenuBar) && !may_contain_fields(Role::Button));
    }

    #[test]
    fn any_element_of_a_web_page_may_contain_a_field() {
        let mut search = PasswordSearch::new(&atspi::node_id(":1.7", "/root"));
        let id = atspi::node_id(":1.7", "/1");
        assert_eq!(search.visit(&id, Role::Label, SearchContext::App), None);
        let page = search.visit(&id, Role::WebDocument, SearchContext::App);
        assert_eq!((page, search.has_page_content), (Some(SearchContext::Page), false), "empty");
        let mut visit = |role, context| search.visit(&id, role, context);
        // `<label>Password <input type=password></label>`
        assert_eq!(visit(Role::Label, SearchContext::Page), Some(SearchContext::Page));
        assert_eq!(visit(Role::Password, SearchContext::Page), None);
        assert!(search.has_page_content);
        assert_eq!(search.found.fields, [id]);
    }
}
