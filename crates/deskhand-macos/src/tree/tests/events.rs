//! What a subscription reports.

use std::time::Duration;

use deskhand_model::{Event, EventKind};
use deskhand_platform::{Error, Events, Tree};

use super::{Desk, soon};
use crate::tree::{
    Fault, Heard, Value,
    recorded::{Thing, text},
};

const MOMENT: Duration = Duration::from_millis(5);

impl Desk {
    fn say(&self, element: Thing, name: &str) {
        self.system.state().heard.push_back(Heard { pid: 10, element, name: name.to_owned() });
    }

    fn hear(&self, kinds: &[EventKind]) -> Box<dyn Events> {
        self.tree.watch(Some(&self.app(10).id), kinds, soon()).unwrap()
    }
}

fn next(events: &mut Box<dyn Events>) -> Option<Event> {
    events.next(MOMENT).unwrap()
}

#[test]
fn a_change_is_told_with_its_element_and_without_its_text() {
    let desk = Desk::new();
    let window = desk.system.window(desk.system.app("Notes", 10), "A");
    let field = desk.system.add(window, "AXTextField", &[("AXValue", text("typed"))]);
    let mut events = desk.hear(&[EventKind::ValueChanged, EventKind::TitleChanged]);
    assert_eq!(next(&mut events), None);
    desk.say(field, "AXValueChanged");
    let event = next(&mut events).unwrap();
    assert_eq!((event.kind, event.node), (EventKind::ValueChanged, Some(desk.id(field))));
    assert_eq!((event.detail.as_str(), event.app), ("", desk.app(10).id));
    desk.say(window, "AXTitleChanged");
    assert_eq!(next(&mut events).map(|event| event.detail), Some("A".to_owned()));
    desk.say(window, "AXUnheardOf");
    assert_eq!(next(&mut events), None);
}

#[test]
fn a_checkbox_reports_a_state_not_a_value() {
    let desk = Desk::new();
    let window = desk.system.window(desk.system.app("Notes", 10), "A");
    let check = desk.system.add(window, "AXCheckBox", &[("AXValue", Value::Whole(1))]);
    let mut events = desk.hear(&[EventKind::StateChanged]);
    desk.say(check, "AXValueChanged");
    let event = next(&mut events).unwrap();
    assert_eq!(
        (event.kind, event.detail.as_str(), event.on),
        (EventKind::StateChanged, "checked", true)
    );
    desk.say(check, "AXRowCollapsed");
    let event = next(&mut events).unwrap();
    assert_eq!((event.detail.as_str(), event.on), ("expanded", false));
    desk.system.put(check, "AXElementBusy", Value::Flag(true));
    desk.say(check, "AXElementBusyChanged");
    let event = next(&mut events).unwrap();
    assert_eq!((event.detail.as_str(), event.on), ("busy", true));
    desk.say(check, "AXExpandedChanged");
    assert_eq!(next(&mut events).map(|event| event.on), Some(false));
}

#[test]
fn a_window_is_followed_from_its_opening_to_its_end() {
    let desk = Desk::new();
    let root = desk.system.app("Notes", 10);
    let window = desk.system.window(root, "A");
    let mut events = desk.hear(&[EventKind::WindowCreated, EventKind::WindowDestroyed]);
    assert_eq!(desk.system.count(&format!("follow {window} AXUIElementDestroyed")), 1);
    let new = desk.system.window(root, "B");
    desk.say(new, "AXWindowCreated");
    let event = next(&mut events).unwrap();
    assert_eq!((event.kind, event.detail.as_str()), (EventKind::WindowCreated, "B"));
    for closed in [window, new] {
        desk.say(closed, "AXUIElementDestroyed");
        let event = next(&mut events).unwrap();
        assert_eq!((event.kind, event.on), (EventKind::WindowDestroyed, false));
    }
    desk.say(new, "AXUIElementDestroyed");
    assert_eq!(next(&mut events), None, "what is no window is not asked for");
}

#[test]
fn menus_that_close_take_their_items_away() {
    let desk = Desk::new();
    let root = desk.system.app("Notes", 10);
    let mut events = desk.hear(&[EventKind::ChildrenChanged]);
    for (name, on) in [("AXMenuOpened", true), ("AXMenuClosed", false)] {
        desk.say(root, name);
        assert_eq!(next(&mut events).map(|event| event.on), Some(on));
    }
}

#[test]
fn apps_that_come_and_go_are_noticed() {
    let desk = Desk::new();
    desk.system.app("Notes", 10);
    let kinds = [EventKind::AppStarted, EventKind::AppQuit, EventKind::FocusChanged];
    let mut events = desk.tree.watch(None, &kinds, soon()).unwrap();
    let notes = desk.app(10).id;
    desk.system.app("Later", 11);
    desk.system.quit(10);
    let mut told = vec![events.next(Duration::from_secs(2)).unwrap().unwrap()];
    told.extend(next(&mut events));
    told.sort_by_key(|event| event.kind);
    let told: Vec<_> = told.into_iter().map(|event| (event.kind, event.app)).collect();
    assert_eq!(told, [(EventKind::AppStarted, desk.app(11).id), (EventKind::AppQuit, notes)]);
    assert_eq!(desk.system.count("add 11"), 1);
}

#[test]
fn the_end_of_the_one_app_listened_to_is_told() {
    let desk = Desk::new();
    desk.system.app("Notes", 10);
    let mut events = desk.hear(&[EventKind::AppQuit]);
    desk.system.quit(10);
    let event = events.next(Duration::from_secs(2)).unwrap().unwrap();
    assert_eq!((event.kind, event.on), (EventKind::AppQuit, false));
}

#[test]
fn an_app_that_cannot_be_listened_to_is_an_error_and_among_many_it_is_left_out() {
    let desk = Desk::new();
    desk.system.app("Notes", 10);
    let app = desk.app(10).id;
    desk.system.state().deaf = Some(Fault::CannotComplete);
    let kinds = [EventKind::FocusChanged];
    let one = desk.tree.watch(Some(&app), &kinds, soon());
    assert!(matches!(one.err(), Some(Error::Timeout { .. })));
    let mut all = desk.tree.watch(None, &kinds, soon()).unwrap();
    assert!(matches!(all.next(MOMENT), Err(Error::Timeout { .. })));
    desk.system.state().deaf = Some(Fault::InvalidObserver);
    assert!(matches!(all.next(MOMENT), Err(Error::Broken { .. })));
}
