//! The list of apps.

use deskhand_model::{AppId, NodeId};
use deskhand_platform::{Error, Tree};

use super::{TestTree, test_deadline};
use crate::tree::{ActivationPolicy, AxError, Value};

#[test]
fn apps_are_listed_by_name_with_their_windows() {
    let test = TestTree::new();
    let notes = test.ax.app("notes", 20);
    test.ax.window(notes, "A");
    test.ax.window(notes, "B");
    test.ax.app("Finder", 10);
    let apps = test.tree.apps(test_deadline()).unwrap();
    let listed: Vec<_> =
        apps.iter().map(|app| (app.name.as_str(), app.windows, app.responding)).collect();
    assert_eq!(listed, [("Finder", 0, true), ("notes", 2, true)]);
    assert_eq!(apps[1].bundle_id.as_deref(), Some("com.example.notes"));
    assert_eq!((apps[1].pid, apps[1].started), (20, 20_000));
    assert_eq!(apps[1].toolkit.name, "AppKit");
    assert_eq!(test.tree.owner_of(&apps[1].root), apps[1].id);
    assert_eq!(test.tree.pid_of(&apps[1].id, test_deadline()), Ok(20));
    assert_eq!(test.tree.check_access(&apps[1], test_deadline()), Ok(()));
    let some = test.tree.apps_by_pid(&[20, 99], test_deadline()).unwrap();
    assert_eq!(some.iter().map(|app| (app.pid, &app.bundle_id)).collect::<Vec<_>>(), [(20, &None)]);
}

#[test]
fn a_frozen_app_is_listed_as_not_responding() {
    let test = TestTree::new();
    let root = test.ax.app("Frozen", 10);
    test.ax.fail(root, AxError::CannotComplete);
    let apps = test.tree.apps(test_deadline()).unwrap();
    assert_eq!(apps.iter().map(|app| app.responding).collect::<Vec<_>>(), [false]);
}

#[test]
fn an_accessory_app_is_listed_only_if_it_shows_something() {
    let test = TestTree::new();
    test.ax.program("Quiet", 10, ActivationPolicy::Accessory, &[]);
    test.ax.program("Hidden", 11, ActivationPolicy::Prohibited, &[]);
    let shown = test.ax.program("Shown", 12, ActivationPolicy::Accessory, &[]);
    test.ax.window(shown, "A");
    let menu = test.ax.program("Menu", 13, ActivationPolicy::Accessory, &[]);
    test.ax.put(menu, "AXExtrasMenuBar", Value::Element(menu));
    let names: Vec<String> =
        test.tree.apps(test_deadline()).unwrap().into_iter().map(|app| app.name).collect();
    assert_eq!(names, ["Menu", "Shown"]);
    assert_eq!(test.tree.apps_by_pid(&[10], test_deadline()).unwrap().len(), 1, "requested by pid");
}

#[test]
fn a_process_that_is_not_an_app_is_checked_once() {
    let test = TestTree::new();
    test.ax.state().services = vec![1, 2, 3];
    test.tree.apps(test_deadline()).unwrap();
    test.tree.apps(test_deadline()).unwrap();
    assert_eq!(test.ax.count("program"), 3);
}

#[test]
fn without_the_permission_the_error_names_it_and_the_program_to_allow() {
    let test = TestTree::new();
    test.ax.app("Notes", 10);
    let app = test.app(10);
    test.ax.state().untrusted = true;
    let apps = test.tree.apps(test_deadline());
    let Err(Error::PermissionDenied { permission, program: who }) = apps else {
        panic!("{apps:?}")
    };
    assert_eq!((permission.as_str(), who.as_str()), ("Accessibility", "Terminal"));
    assert!(matches!(
        test.tree.apps_by_pid(&[10], test_deadline()),
        Err(Error::PermissionDenied { .. })
    ));
    assert!(matches!(
        test.tree.text(&app, &app.root, test_deadline()),
        Err(Error::PermissionDenied { .. })
    ));
}

#[test]
fn a_reused_pid_is_another_app() {
    let test = TestTree::new();
    test.ax.app("Notes", 10);
    let other = AppId("10.5".to_owned());
    assert!(matches!(test.tree.pid_of(&other, test_deadline()), Err(Error::Gone { .. })));
    for odd in ["nonsense", "77.0", "x.y"].map(|id| AppId(id.to_owned())) {
        assert!(matches!(test.tree.pid_of(&odd, test_deadline()), Err(Error::Gone { .. })));
    }
    let odd = NodeId::new("nonsense");
    assert_eq!(test.tree.owner_of(&odd), AppId("nonsense".to_owned()));
    let unknown = test.tree.text(&test.app(10), &NodeId::new("10.10000/fff"), test_deadline());
    assert!(matches!(unknown, Err(Error::Gone { .. })), "{unknown:?}");
}
