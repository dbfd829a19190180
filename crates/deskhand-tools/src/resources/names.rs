//! `view_names`: lists the names of parts of an app, for completions.

use std::collections::HashSet;

use deskhand_model::{Index, Node, Role, Snapshot, State};
use deskhand_platform::{NodeFields, WalkOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Context, Effect, Requirement, Result, Tool, ToolSpec,
    verbs::{self, tree::TreeRead, tree::sanitize::HiddenTextPolicy},
};

/// Maximum number of names.
const MAX_NAMES: usize = 1_000;

/// Maximum length of a name; longer ones are useless as completions.
const MAX_NAME_LENGTH: usize = 80;

/// The words for containers in a window.
const REGIONS: &[(Role, &str)] = &[
    (Role::ToolBar, "toolbar"),
    (Role::TabList, "tab bar"),
    (Role::MenuBar, "menu bar"),
    (Role::StatusBar, "status bar"),
    (Role::Dialog, "dialog"),
    (Role::Alert, "dialog"),
    (Role::FileChooser, "dialog"),
    (Role::List, "list"),
    (Role::ListBox, "list"),
    (Role::Table, "table"),
    (Role::Tree, "tree"),
    (Role::TreeTable, "tree"),
    (Role::Form, "form"),
    (Role::Landmark, "panel"),
    (Role::Panel, "panel"),
    (Role::Section, "panel"),
];

pub(crate) struct NamesView;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The app: its name, pid or desktop-file id.
    app: String,
    /// The kind of parts.
    of: PartKind,
}

/// A kind of parts of an app.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum PartKind {
    /// Toolbars, tab lists, dialogs and other containers.
    Regions,
    /// Destinations: windows, tabs and menu items.
    Places,
    /// Everything visible that has a name.
    Elements,
}

/// Names of parts of an app.
#[derive(Serialize, JsonSchema)]
pub(crate) struct NameList {
    /// The names, in tree order, without duplicates.
    names: Vec<String>,
}

impl Tool for NamesView {
    const SPEC: ToolSpec = ToolSpec {
        name: "view_names",
        command: "",
        about: "The names of parts of an app.",
        effect: Effect::Observe,
        needs: &[Requirement::Tree],
    };
    type Args = Args;
    type Output = NameList;

    fn run(cx: &Context<'_>, args: Args) -> Result<NameList> {
        let app = verbs::app::resolve_app(cx, Some(&args.app))?;
        let mut look = TreeRead::of_app(cx, &app, &WalkOptions::with_fields(NodeFields::STANDARD))?;
        look.sanitize(cx, &app, HiddenTextPolicy::Omit);
        Ok(NameList { names: names(&look.snapshot, args.of) })
    }
}

fn names(seen: &Snapshot, of: PartKind) -> Vec<String> {
    let name = |(at, node): (Index, &Node)| match of {
        PartKind::Regions => region(node),
        PartKind::Places => place(seen, at, node),
        PartKind::Elements => element(node),
    };
    let mut known = HashSet::new();
    seen.iter()
        .filter_map(name)
        .filter(|name| name.chars().count() <= MAX_NAME_LENGTH && known.insert(name.clone()))
        .take(MAX_NAMES)
        .collect()
}

/// Returns `true` for containers in a window.
fn region(node: &Node) -> Option<String> {
    let (_, word) = REGIONS.iter().find(|(role, _)| *role == node.role)?;
    let name = node.name.trim();
    // Panels without a name are how toolkits lay things out.
    let nameless = name.is_empty() && *word == "panel";
    if nameless || !node.states.has(State::Showing) {
        return None;
    }
    Some(if name.is_empty() { (*word).to_owned() } else { format!("{word} {name}") })
}

/// Returns `true` for destinations: windows, tabs and menu items.
fn place(seen: &Snapshot, at: Index, node: &Node) -> Option<String> {
    let name = node.name.trim();
    let item = matches!(
        node.role,
        Role::Menu | Role::MenuItem | Role::CheckMenuItem | Role::RadioMenuItem
    );
    if name.is_empty() || !(item || node.role.is_window() || node.role == Role::Tab) {
        return None;
    }
    if !item {
        return Some(name.to_owned());
    }
    let menu = |up: &Index| seen.node(*up).role == Role::Menu && !seen.node(*up).name.is_empty();
    let mut way: Vec<&str> =
        seen.ancestors(at).filter(menu).map(|up| seen.node(up).name.trim()).collect();
    way.reverse();
    way.push(name);
    Some(way.join(" > "))
}

/// Returns `true` for visible elements with a name.
fn element(node: &Node) -> Option<String> {
    let name = node.name.trim();
    let shown = node.states.has(State::Showing) && !node.role.is_window();
    (shown && !name.is_empty() && node.role != Role::Application).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use deskhand_model::{App, AppId, NodeId, States, Toolkit};

    use super::*;

    fn seen() -> Snapshot {
        let app = App {
            id: AppId(":1".to_owned()),
            name: "editor".to_owned(),
            pid: 1,
            started: 1,
            bundle_id: None,
            executable: None,
            toolkit: Toolkit { name: "test".to_owned(), version: "1".to_owned() },
            root: NodeId::new("0"),
            windows: 1,
            responding: true,
        };
        let node = |id: &str, role, name: &str, states| {
            let mut node = Node::new(NodeId::new(id), role);
            (node.name, node.states) = (name.to_owned(), states);
            node
        };
        let shown = States::NONE.with(State::Showing);
        let nodes = vec![
            node("0", Role::Application, "editor", States::NONE),
            node("1", Role::Window, "a.txt", shown),
            node("2", Role::MenuBar, "", shown),
            node("3", Role::Menu, "File", shown),
            node("4", Role::MenuItem, "Save", States::NONE),
            node("5", Role::ToolBar, "Main", shown),
            node("6", Role::Button, "Print", shown),
            node("7", Role::Panel, "", shown),
            node("8", Role::Button, "Print", shown),
        ];
        let children = vec![
            vec![1],
            vec![2, 5, 7],
            vec![3],
            vec![4],
            vec![],
            vec![6],
            vec![],
            vec![8],
            vec![],
        ];
        Snapshot::assemble(app, nodes, &children)
    }

    #[test]
    fn parts_are_called_as_a_person_would() {
        assert_eq!(names(&seen(), PartKind::Regions), ["menu bar", "toolbar Main"]);
        assert_eq!(names(&seen(), PartKind::Places), ["a.txt", "File", "File > Save"]);
        assert_eq!(names(&seen(), PartKind::Elements), ["File", "Main", "Print"]);
    }
}
