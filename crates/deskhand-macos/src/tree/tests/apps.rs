//! Which apps are listed, and how.

use deskhand_model::{AppId, NodeId};
use deskhand_platform::{Error, Tree};

use super::{Desk, soon};
use crate::tree::{Fault, Presence, Value};

#[test]
fn apps_are_listed_by_name_with_their_windows() {
    let desk = Desk::new();
    let notes = desk.system.app("notes", 20);
    desk.system.window(notes, "A");
    desk.system.window(notes, "B");
    desk.system.app("Finder", 10);
    let apps = desk.tree.apps(soon()).unwrap();
    let told: Vec<_> =
        apps.iter().map(|app| (app.name.as_str(), app.windows, app.responding)).collect();
    assert_eq!(told, [("Finder", 0, true), ("notes", 2, true)]);
    assert_eq!(apps[1].bundle_id.as_deref(), Some("com.example.notes"));
    assert_eq!((apps[1].pid, apps[1].started), (20, 20_000));
    assert_eq!(apps[1].toolkit.name, "AppKit");
    assert_eq!(desk.tree.host(&apps[1].root), apps[1].id);
    assert_eq!(desk.tree.process_of(&apps[1].id, soon()), Ok(20));
    assert_eq!(desk.tree.admit(&apps[1], soon()), Ok(()));
    let some = desk.tree.apps_of(&[20, 99], soon()).unwrap();
    assert_eq!(some.iter().map(|app| (app.pid, &app.bundle_id)).collect::<Vec<_>>(), [(20, &None)]);
}

#[test]
fn a_frozen_app_is_listed_as_not_responding() {
    let desk = Desk::new();
    let root = desk.system.app("Frozen", 10);
    desk.system.fail(root, Fault::CannotComplete);
    let apps = desk.tree.apps(soon()).unwrap();
    assert_eq!(apps.iter().map(|app| app.responding).collect::<Vec<_>>(), [false]);
}

#[test]
fn an_agent_is_listed_only_when_it_shows_something() {
    let desk = Desk::new();
    desk.system.program("Quiet", 10, Presence::Accessory, &[]);
    desk.system.program("Hidden", 11, Presence::None, &[]);
    let shown = desk.system.program("Shown", 12, Presence::Accessory, &[]);
    desk.system.window(shown, "A");
    let menu = desk.system.program("Menu", 13, Presence::Accessory, &[]);
    desk.system.put(menu, "AXExtrasMenuBar", Value::Element(menu));
    let names: Vec<String> =
        desk.tree.apps(soon()).unwrap().into_iter().map(|app| app.name).collect();
    assert_eq!(names, ["Menu", "Shown"]);
    assert_eq!(desk.tree.apps_of(&[10], soon()).unwrap().len(), 1, "one that is asked for");
}

#[test]
fn a_process_that_is_no_program_is_asked_about_once() {
    let desk = Desk::new();
    desk.system.state().services = vec![1, 2, 3];
    desk.tree.apps(soon()).unwrap();
    desk.tree.apps(soon()).unwrap();
    assert_eq!(desk.system.count("program"), 3);
}

#[test]
fn without_the_permission_nothing_is_read_and_it_says_where_to_give_it() {
    let desk = Desk::new();
    desk.system.app("Notes", 10);
    let app = desk.app(10);
    desk.system.state().untrusted = true;
    let apps = desk.tree.apps(soon());
    let Err(Error::NotAllowed { permission, who }) = apps else { panic!("{apps:?}") };
    assert_eq!((permission.as_str(), who.as_str()), ("Accessibility", "Terminal"));
    assert!(matches!(desk.tree.apps_of(&[10], soon()), Err(Error::NotAllowed { .. })));
    assert!(matches!(desk.tree.text(&app, &app.root, soon()), Err(Error::NotAllowed { .. })));
}

#[test]
fn a_process_number_that_is_used_again_is_another_app() {
    let desk = Desk::new();
    desk.system.app("Notes", 10);
    let other = AppId("10.5".to_owned());
    assert!(matches!(desk.tree.process_of(&other, soon()), Err(Error::Gone { .. })));
    for odd in ["nonsense", "77.0", "x.y"].map(|id| AppId(id.to_owned())) {
        assert!(matches!(desk.tree.process_of(&odd, soon()), Err(Error::Gone { .. })));
    }
    let odd = NodeId::new("nonsense");
    assert_eq!(desk.tree.host(&odd), AppId("nonsense".to_owned()));
    let unknown = desk.tree.text(&desk.app(10), &NodeId::new("10.10000/fff"), soon());
    assert!(matches!(unknown, Err(Error::Gone { .. })), "{unknown:?}");
}
