//! Events of a subscription.

use std::time::Duration;

use deskhand_model::{Event, EventKind};
use deskhand_platform::{Error, EventStream, Tree};

use super::{TestTree, test_deadline};
use crate::tree::{
    AxError, Notification, Value,
    fake_ax::{ElementIndex, text},
};

const SHORT: Duration = Duration::from_millis(5);

impl TestTree {
    fn post(&self, element: ElementIndex, name: &str) {
        let notification = Notification { pid: 10, element, name: name.to_owned() };
        self.ax.state().notifications.push_back(notification);
    }

    fn subscribe(&self, kinds: &[EventKind]) -> Box<dyn EventStream> {
        self.tree.watch(Some(&self.app(10).id), kinds, test_deadline()).unwrap()
    }
}

fn next(events: &mut Box<dyn EventStream>) -> Option<Event> {
    events.next(SHORT).unwrap()
}

#[test]
fn a_value_change_names_the_element_but_not_the_text() {
    let test = TestTree::new();
    let window = test.ax.window(test.ax.app("Notes", 10), "A");
    let field = test.ax.add(window, "AXTextField", &[("AXValue", text("typed"))]);
    let mut events = test.subscribe(&[EventKind::ValueChanged, EventKind::TitleChanged]);
    assert_eq!(next(&mut events), None);
    test.post(field, "AXValueChanged");
    let event = next(&mut events).unwrap();
    assert_eq!((event.kind, event.node), (EventKind::ValueChanged, Some(test.id(field))));
    assert_eq!((event.detail.as_str(), event.app), ("", test.app(10).id));
    test.post(window, "AXTitleChanged");
    assert_eq!(next(&mut events).map(|event| event.detail), Some("A".to_owned()));
    test.post(window, "AXUndocumented");
    assert_eq!(next(&mut events), None);
}

#[test]
fn a_checkbox_reports_a_state_change_not_a_value_change() {
    let test = TestTree::new();
    let window = test.ax.window(test.ax.app("Notes", 10), "A");
    let check = test.ax.add(window, "AXCheckBox", &[("AXValue", Value::Whole(1))]);
    let mut events = test.subscribe(&[EventKind::StateChanged]);
    test.post(check, "AXValueChanged");
    let event = next(&mut events).unwrap();
    assert_eq!(
        (event.kind, event.detail.as_str(), event.on),
        (EventKind::StateChanged, "checked", true)
    );
    test.post(check, "AXRowCollapsed");
    let event = next(&mut events).unwrap();
    assert_eq!((event.detail.as_str(), event.on), ("expanded", false));
    test.ax.put(check, "AXElementBusy", Value::Flag(true));
    test.post(check, "AXElementBusyChanged");
    let event = next(&mut events).unwrap();
    assert_eq!((event.detail.as_str(), event.on), ("busy", true));
    test.post(check, "AXExpandedChanged");
    assert_eq!(next(&mut events).map(|event| event.on), Some(false));
}

#[test]
fn a_window_is_watched_from_its_creation_to_its_end() {
    let test = TestTree::new();
    let root = test.ax.app("Notes", 10);
    let window = test.ax.window(root, "A");
    let mut events = test.subscribe(&[EventKind::WindowCreated, EventKind::WindowDestroyed]);
    assert_eq!(test.ax.count(&format!("add_element {window} AXUIElementDestroyed")), 1);
    let new = test.ax.window(root, "B");
    test.post(new, "AXWindowCreated");
    let event = next(&mut events).unwrap();
    assert_eq!((event.kind, event.detail.as_str()), (EventKind::WindowCreated, "B"));
    for closed in [window, new] {
        test.post(closed, "AXUIElementDestroyed");
        let event = next(&mut events).unwrap();
        assert_eq!((event.kind, event.on), (EventKind::WindowDestroyed, false));
    }
    test.post(new, "AXUIElementDestroyed");
    assert_eq!(next(&mut events), None, "the end of an element that is not a window");
}

#[test]
fn opening_and_closing_a_menu_are_child_changes() {
    let test = TestTree::new();
    let root = test.ax.app("Notes", 10);
    let mut events = test.subscribe(&[EventKind::ChildrenChanged]);
    for (name, on) in [("AXMenuOpened", true), ("AXMenuClosed", false)] {
        test.post(root, name);
        assert_eq!(next(&mut events).map(|event| event.on), Some(on));
    }
}

#[test]
fn app_starts_and_ends_are_reported() {
    let test = TestTree::new();
    test.ax.app("Notes", 10);
    let kinds = [EventKind::AppStarted, EventKind::AppQuit, EventKind::FocusChanged];
    let mut events = test.tree.watch(None, &kinds, test_deadline()).unwrap();
    let notes = test.app(10).id;
    test.ax.app("Later", 11);
    test.ax.quit(10);
    let mut reported = vec![events.next(Duration::from_secs(2)).unwrap().unwrap()];
    reported.extend(next(&mut events));
    reported.sort_by_key(|event| event.kind);
    let reported: Vec<_> = reported.into_iter().map(|event| (event.kind, event.app)).collect();
    assert_eq!(reported, [(EventKind::AppStarted, test.app(11).id), (EventKind::AppQuit, notes)]);
    assert_eq!(test.ax.count("add 11"), 1);
}

#[test]
fn the_end_of_a_single_observed_app_is_reported() {
    let test = TestTree::new();
    test.ax.app("Notes", 10);
    let mut events = test.subscribe(&[EventKind::AppQuit]);
    test.ax.quit(10);
    let event = events.next(Duration::from_secs(2)).unwrap().unwrap();
    assert_eq!((event.kind, event.on), (EventKind::AppQuit, false));
}

#[test]
fn an_app_that_cannot_be_observed_is_an_error_unless_all_apps_are_observed() {
    let test = TestTree::new();
    test.ax.app("Notes", 10);
    let app = test.app(10).id;
    test.ax.state().observer_error = Some(AxError::CannotComplete);
    let kinds = [EventKind::FocusChanged];
    let one = test.tree.watch(Some(&app), &kinds, test_deadline());
    assert!(matches!(one.err(), Some(Error::Timeout { .. })));
    let mut all = test.tree.watch(None, &kinds, test_deadline()).unwrap();
    assert!(matches!(all.next(SHORT), Err(Error::Timeout { .. })));
    test.ax.state().observer_error = Some(AxError::InvalidObserver);
    assert!(matches!(all.next(SHORT), Err(Error::Disconnected { .. })));
}
