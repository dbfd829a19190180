//! The room on a recorded system.

mod recorded;

use std::time::{Duration, Instant};

use deskhand_model::Rect;
use deskhand_platform::{Error, Selection};

use self::recorded::{LETTER, Part, Recorded, recorded};
use super::*;
use crate::tree::{AxError, Value};

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(5))
}

fn windows(system: Recorded) -> MacWindows<Recorded> {
    MacWindows::new(Arc::new(system))
}

fn ids(all: &[Window]) -> Vec<u64> {
    all.iter().map(|window| window.id).collect()
}

fn ground(windows: &MacWindows<Recorded>) -> &Recorded {
    &windows.parts.ground
}

#[test]
fn windows_are_listed_from_the_front_and_minimized_ones_last() {
    let all = windows(recorded()).list(soon()).unwrap();
    assert_eq!(ids(&all), [11, 12, 14, 13], "no tooltip, no menu bar, nothing nobody shows");
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
fn a_window_that_was_shown_again_and_not_raised_was_changed() {
    let all = windows(recorded());
    for (window, refused) in [(Part::Window(13), "AXRaise"), (Part::Window(13), "AXMain")] {
        ground(&all).refuse(window, refused, AxError::ActionUnsupported);
    }
    let focused = all.arrange(13, Arrange::Focus, soon());
    assert!(matches!(focused, Err(Error::Unexpected { .. })), "it is restored: {focused:?}");
    ground(&all).refuse(Part::Window(13), "AXMinimized", AxError::AttributeUnsupported);
    ground(&all).give(Part::Window(13), "AXMinimized", Value::Flag(true));
    let refused = all.arrange(13, Arrange::Focus, soon());
    assert!(matches!(refused, Err(Error::Unsupported { .. })), "nothing was done: {refused:?}");
}

#[test]
fn an_app_gives_its_keys_to_one_of_its_windows() {
    let all = windows(recorded());
    let diverts = |window| all.diverts(window, soon());
    assert_eq!((diverts(11), diverts(13)), (Ok(false), Ok(true)));
    assert_eq!(diverts(12), Ok(false), "the only one");
    assert_eq!(diverts(14), Ok(false), "nobody can tell");
    assert!(matches!(diverts(99), Err(Error::Gone { .. })));
    let sheet = Value::Element(Part::Window(77));
    ground(&all).give(Part::App(501), "AXFocusedWindow", sheet);
    assert_eq!(diverts(11), Ok(false), "a sheet, which lies over the one or the other");
    ground(&all).mute.lock().unwrap().push(501);
    assert!(matches!(diverts(11), Err(Error::Timeout { .. })));
}

#[test]
fn a_sheet_that_has_the_keyboard_leaves_it_to_its_window() {
    let system = recorded();
    system.give(Part::App(501), "AXFocusedWindow", Value::Element(Part::Window(77)));
    let all = windows(system).list(soon()).unwrap();
    assert!(all.iter().find(|one| one.id == 11).unwrap().focused);
    let system = recorded();
    system.give(Part::App(501), "AXFocusedWindow", Value::Error(AxError::NoValue));
    system.give(Part::App(501), "AXMainWindow", Value::Element(Part::Window(13)));
    let all = windows(system).list(soon()).unwrap();
    assert!(all.iter().find(|one| one.id == 13).unwrap().focused);
}

#[test]
fn an_app_that_freezes_keeps_its_windows_and_holds_up_nobody() {
    let windows = windows(recorded());
    let before = windows.list(soon()).unwrap();
    ground(&windows).mute.lock().unwrap().push(501);
    let frozen = windows.list(soon()).unwrap();
    assert_eq!(ids(&frozen), ids(&before));
    assert_eq!(frozen[0].title, "letter.txt");
    assert!(frozen[0].focused, "nobody else says that it is in front");
    ground(&windows).asked.lock().unwrap().clear();
    let begun = Instant::now();
    windows.list(soon()).unwrap();
    assert!(begun.elapsed() < Duration::from_millis(500));
    let asked = ground(&windows).asked.lock().unwrap().clone();
    let patience = |pid: u32| asked.iter().find(|(one, _)| *one == pid).unwrap().1;
    assert!(patience(501) < Duration::from_millis(100), "{asked:?}");
    assert!(patience(502) > Duration::from_millis(200), "{asked:?}");
    ground(&windows).mute.lock().unwrap().clear();
    assert_eq!(windows.list(soon()).unwrap(), before);
}

#[test]
fn an_app_that_was_never_heard_is_listed_by_what_it_shows() {
    let system = recorded();
    system.mute.lock().unwrap().push(501);
    let all = windows(system).list(soon()).unwrap();
    assert_eq!(ids(&all), [15, 11, 12, 14]);
    assert_eq!(all[1].title, "");
    let system = recorded();
    system.refuse(Part::App(501), "", AxError::InvalidElement);
    assert_eq!(ids(&windows(system).list(soon()).unwrap()), [15, 11, 12, 14]);
    let system = recorded();
    system.refuse(Part::Window(11), "", AxError::CannotComplete);
    assert_eq!(windows(system).list(soon()).unwrap()[1].title, "");
    let system = recorded();
    system.refuse(Part::Window(11), "", AxError::InvalidElement);
    assert_eq!(ids(&windows(system).list(soon()).unwrap()), [12, 14, 13], "it closed meanwhile");
}

#[test]
fn without_leave_the_error_says_where_to_give_it() {
    let system = recorded();
    for pid in [501, 502, 503] {
        system.refuse(Part::App(pid), "", AxError::ApiDisabled);
    }
    let Err(Error::NoAccessibility { why }) = windows(system).list(soon()) else {
        panic!("windows without leave")
    };
    assert!(why.contains("Accessibility"), "{why}");
    let system = recorded();
    system.refuse(Part::App(503), "", AxError::ApiDisabled);
    assert_eq!(windows(system).list(soon()).unwrap().len(), 4, "one that refuses for itself");
}

#[test]
fn everything_about_a_window_is_told() {
    let system = recorded();
    system.give(Part::Window(11), "AXModal", Value::Flag(true));
    let windows = windows(system);
    let letter = windows.state(11, soon()).unwrap();
    assert_eq!(letter.states, ["focused", "modal"]);
    assert_eq!((letter.kind.as_str(), letter.parent, letter.closable), ("normal", None, true));
    assert_eq!(windows.state(13, soon()).unwrap().states, ["minimized"]);
    let system = ground(&windows);
    system.give(Part::Window(12), "AXSubrole", Value::Text("AXDialog".to_owned()));
    system.give(Part::Window(12), "AXParent", Value::Element(Part::Window(11)));
    system.give(Part::Close(12), "AXEnabled", Value::Flag(false));
    system.give(Part::App(502), "AXHidden", Value::Flag(true));
    let page = windows.state(12, soon()).unwrap();
    assert_eq!((page.kind.as_str(), page.parent, page.closable), ("dialog", Some(11), false));
    assert_eq!(page.states, ["hidden"]);
    system.give(Part::Window(12), "AXPosition", Value::Point(0.0, 25.0));
    system.give(Part::Window(12), "AXSize", Value::Size(1440.0, 790.0));
    system.give(Part::App(502), "AXHidden", Value::Flag(false));
    assert_eq!(windows.state(12, soon()).unwrap().states, ["maximized"], "but for a row of text");
    system.give(Part::Window(12), "AXFullScreen", Value::Flag(true));
    assert_eq!(windows.state(12, soon()).unwrap().states, ["fullscreen"]);
    for (subrole, kind) in
        [("AXSystemFloatingWindow", "utility"), ("AXSheet", "sheet"), ("?", "normal")]
    {
        system.give(Part::Window(12), "AXSubrole", Value::Text(subrole.to_owned()));
        system.give(Part::Window(12), "AXCloseButton", Value::Error(AxError::NoValue));
        let state = windows.state(12, soon()).unwrap();
        assert_eq!((state.kind.as_str(), state.closable), (kind, false));
    }
}

#[test]
fn what_is_gone_or_not_to_be_reached_is_told_apart() {
    let windows = windows(recorded());
    for id in [99, 1 << 40] {
        assert!(matches!(windows.state(id, soon()), Err(Error::Gone { .. })));
        let changed = windows.arrange(id, Arrange::Focus, soon());
        assert!(matches!(changed, Err(Error::Gone { .. })));
    }
    let Err(Error::Unsupported { why, .. }) = windows.state(19, soon()) else { panic!("found") };
    assert!(why.contains("another Space"), "{why}");
    ground(&windows).mute.lock().unwrap().push(501);
    assert!(matches!(windows.state(11, soon()), Err(Error::Timeout { .. })));
    assert!(ground(&windows).sent().is_empty());
}

#[test]
fn owners_are_told_by_those_who_know() {
    let windows = windows(Recorded { frontmost: Some(501), ..recorded() });
    ground(&windows).give(Part::App(0), "AXFocusedApplication", Value::Element(Part::App(501)));
    let pids = |of: Whose| -> Vec<u32> {
        windows.owners(of, soon()).unwrap().iter().map(|owner| owner.pid).collect()
    };
    assert_eq!(pids(Whose::At(200, 100)), [501]);
    assert_eq!(pids(Whose::Pointer), [501]);
    assert_eq!(pids(Whose::At(1249, 800)), [502]);
    assert_eq!(pids(Whose::Window(12)), [502]);
    assert_eq!(pids(Whose::Window(99)), [0; 0]);
    assert_eq!(pids(Whose::Copied(Selection::Clipboard)), [0; 0]);
    let keyboard = windows.owners(Whose::Keyboard, soon()).unwrap();
    assert_eq!(keyboard[0].classes, ["com.apple.TextEdit", "TextEdit"]);
    assert_eq!(keyboard.len(), 1);
    let shown = windows.shown(soon()).unwrap();
    assert_eq!(shown.iter().map(|one| one.id).collect::<Vec<_>>(), [91, 15, 11, 12, 14]);
}

#[test]
fn a_window_that_lets_clicks_through_does_not_hide_who_gets_them() {
    let windows = windows(Recorded { hit: Some(Part::App(502)), ..recorded() });
    let pids = |x: i32| -> Vec<u32> {
        let owners = windows.owners(Whose::At(x, 100), soon()).unwrap();
        owners.iter().map(|owner| owner.pid).collect()
    };
    assert_eq!(pids(200), [501, 502]);
    assert_eq!(pids(1200), [502]);
    assert_eq!(pids(-9), [0; 0]);
}

#[test]
fn a_panel_over_the_app_in_front_may_have_the_keyboard() {
    let keyboard = |system: Recorded| {
        let owners = windows(system).owners(Whose::Keyboard, soon());
        owners.map(|all| all.iter().map(|one| one.pid).collect::<Vec<_>>())
    };
    let system = Recorded { frontmost: Some(502), ..recorded() };
    system.give(Part::App(0), "AXFocusedUIElement", Value::Element(Part::Window(8)));
    system.give(Part::App(0), "AXFocusedApplication", Value::Element(Part::App(501)));
    assert_eq!(keyboard(system), Ok(vec![300, 501]));
    assert_eq!(keyboard(recorded()), Ok(vec![501]), "whose window is in front");
    let late = || {
        let system = recorded();
        system.refuse(Part::App(0), "AXFocusedUIElement", AxError::CannotComplete);
        system
    };
    assert_eq!(keyboard(Recorded { frontmost: Some(502), ..late() }), Ok(vec![502, 501]));
    assert!(matches!(keyboard(late()), Err(Error::Timeout { .. })));
}

#[test]
fn a_minimized_window_of_a_hidden_app_is_shown_before_it_gets_the_keyboard() {
    let windows = windows(recorded());
    ground(&windows).give(Part::App(501), "AXHidden", Value::Flag(true));
    assert_eq!(windows.arrange(13, Arrange::Focus, soon()), Ok(Asked::Program));
    let sent = ground(&windows).sent();
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
fn a_panel_that_cannot_be_main_is_raised() {
    let windows = windows(recorded());
    ground(&windows).refuse(Part::Window(12), "AXMain", AxError::AttributeUnsupported);
    assert_eq!(windows.arrange(12, Arrange::Focus, soon()), Ok(Asked::Program));
    ground(&windows).refuse(Part::Window(12), "AXRaise", AxError::ActionUnsupported);
    let refused = windows.arrange(12, Arrange::Focus, soon());
    assert!(matches!(refused, Err(Error::Unsupported { .. })));
    // What is refused after something was done is no longer "nothing was sent".
    ground(&windows).refuse(Part::App(501), "AXFrontmost", AxError::AttributeUnsupported);
    let half = windows.arrange(11, Arrange::Focus, soon());
    assert!(matches!(half, Err(Error::Unexpected { .. })), "{half:?}");
    ground(&windows).refuse(Part::App(501), "AXFrontmost", AxError::CannotComplete);
    let late = windows.arrange(11, Arrange::Focus, soon());
    assert!(matches!(late, Err(Error::Timeout { .. })));
}

#[test]
fn places_and_states_are_set_as_asked() {
    let windows = windows(recorded());
    let sent = |change| {
        windows.arrange(11, change, soon()).unwrap();
        ground(&windows).sent()
    };
    assert_eq!(sent(Arrange::MoveTo(-300, 40)), ["Window(11) AXPosition=-300, 40"]);
    assert_eq!(sent(Arrange::Resize(640, 480)), ["Window(11) AXSize=640 x 480"]);
    assert_eq!(sent(Arrange::Minimize), ["Window(11) AXMinimized=true"]);
    assert_eq!(sent(Arrange::Restore), ["Window(11) AXMinimized=false"]);
    assert_eq!(sent(Arrange::FullScreen(true)), ["Window(11) AXFullScreen=true"]);
    assert_eq!(sent(Arrange::Restore), ["Window(11) AXFullScreen=false"]);
    assert_eq!(sent(Arrange::Restore), [""; 0], "it has its own size already");
    ground(&windows).give(Part::App(501), "AXHidden", Value::Flag(true));
    assert_eq!(sent(Arrange::Restore), ["App(501) AXHidden=false"]);
    assert_eq!(sent(Arrange::Close), ["Close(11) AXPress"]);
}

#[test]
fn a_window_fills_the_work_area_of_its_display_and_goes_back() {
    let windows = windows(recorded());
    let sent = |change| {
        windows.arrange(11, change, soon()).unwrap();
        ground(&windows).sent()
    };
    let filled = ["Window(11) AXPosition=0, 25", "Window(11) AXSize=1440 x 800"];
    assert_eq!(sent(Arrange::Maximize(true)), filled);
    assert!(windows.state(11, soon()).unwrap().states.contains(&"maximized".to_owned()));
    assert_eq!(sent(Arrange::Maximize(true)), [""; 0]);
    let back = ["Window(11) AXPosition=100, 60", "Window(11) AXSize=600 x 400"];
    assert_eq!(sent(Arrange::Maximize(false)), back);
    assert_eq!(sent(Arrange::Maximize(false)), [""; 0]);
    sent(Arrange::MoveTo(1500, 60));
    let beside = ["Window(11) AXPosition=1440, 25", "Window(11) AXSize=1440 x 875"];
    assert_eq!(sent(Arrange::Maximize(true)), beside);
    assert_eq!(sent(Arrange::Restore)[0], "Window(11) AXPosition=1500, 60");
}

#[test]
fn a_window_somebody_else_maximized_is_zoomed_back_if_it_can_be() {
    let filled = |zooms: bool| {
        let system = Recorded { zooms, ..recorded() };
        system.give(Part::Window(11), "AXPosition", Value::Point(0.0, 25.0));
        system.give(Part::Window(11), "AXSize", Value::Size(1440.0, 800.0));
        windows(system)
    };
    let able = filled(true);
    assert_eq!(able.arrange(11, Arrange::Restore, soon()), Ok(Asked::Program));
    assert_eq!(ground(&able).sent(), ["Zoom(11) AXZoomWindow"]);
    let unable = filled(false);
    let refused = unable.arrange(11, Arrange::Maximize(false), soon());
    assert!(matches!(refused, Err(Error::Unsupported { .. })));
    ground(&unable).refuse(Part::Zoom(11), "actions", AxError::CannotComplete);
    let late = unable.arrange(11, Arrange::Maximize(false), soon());
    assert!(matches!(late, Err(Error::Timeout { .. })));
    ground(&unable).give(Part::Window(11), "AXZoomButton", Value::Error(AxError::NoValue));
    let refused = unable.arrange(11, Arrange::Maximize(false), soon());
    assert!(matches!(refused, Err(Error::Unsupported { .. })));
    assert!(ground(&unable).sent().is_empty());
}

#[test]
fn what_a_program_does_not_let_others_do_is_unsupported() {
    let windows = windows(recorded());
    let system = ground(&windows);
    let change = |change| windows.arrange(11, change, soon());
    system.give(Part::Window(11), "AXCloseButton", Value::Error(AxError::NoValue));
    assert!(matches!(change(Arrange::Close), Err(Error::Unsupported { .. })));
    system.refuse(Part::Window(11), "AXSize", AxError::AttributeUnsupported);
    assert!(matches!(change(Arrange::Resize(5, 5)), Err(Error::Unsupported { .. })));
    system.refuse(Part::Window(11), "AXPosition", AxError::InvalidElement);
    assert!(matches!(change(Arrange::MoveTo(5, 5)), Err(Error::Gone { .. })));
    system.refuse(Part::Window(11), "AXMinimized", AxError::Failure);
    assert!(matches!(change(Arrange::Minimize), Err(Error::Unexpected { .. })));
    system.give(Part::Window(11), "AXFullScreen", Value::Error(AxError::AttributeUnsupported));
    assert!(matches!(change(Arrange::FullScreen(true)), Err(Error::Unsupported { .. })));
    system.give(Part::Window(11), "AXFullScreen", Value::Flag(true));
    assert!(matches!(change(Arrange::Maximize(true)), Err(Error::Unsupported { .. })));
    assert!(system.sent().is_empty());
}

#[test]
fn a_close_button_that_opens_a_question_was_pressed() {
    let windows = windows(recorded());
    ground(&windows).refuse(Part::Close(11), "AXPress", AxError::CannotComplete);
    assert_eq!(windows.arrange(11, Arrange::Close, soon()), Ok(Asked::Program));
    ground(&windows).refuse(Part::Close(11), "AXPress", AxError::ActionUnsupported);
    let refused = windows.arrange(11, Arrange::Close, soon());
    assert!(matches!(refused, Err(Error::Unsupported { .. })));
}
