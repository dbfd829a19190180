//! Finds the password fields on the screen, so that screenshots do not show them.

use deskhand_locate::visibility::window_index;
use deskhand_model::{App, Node, NodeId, Rect, State, Window};
use deskhand_platform::{
    Deadline, Error as Below, IncompleteReason, NodeFields, Tree, WalkOptions,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::timing;

const BOUNDS_FACETS: NodeFields = NodeFields { bounds: true, ..NodeFields::MINIMAL };

/// An app that could not be searched completely.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnsearchedApp {
    /// The name of the app, or the class of its window.
    pub app: String,
    /// The reason why password fields may be readable in the image.
    pub why: String,
}

/// The password fields of the apps in a screenshot.
#[derive(Debug, Default)]
pub(crate) struct PasswordFields {
    fields: Vec<PasswordField>,
    /// The apps that could not be searched completely.
    pub unsearched: Vec<UnsearchedApp>,
}

#[derive(Debug)]
struct PasswordField {
    app: App,
    id: NodeId,
    place: Option<Rect>,
    /// `true` if it has the focus but no place, as in a page whose positions cannot be read.
    is_unplaced: bool,
}

/// Searches all apps that own one of the windows, in parallel.
pub(crate) fn find_password_fields(
    tree: &dyn Tree,
    windows: &[Window],
    deadline: Deadline,
) -> PasswordFields {
    let deadline = deadline.at_most(timing::PASSWORD_SEARCH_TIMEOUT);
    let mut found_fields = PasswordFields::default();
    if windows.is_empty() {
        return found_fields;
    }
    let mut pids: Vec<u32> = windows.iter().map(|window| window.pid).collect();
    pids.sort_unstable();
    pids.dedup();
    let apps = match tree.apps_by_pid(&pids, deadline) {
        Ok(apps) => apps,
        Err(error) => {
            let why = format!("no app could be searched for password fields: {error}");
            found_fields.unsearched.push(UnsearchedApp { app: "all".to_owned(), why });
            return found_fields;
        }
    };
    let mut searchable = Vec::new();
    for pid in pids {
        let of_pid = |app: &&App| app.pid == pid && pid != 0;
        let found: Vec<&App> = apps.iter().filter(of_pid).collect();
        if found.is_empty() {
            let window = windows.iter().find(|window| window.pid == pid);
            let name = |window: &Window| window.app.clone().unwrap_or(window.class.clone());
            let app = window.map(name).unwrap_or_default();
            let why = "it shows no accessibility tree, so its password fields are not known";
            found_fields.unsearched.push(UnsearchedApp { app, why: why.to_owned() });
        }
        searchable.extend(found);
    }
    let searched: Vec<PasswordFields> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            searchable.iter().map(|app| scope.spawn(|| search_app(tree, app, deadline))).collect();
        let ended = searchable.iter().zip(threads).map(|(app, thread)| {
            thread.join().unwrap_or_else(|_| PasswordFields {
                fields: Vec::new(),
                unsearched: vec![UnsearchedApp {
                    app: app.name.clone(),
                    why: "the search for its password fields failed".to_owned(),
                }],
            })
        });
        ended.collect()
    });
    for one in searched {
        found_fields.fields.extend(one.fields);
        found_fields.unsearched.extend(one.unsearched);
    }
    found_fields
}

fn search_app(tree: &dyn Tree, app: &App, deadline: Deadline) -> PasswordFields {
    let mut found_fields = PasswordFields::default();
    let mut unsearched = |why: String| {
        found_fields.unsearched.push(UnsearchedApp { app: app.name.clone(), why });
    };
    // An app that was too busy to report its name may still answer in time.
    match tree.password_fields(app, deadline) {
        Ok(found) => {
            if let Some(missed) = found.incomplete {
                unsearched(describe_gap(missed).to_owned());
            }
            found_fields.fields =
                field_bounds(tree, app, found.fields, deadline, &mut found_fields.unsearched);
        }
        // No part of an app that a guard hides is in the image.
        Err(Below::Refused(_)) => {}
        Err(error) => unsearched(format!("its password fields are not known: {error}")),
    }
    found_fields
}

fn describe_gap(missed: IncompleteReason) -> &'static str {
    match missed {
        IncompleteReason::ContentNotExposed => {
            "its accessibility is off, so its password fields are not known"
        }
        IncompleteReason::Timeout => "it did not answer in time: password fields may be missed",
        IncompleteReason::TooManyNodes => {
            "it is too large to be searched completely: password fields may be missed"
        }
    }
}

fn field_bounds(
    tree: &dyn Tree,
    app: &App,
    ids: Vec<NodeId>,
    deadline: Deadline,
    unsearched: &mut Vec<UnsearchedApp>,
) -> Vec<PasswordField> {
    if ids.is_empty() {
        return Vec::new();
    }
    let nodes = tree.read(app, &ids, BOUNDS_FACETS, deadline).unwrap_or_else(|error| {
        let why = format!("where its password fields are is not known: {error}");
        unsearched.push(UnsearchedApp { app: app.name.clone(), why });
        ids.iter().map(|_| None).collect()
    });
    let fields = ids.into_iter().zip(nodes);
    fields
        .map(|(id, node)| {
            let has_focus = node.as_ref().is_some_and(|node| node.states.has(State::Focused));
            let place = node.and_then(|node| node.bounds).filter(|bounds| !bounds.is_empty());
            let is_unplaced = has_focus && place.is_none();
            PasswordField { app: app.clone(), id, place, is_unplaced }
        })
        .collect()
}

impl PasswordFields {
    /// Returns the result of a search that failed as a whole.
    pub(crate) fn failed() -> Self {
        let why = "the search for password fields failed".to_owned();
        Self { fields: Vec::new(), unsearched: vec![UnsearchedApp { app: "all".to_owned(), why }] }
    }

    /// Returns the places of each field before and after the capture, without the parts that other
    /// windows cover. `shown` are the windows in the image, `all` are the windows of the desktop. A
    /// focused field without a place hides all windows of its app.
    pub(crate) fn visible_bounds(
        &self,
        tree: &dyn Tree,
        shown: &[Window],
        all: &[Window],
    ) -> Vec<Vec<Rect>> {
        let deadline = Deadline::after(timing::PASSWORD_REREAD_TIMEOUT);
        let place = |field: &PasswordField| {
            if field.is_unplaced {
                let own = shown.iter().filter(|window| window.pid == field.app.pid);
                return own.map(|window| window.frame).collect();
            }
            // A field that has moved is masked at both places. A field that no longer answers is
            // masked where it was.
            let reread =
                tree.read(&field.app, std::slice::from_ref(&field.id), BOUNDS_FACETS, deadline);
            let now = reread.unwrap_or_default().into_iter().flatten().next();
            let now = now.and_then(|node| node.bounds).filter(|now| Some(*now) != field.place);
            let places = [field.place, now].into_iter().flatten();
            places
                .filter(|place| !place.is_empty())
                .flat_map(|place| {
                    let owners = possible_windows(place, field.app.pid, all);
                    let owners = match owners.len() {
                        0 | 1 => owners,
                        _ => field_windows(tree, field, owners, deadline),
                    };
                    visible_parts(place, &owners, shown)
                })
                .collect()
        };
        self.fields.iter().map(place).collect()
    }
}

/// Returns the windows of a process that a place may belong to.
fn possible_windows(place: Rect, pid: u32, all: &[Window]) -> Vec<&Window> {
    let (x, y) = place.center();
    let holds =
        |window: &&Window| window.pid == pid && !window.minimized && window.frame.contains(x, y);
    all.iter().filter(holds).collect()
}

/// Returns those of several windows that may contain a field: the one with the title of the field's
/// window, or else with its position. All of them if the field's window is not known.
fn field_windows<'w>(
    tree: &dyn Tree,
    field: &PasswordField,
    windows: Vec<&'w Window>,
    deadline: Deadline,
) -> Vec<&'w Window> {
    let options = WalkOptions::with_fields(BOUNDS_FACETS);
    // If the tree cannot be read again, the field counts as visible in every window.
    let Ok(snapshot) = tree.walk(&field.app, &field.app.root, &options, deadline) else {
        return windows;
    };
    match snapshot.position(&field.id).and_then(|at| window_index(&snapshot, at)) {
        Some(at) => same_window(snapshot.node(at), windows),
        None => windows,
    }
}

/// Returns the windows that a top-level element may stand for.
fn same_window<'w>(element: &Node, windows: Vec<&'w Window>) -> Vec<&'w Window> {
    let titled: Vec<&Window> =
        windows.iter().copied().filter(|window| window.title == element.name).collect();
    let candidates = if titled.is_empty() { windows } else { titled };
    let placed = |window: &&Window| {
        element.bounds.is_some_and(|bounds| bounds == window.bounds || bounds == window.frame)
    };
    let placed: Vec<&Window> = candidates.iter().copied().filter(placed).collect();
    if placed.is_empty() { candidates } else { placed }
}

/// Returns the parts of a place in one of the windows that are visible in the image. A place without
/// a window is visible as a whole.
fn visible_parts(place: Rect, owners: &[&Window], shown: &[Window]) -> Vec<Rect> {
    if owners.is_empty() {
        return vec![place];
    }
    let is_shown = |owner: &&&Window| shown.iter().any(|window| window.id == owner.id);
    owners.iter().filter(is_shown).flat_map(|owner| uncovered(place, owner.z, shown)).collect()
}

/// Returns `true` if the windows in front of this stacking position cover the whole place.
pub(crate) fn is_covered(place: Rect, z: u32, windows: &[Window]) -> bool {
    uncovered(place, z, windows).is_empty()
}

/// Returns the parts of a place that the windows in front of this stacking position do not cover.
fn uncovered(place: Rect, z: u32, windows: &[Window]) -> Vec<Rect> {
    let front = windows.iter().filter(|window| !window.minimized && window.z < z);
    front.fold(vec![place], |uncovered, window| {
        uncovered.into_iter().flat_map(|piece| piece.subtract(window.frame)).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(pid: u32, z: u32, bounds: Rect) -> Window {
        Window {
            id: u64::from(pid),
            title: String::new(),
            pid,
            app: None,
            class: String::new(),
            bounds,
            frame: bounds,
            z,
            minimized: false,
            focused: false,
        }
    }

    fn shows(place: Rect, pid: u32, windows: &[Window]) -> bool {
        !visible_parts(place, &possible_windows(place, pid, windows), windows).is_empty()
    }

    #[test]
    fn only_a_completely_covered_field_is_hidden() {
        let field = Rect::new(100, 100, 200, 30);
        let own = window(1, 1, Rect::new(0, 0, 500, 500));
        let over = window(2, 0, Rect::new(50, 50, 400, 200));
        let partly = window(2, 0, Rect::new(50, 50, 200, 200));
        let below = Window { z: 2, ..over.clone() };
        assert!(!shows(field, 1, &[over.clone(), own.clone()]));
        assert!(shows(field, 1, &[partly.clone(), own.clone()]));
        assert!(shows(field, 1, &[own.clone(), below]));
        let rest = window(3, 0, Rect::new(250, 100, 100, 100));
        assert!(!shows(field, 1, &[rest, partly.clone(), own.clone()]));
        let gone = Window { minimized: true, ..over };
        assert!(shows(field, 1, &[gone, own]));
        assert!(shows(field, 1, &[]));
    }

    #[test]
    fn a_dialog_above_a_field_of_its_own_app_is_not_masked() {
        let titled = |id, z, title: &str, bounds| Window {
            id,
            title: title.to_owned(),
            ..window(1, z, bounds)
        };
        let main = titled(10, 1, "Vault", Rect::new(0, 0, 500, 500));
        let dialog = titled(11, 0, "Save?", Rect::new(150, 50, 400, 200));
        let all = [dialog.clone(), main.clone()];
        let field = Rect::new(100, 100, 200, 30);
        let parts = |window_name: &str, shown: &[Window]| {
            let mut frame = Node::new(NodeId::new("frame"), deskhand_model::Role::Window);
            frame.name = window_name.to_owned();
            visible_parts(field, &same_window(&frame, possible_windows(field, 1, &all)), shown)
        };
        assert_eq!(parts("Vault", &all), [Rect::new(100, 100, 50, 30)], "left of the dialog");
        assert_eq!(parts("Vault", std::slice::from_ref(&main)), [field], "its window alone");
        assert!(parts("Vault", std::slice::from_ref(&dialog)).is_empty(), "the dialog alone");
        assert_eq!(parts("Save?", &all), [field], "a field of the dialog itself");
        assert!(parts("unknown", &all).contains(&field), "an unknown window is masked");
    }
}
