//! Windows on a fake system.

mod fake_system;

use std::time::{Duration, Instant};

use deskhand_model::Rect;
use deskhand_platform::{Error, Selection};

use self::fake_system::{FakeElement, FakeSystem, LETTER, fake_system};
use super::*;
use crate::tree::{AxError, Value};

fn test_deadline() -> Deadline {
    Deadline::after(Duration::from_secs(5))
}

fn windows(system: FakeSystem) -> MacWindows<FakeSystem> {
    MacWindows::new(Arc::new(system))
}

fn ids(all: &[Window]) -> Vec<u64> {
    all.iter().map(|window| window.id).collect()
}

fn fake(windows: &MacWindows<FakeSystem>) -> &FakeSystem {
    &windows.shared.system
}

#[test]
fn windows_are_listed_from_the_front_and_minimized_ones_last() {
    let all = windows(fake_system()).list(test_deadline()).unwrap();
    assert_eq!(ids(&all), [11, 12, 14, 13], "no tooltip, no menu bar, no invisible window");
    assert_eq!(all.iter().map(|one| one.z).collect::<Vec<_>>(), [0, 1, 2, 3]);
    let [letter, page, game, note] = &all[..] else { panic!("{all:?}") };
    assert_eq!((letter.title.as_str(), letter.pid, letter.frame), ("letter.txt", 501, LETTER));
    assert_eq!(
        (letter.app.as_deref(), letter.class.as_str()),
        (Some("TextEdit"), "com.apple.TextEdit")
    );
    assert!(letter.focused && !letter.minimized);
    assert_eq!((page.title.as_str(), page.app.as_deref()), ("from the list", Some("Safari")));
    assert_eq!((game.title.as_str(), game.class.as_str()), ("Game", "Game"));
    assert_eq!((note.title.as_str(), note.minimized), ("note.txt", true));
    assert_eq!(note.frame, Rect::new(10, 10, 300, 200));
    assert!(!page.focused && !game.focused && !note.focused);
}

#[test]
fn focusing_reports_a_partial_change() {
    let all = windows(fake_system());
    for (window, refused) in
        [(FakeElement::Window(13), "AXRaise"), (FakeElement::Window(13), "AXMain")]
    {
        fake(&all).refuse(window, refused, AxError::ActionUnsupported);
    }
    let focused = all.arrange(13, WindowChange::Focus, test_deadline());
    assert!(matches!(focused, Err(Error::Unexpected { .. })), "it was restored: {focused:?}");
    fake(&all).refuse(FakeElement::Window(13), "AXMinimized", AxError::AttributeUnsupported);
    fake(&all).give(FakeElement::Window(13), "AXMinimized", Value::Flag(true));
    let refused = all.arrange(13, WindowChange::Focus, test_deadline());
    assert!(matches!(refused, Err(Error::Unsupported { .. })), "nothing was changed: {refused:?}");
}

#[test]
fn an_app_has_one_key_window() {
    let all = windows(fake_system());
    let other_is_key = |window| all.is_other_window_key(window, test_deadline());
    assert_eq!((other_is_key(11), other_is_key(13)), (Ok(false), Ok(true)));
    assert_eq!(other_is_key(12), Ok(false), "the only window");
    assert_eq!(other_is_key(14), Ok(false), "an app without accessibility");
    assert!(matches!(other_is_key(99), Err(Error::Gone { .. })));
    let sheet = Value::Element(FakeElement::Window(77));
    fake(&all).give(FakeElement::App(501), "AXFocusedWindow", sheet);
    assert_eq!(other_is_key(11), Ok(false), "a sheet of an unknown window");
    fake(&all).silent.lock().push(501);
    assert!(matches!(other_is_key(11), Err(Error::Timeout { .. })));
}

#[test]
fn the_window_of_a_focused_sheet_is_focused() {
    let system = fake_system();
    system.give(FakeElement::App(501), "AXFocusedWindow", Value::Element(FakeElement::Window(77)));
    let all = windows(system).list(test_deadline()).unwrap();
    assert!(all.iter().find(|one| one.id == 11).unwrap().focused);
    let system = fake_system();
    system.give(FakeElement::App(501), "AXFocusedWindow", Value::Error(AxError::NoValue));
    system.give(FakeElement::App(501), "AXMainWindow", Value::Element(FakeElement::Window(13)));
    let all = windows(system).list(test_deadline()).unwrap();
    assert!(all.iter().find(|one| one.id == 13).unwrap().focused);
}

#[test]
fn a_frozen_app_keeps_its_windows_and_delays_no_other_app() {
    let windows = windows(fake_system());
    let before = windows.list(test_deadline()).unwrap();
    fake(&windows).silent.lock().push(501);
    let frozen = windows.list(test_deadline()).unwrap();
    assert_eq!(ids(&frozen), ids(&before));
    assert_eq!(frozen[0].title, "letter.txt");
    assert!(frozen[0].focused, "no other app is frontmost");
    fake(&windows).reads.lock().clear();
    let start = Instant::now();
    windows.list(test_deadline()).unwrap();
    assert!(start.elapsed() < Duration::from_millis(500));
    let reads = fake(&windows).reads.lock().clone();
    let timeout = |pid: u32| reads.iter().find(|(one, _)| *one == pid).unwrap().1;
    assert!(timeout(501) < Duration::from_millis(100), "{reads:?}");
    assert!(timeout(502) > Duration::from_millis(200), "{reads:?}");
    fake(&windows).silent.lock().clear();
    assert_eq!(windows.list(test_deadline()).unwrap(), before);
}

#[test]
fn an_app_that_never_answered_is_listed_by_the_window_server() {
    let system = fake_system();
    system.silent.lock().push(501);
    let all = windows(system).list(test_deadline()).unwrap();
    assert_eq!(ids(&all), [15, 11, 12, 14]);
    assert_eq!(all[1].title, "");
    let system = fake_system();
    system.refuse(FakeElement::App(501), "", AxError::InvalidElement);
    assert_eq!(ids(&windows(system).list(test_deadline()).unwrap()), [15, 11, 12, 14]);
    let system = fake_system();
    system.refuse(FakeElement::Window(11), "", AxError::CannotComplete);
    assert_eq!(windows(system).list(test_deadline()).unwrap()[1].title, "");
    let system = fake_system();
    system.refuse(FakeElement::Window(11), "", AxError::InvalidElement);
    assert_eq!(
        ids(&windows(system).list(test_deadline()).unwrap()),
        [12, 14, 13],
        "it has just closed"
    );
}

#[test]
fn without_permission_the_error_names_it() {
    let system = fake_system();
    for pid in [501, 502, 503] {
        system.refuse(FakeElement::App(pid), "", AxError::ApiDisabled);
    }
    let Err(Error::NoAccessibility { why }) = windows(system).list(test_deadline()) else {
        panic!("windows without permission")
    };
    assert!(why.contains("Accessibility"), "{why}");
    let system = fake_system();
    system.refuse(FakeElement::App(503), "", AxError::ApiDisabled);
    assert_eq!(windows(system).list(test_deadline()).unwrap().len(), 4, "only one app refuses");
}

#[test]
fn the_state_of_a_window_is_read() {
    let system = fake_system();
    system.give(FakeElement::Window(11), "AXModal", Value::Flag(true));
    let windows = windows(system);
    let letter = windows.state(11, test_deadline()).unwrap();
    assert_eq!(letter.states, ["focused", "modal"]);
    assert_eq!((letter.kind.as_str(), letter.parent, letter.closable), ("normal", None, true));
    assert_eq!(windows.state(13, test_deadline()).unwrap().states, ["minimized"]);
    let system = fake(&windows);
    system.give(FakeElement::Window(12), "AXSubrole", Value::Text("AXDialog".to_owned()));
    system.give(FakeElement::Window(12), "AXParent", Value::Element(FakeElement::Window(11)));
    system.give(FakeElement::Close(12), "AXEnabled", Value::Flag(false));
    system.give(FakeElement::App(502), "AXHidden", Value::Flag(true));
    let page = windows.state(12, test_deadline()).unwrap();
    assert_eq!((page.kind.as_str(), page.parent, page.closable), ("dialog", Some(11), false));
    assert_eq!(page.states, ["hidden"]);
    system.give(FakeElement::Window(12), "AXPosition", Value::Point(0.0, 25.0));
    system.give(FakeElement::Window(12), "AXSize", Value::Size(1440.0, 790.0));
    system.give(FakeElement::App(502), "AXHidden", Value::Flag(false));
    assert_eq!(
        windows.state(12, test_deadline()).unwrap().states,
        ["maximized"],
        "one row of text smaller"
    );
    system.give(FakeElement::Window(12), "AXFullScreen", Value::Flag(true));
    assert_eq!(windows.state(12, test_deadline()).unwrap().states, ["fullscreen"]);
    for (subrole, kind) in
        [("AXSystemFloatingWindow", "utility"), ("AXSheet", "sheet"), ("?", "normal")]
    {
        system.give(FakeElement::Window(12), "AXSubrole", Value::Text(subrole.to_owned()));
        system.give(FakeElement::Window(12), "AXCloseButton", Value::Error(AxError::NoValue));
        let state = windows.state(12, test_deadline()).unwrap();
        assert_eq!((state.kind.as_str(), state.closable), (kind, false));
    }
}

#[test]
fn a_missing_window_and_one_on_another_space_have_different_errors() {
    let windows = windows(fake_system());
    for id in [99, 1 << 40] {
        assert!(matches!(windows.state(id, test_deadline()), Err(Error::Gone { .. })));
        let changed = windows.arrange(id, WindowChange::Focus, test_deadline());
        assert!(matches!(changed, Err(Error::Gone { .. })));
    }
    let Err(Error::Unsupported { why, .. }) = windows.state(19, test_deadline()) else {
        panic!("found")
    };
    assert!(why.contains("another Space"), "{why}");
    fake(&windows).silent.lock().push(501);
    assert!(matches!(windows.state(11, test_deadline()), Err(Error::Timeout { .. })));
    assert!(fake(&windows).sent().is_empty());
}

#[test]
fn the_owners_of_points_windows_and_the_keyboard_are_found() {
    let windows = windows(FakeSystem { frontmost_pid: Some(501), ..fake_system() });
    fake(&windows).give(
        FakeElement::App(0),
        "AXFocusedApplication",
        Value::Element(FakeElement::App(501)),
    );
    let pids = |of: OwnerQuery| -> Vec<u32> {
        windows.owners(of, test_deadline()).unwrap().iter().map(|owner| owner.pid).collect()
    };
    assert_eq!(pids(OwnerQuery::Point(200, 100)), [501]);
    assert_eq!(pids(OwnerQuery::Pointer), [501]);
    assert_eq!(pids(OwnerQuery::Point(1249, 800)), [502]);
    assert_eq!(pids(OwnerQuery::Window(12)), [502]);
    assert_eq!(pids(OwnerQuery::Window(99)), [0; 0]);
    assert_eq!(pids(OwnerQuery::Clipboard(Selection::Clipboard)), [0; 0]);
    let keyboard = windows.owners(OwnerQuery::Keyboard, test_deadline()).unwrap();
    assert_eq!(keyboard[0].classes, ["com.apple.TextEdit", "TextEdit"]);
    assert_eq!(keyboard.len(), 1);
    let shown = windows.visible(test_deadline()).unwrap();
    assert_eq!(shown.iter().map(|one| one.id).collect::<Vec<_>>(), [91, 15, 11, 12, 14]);
}

#[test]
fn an_overlay_that_passes_clicks_through_does_not_hide_their_receiver() {
    let windows = windows(FakeSystem { hit: Some(FakeElement::App(502)), ..fake_system() });
    let pids = |x: i32| -> Vec<u32> {
        let owners = windows.owners(OwnerQuery::Point(x, 100), test_deadline()).unwrap();
        owners.iter().map(|owner| owner.pid).collect()
    };
    assert_eq!(pids(200), [501, 502]);
    assert_eq!(pids(1200), [502]);
    assert_eq!(pids(-9), [0; 0]);
}

#[test]
fn a_panel_above_the_frontmost_app_may_have_the_keyboard() {
    let keyboard = |system: FakeSystem| {
        let owners = windows(system).owners(OwnerQuery::Keyboard, test_deadline());
        owners.map(|all| all.iter().map(|one| one.pid).collect::<Vec<_>>())
    };
    let system = FakeSystem { frontmost_pid: Some(502), ..fake_system() };
    system.give(FakeElement::App(0), "AXFocusedUIElement", Value::Element(FakeElement::Window(8)));
    system.give(FakeElement::App(0), "AXFocusedApplication", Value::Element(FakeElement::App(501)));
    assert_eq!(keyboard(system), Ok(vec![300, 501]));
    assert_eq!(keyboard(fake_system()), Ok(vec![501]), "the owner of the first window");
    let late = || {
        let system = fake_system();
        system.refuse(FakeElement::App(0), "AXFocusedUIElement", AxError::CannotComplete);
        system
    };
    assert_eq!(keyboard(FakeSystem { frontmost_pid: Some(502), ..late() }), Ok(vec![502, 501]));
    assert!(matches!(keyboard(late()), Err(Error::Timeout { .. })));
}

#[test]
fn a_minimized_window_of_a_hidden_app_is_shown_before_it_is_focused() {
    let windows = windows(fake_system());
    fake(&windows).give(FakeElement::App(501), "AXHidden", Value::Flag(true));
    assert_eq!(
        windows.arrange(13, WindowChange::Focus, test_deadline()),
        Ok(RequestRecipient::Program)
    );
    let sent = fake(&windows).sent();
    let wanted = [
        "App(501) AXHidden=false",
        "Window(13) AXMinimized=false",
        "Window(13) AXRaise",
        "Window(13) AXMain=true",
        "App(501) AXFrontmost=true",
    ];
    assert_eq!(sent, wanted);
}

#[test]
fn a_panel_that_cannot_be_main_is_only_raised() {
    let windows = windows(fake_system());
    fake(&windows).refuse(FakeElement::Window(12), "AXMain", AxError::AttributeUnsupported);
    assert_eq!(
        windows.arrange(12, WindowChange::Focus, test_deadline()),
        Ok(RequestRecipient::Program)
    );
    fake(&windows).refuse(FakeElement::Window(12), "AXRaise", AxError::ActionUnsupported);
    let refused = windows.arrange(12, WindowChange::Focus, test_deadline());
    assert!(matches!(refused, Err(Error::Unsupported { .. })));
    // After one step has changed something, the error must not say that nothing was sent.
    fake(&windows).refuse(FakeElement::App(501), "AXFrontmost", AxError::AttributeUnsupported);
    let half = windows.arrange(11, WindowChange::Focus, test_deadline());
    assert!(matches!(half, Err(Error::Unexpected { .. })), "{half:?}");
    fake(&windows).refuse(FakeElement::App(501), "AXFrontmost", AxError::CannotComplete);
    let late = windows.arrange(11, WindowChange::Focus, test_deadline());
    assert!(matches!(late, Err(Error::Timeout { .. })));
}

#[test]
fn positions_sizes_and_states_are_set() {
    let windows = windows(fake_system());
    let sent = |change| {
        windows.arrange(11, change, test_deadline()).unwrap();
        fake(&windows).sent()
    };
    assert_eq!(sent(WindowChange::MoveTo(-300, 40)), ["Window(11) AXPosition=-300, 40"]);
    assert_eq!(sent(WindowChange::Resize(640, 480)), ["Window(11) AXSize=640 x 480"]);
    assert_eq!(sent(WindowChange::Minimize), ["Window(11) AXMinimized=true"]);
    assert_eq!(sent(WindowChange::Restore), ["Window(11) AXMinimized=false"]);
    assert_eq!(sent(WindowChange::FullScreen(true)), ["Window(11) AXFullScreen=true"]);
    assert_eq!(sent(WindowChange::Restore), ["Window(11) AXFullScreen=false"]);
    assert_eq!(sent(WindowChange::Restore), [""; 0], "it already has its own size");
    fake(&windows).give(FakeElement::App(501), "AXHidden", Value::Flag(true));
    assert_eq!(sent(WindowChange::Restore), ["App(501) AXHidden=false"]);
    assert_eq!(sent(WindowChange::Close), ["Close(11) AXPress"]);
}

#[test]
fn a_window_is_maximized_on_its_display_and_restored() {
    let windows = windows(fake_system());
    let sent = |change| {
        windows.arrange(11, change, test_deadline()).unwrap();
        fake(&windows).sent()
    };
    let filled = ["Window(11) AXPosition=0, 25", "Window(11) AXSize=1440 x 800"];
    assert_eq!(sent(WindowChange::Maximize(true)), filled);
    assert!(windows.state(11, test_deadline()).unwrap().states.contains(&"maximized".to_owned()));
    assert_eq!(sent(WindowChange::Maximize(true)), [""; 0]);
    let back = ["Window(11) AXPosition=100, 60", "Window(11) AXSize=600 x 400"];
    assert_eq!(sent(WindowChange::Maximize(false)), back);
    assert_eq!(sent(WindowChange::Maximize(false)), [""; 0]);
    sent(WindowChange::MoveTo(1500, 60));
    let beside = ["Window(11) AXPosition=1440, 25", "Window(11) AXSize=1440 x 875"];
    assert_eq!(sent(WindowChange::Maximize(true)), beside);
    assert_eq!(sent(WindowChange::Restore)[0], "Window(11) AXPosition=1500, 60");
}

#[test]
fn a_window_maximized_by_the_user_is_zoomed_back_if_possible() {
    let filled = |can_zoom: bool| {
        let system = FakeSystem { can_zoom, ..fake_system() };
        system.give(FakeElement::Window(11), "AXPosition", Value::Point(0.0, 25.0));
        system.give(FakeElement::Window(11), "AXSize", Value::Size(1440.0, 800.0));
        windows(system)
    };
    let able = filled(true);
    assert_eq!(
        able.arrange(11, WindowChange::Restore, test_deadline()),
        Ok(RequestRecipient::Program)
    );
    assert_eq!(fake(&able).sent(), ["Zoom(11) AXZoomWindow"]);
    let unable = filled(false);
    let refused = unable.arrange(11, WindowChange::Maximize(false), test_deadline());
    assert!(matches!(refused, Err(Error::Unsupported { .. })));
    fake(&unable).refuse(FakeElement::Zoom(11), "actions", AxError::CannotComplete);
    let late = unable.arrange(11, WindowChange::Maximize(false), test_deadline());
    assert!(matches!(late, Err(Error::Timeout { .. })));
    fake(&unable).give(FakeElement::Window(11), "AXZoomButton", Value::Error(AxError::NoValue));
    let refused = unable.arrange(11, WindowChange::Maximize(false), test_deadline());
    assert!(matches!(refused, Err(Error::Unsupported { .. })));
    assert!(fake(&unable).sent().is_empty());
}

#[test]
fn a_change_that_the_app_does_not_allow_is_unsupported() {
    let windows = windows(fake_system());
    let system = fake(&windows);
    let change = |change| windows.arrange(11, change, test_deadline());
    system.give(FakeElement::Window(11), "AXCloseButton", Value::Error(AxError::NoValue));
    assert!(matches!(change(WindowChange::Close), Err(Error::Unsupported { .. })));
    system.refuse(FakeElement::Window(11), "AXSize", AxError::AttributeUnsupported);
    assert!(matches!(change(WindowChange::Resize(5, 5)), Err(Error::Unsupported { .. })));
    system.refuse(FakeElement::Window(11), "AXPosition", AxError::InvalidElement);
    assert!(matches!(change(WindowChange::MoveTo(5, 5)), Err(Error::Gone { .. })));
    system.refuse(FakeElement::Window(11), "AXMinimized", AxError::Failure);
    assert!(matches!(change(WindowChange::Minimize), Err(Error::Unexpected { .. })));
    system.give(
        FakeElement::Window(11),
        "AXFullScreen",
        Value::Error(AxError::AttributeUnsupported),
    );
    assert!(matches!(change(WindowChange::FullScreen(true)), Err(Error::Unsupported { .. })));
    system.give(FakeElement::Window(11), "AXFullScreen", Value::Flag(true));
    assert!(matches!(change(WindowChange::Maximize(true)), Err(Error::Unsupported { .. })));
    assert!(system.sent().is_empty());
}

#[test]
fn a_close_button_that_opens_a_dialog_counts_as_pressed() {
    let windows = windows(fake_system());
    fake(&windows).refuse(FakeElement::Close(11), "AXPress", AxError::CannotComplete);
    assert_eq!(
        windows.arrange(11, WindowChange::Close, test_deadline()),
        Ok(RequestRecipient::Program)
    );
    fake(&windows).refuse(FakeElement::Close(11), "AXPress", AxError::ActionUnsupported);
    let refused = windows.arrange(11, WindowChange::Close, test_deadline());
    assert!(matches!(refused, Err(Error::Unsupported { .. })));
}
