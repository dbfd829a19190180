//! Finds the password fields on the screen, so that screenshots do not show them.

use deskhand_model::{App, NodeId, Rect, Window};
use deskhand_platform::{Deadline, Error as Below, IncompleteReason, NodeFields, Tree};
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
            let class = windows.iter().find(|window| window.pid == pid);
            let app = class.map(|window| window.class.clone()).unwrap_or_default();
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
        // No part of a blocked app is in the image.
        Err(Below::AppBlocked { .. }) => {}
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
    let placed = |node: deskhand_model::Node| node.bounds.filter(|bounds| !bounds.is_empty());
    let fields = ids.into_iter().zip(nodes);
    fields
        .map(|(id, node)| PasswordField { app: app.clone(), id, place: node.and_then(placed) })
        .collect()
}

impl PasswordFields {
    /// Returns the result of a search that failed as a whole.
    pub(crate) fn failed() -> Self {
        let why = "the search for password fields failed".to_owned();
        Self { fields: Vec::new(), unsearched: vec![UnsearchedApp { app: "all".to_owned(), why }] }
    }

    /// Returns the places of each field before and after the capture, except those that another
    /// window covers.
    pub(crate) fn visible_bounds(&self, tree: &dyn Tree, windows: &[Window]) -> Vec<Vec<Rect>> {
        let deadline = Deadline::after(timing::PASSWORD_REREAD_TIMEOUT);
        let place = |field: &PasswordField| {
            // A field that has moved is masked at both places. A field that no longer answers is
            // masked where it was.
            let reread =
                tree.read(&field.app, std::slice::from_ref(&field.id), BOUNDS_FACETS, deadline);
            let now = reread.unwrap_or_default().into_iter().flatten().next();
            let now = now.and_then(|node| node.bounds).filter(|now| Some(*now) != field.place);
            let places = [field.place, now].into_iter().flatten();
            places
                .filter(|place| !place.is_empty() && !is_behind(*place, field.app.pid, windows))
                .collect()
        };
        self.fields.iter().map(place).collect()
    }
}

/// Returns `true` if windows in front cover the whole place in the app's own window.
fn is_behind(place: Rect, pid: u32, windows: &[Window]) -> bool {
    let (x, y) = place.center();
    let own = |window: &&Window| window.pid == pid && window.frame.contains(x, y);
    let own = windows.iter().filter(|window| !window.minimized).find(own);
    own.is_some_and(|own| is_covered(place, own.z, windows))
}

/// Returns `true` if the windows in front of this stacking position cover the whole place.
pub(crate) fn is_covered(place: Rect, z: u32, windows: &[Window]) -> bool {
    let front = windows.iter().filter(|window| !window.minimized && window.z < z);
    let uncovered = front.fold(vec![place], |uncovered, window| {
        uncovered.into_iter().flat_map(|piece| piece.subtract(window.frame)).collect()
    });
    uncovered.is_empty()
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

    #[test]
    fn only_a_completely_covered_field_is_behind() {
        let field = Rect::new(100, 100, 200, 30);
        let own = window(1, 1, Rect::new(0, 0, 500, 500));
        let over = window(2, 0, Rect::new(50, 50, 400, 200));
        let partly = window(2, 0, Rect::new(50, 50, 200, 200));
        let below = Window { z: 2, ..over.clone() };
        assert!(is_behind(field, 1, &[over.clone(), own.clone()]));
        assert!(!is_behind(field, 1, &[partly.clone(), own.clone()]));
        assert!(!is_behind(field, 1, &[own.clone(), below]));
        let rest = window(3, 0, Rect::new(250, 100, 100, 100));
        assert!(is_behind(field, 1, &[rest, partly.clone(), own.clone()]));
        let gone = Window { minimized: true, ..over };
        assert!(!is_behind(field, 1, &[gone, own]));
        assert!(!is_behind(field, 1, &[]));
    }
}
