//! The whole room against a recorded system: what was posted, to whom, and when nothing was.

use std::sync::atomic::Ordering;

use deskhand_platform::Named;

use super::{
    recorded::{Keeper, Recorded, Scene, scene},
    *,
};

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(20))
}

fn key(code: u16, press: Press, flags: Flags) -> Event {
    Event::Key { code, press, flags }
}

const LOGO: Key = Key::Named(Named::Logo);

#[test]
fn a_shortcut_carries_what_is_held() {
    let scene = scene();
    scene.input.key(&LOGO, Press::Down, soon()).unwrap();
    scene.input.key(&LOGO, Press::Down, soon()).unwrap();
    scene.input.key(&Key::Char('s'), Press::Down, soon()).unwrap();
    scene.input.key(&Key::Char('s'), Press::Up, soon()).unwrap();
    scene.input.key(&LOGO, Press::Up, soon()).unwrap();
    scene.input.key(&LOGO, Press::Up, soon()).unwrap();
    let command = Flags::COMMAND;
    assert_eq!(
        scene.posted(),
        [
            key(55, Press::Down, command),
            key(1, Press::Down, command),
            key(1, Press::Up, command),
            key(55, Press::Up, Flags::NONE),
        ]
    );
}

#[test]
fn what_makes_shortcuts_is_the_command_key() {
    let scene = scene();
    let (command, home) = (Key::Named(Named::Command), Key::Named(Named::Home));
    scene.input.key(&command, Press::Down, soon()).unwrap();
    scene.input.key(&Key::Char('s'), Press::Down, soon()).unwrap();
    scene.input.key(&Key::Char('s'), Press::Up, soon()).unwrap();
    let held = Flags::COMMAND;
    let (down, up) = (key(1, Press::Down, held), key(1, Press::Up, held));
    assert_eq!(scene.posted(), [key(55, Press::Down, held), down, up]);
    scene.input.key(&home, Press::Down, soon()).unwrap();
    scene.input.key(&home, Press::Up, soon()).unwrap();
    let arrow = held | Flags::FN | Flags::KEYPAD;
    let wanted = [key(126, Press::Down, arrow), key(126, Press::Up, arrow)];
    assert_eq!(scene.posted(), wanted, "what goes to the beginning of a text");
    scene.input.key(&command, Press::Up, soon()).unwrap();
    scene.posted();
    scene.input.key(&home, Press::Down, soon()).unwrap();
    assert_eq!(scene.posted(), [key(115, Press::Down, Flags::FN)]);
}

#[test]
fn windows_that_change_places_meanwhile_end_a_text_that_was_begun() {
    let Scene { desk, owner, mut input } = scene();
    let keeper = Arc::new(Keeper { asked: 0.into(), refused: 66 });
    input.guard(Arc::clone(&keeper) as Arc<dyn Guard>);
    owner.restless_after(&desk, 0);
    let never = input.write("aaa", Duration::ZERO, soon());
    assert!(matches!(never, Err(Error::Unsupported { .. })), "nothing was sent: {never:?}");
    assert!(desk.posted.lock().unwrap().is_empty());
    owner.restless_after(&desk, 2);
    let begun = input.write("aaa", Duration::ZERO, soon());
    assert!(matches!(begun, Err(Error::Broken { .. })), "a part was sent: {begun:?}");
    desk.posted.lock().unwrap().clear();
    owner.restless_after(&desk, 1);
    let turned = input.wheel(0, 3, soon());
    assert!(matches!(turned, Err(Error::Broken { .. })), "a part was sent: {turned:?}");
}

#[test]
fn a_character_takes_its_modifiers_along_unless_they_are_held() {
    let scene = scene();
    let shift = Key::Named(Named::Shift);
    scene.input.key(&Key::Char('A'), Press::Down, soon()).unwrap();
    scene.input.key(&Key::Char('A'), Press::Up, soon()).unwrap();
    assert_eq!(
        scene.posted(),
        [
            key(56, Press::Down, Flags::SHIFT),
            key(0, Press::Down, Flags::SHIFT),
            key(0, Press::Up, Flags::SHIFT),
            key(56, Press::Up, Flags::NONE),
        ]
    );
    scene.input.key(&shift, Press::Down, soon()).unwrap();
    scene.input.key(&Key::Char('A'), Press::Down, soon()).unwrap();
    let after: Vec<Event> = scene.posted().split_off(1);
    assert_eq!(after, [key(0, Press::Down, Flags::SHIFT)]);
    scene.input.key(&Key::Char('é'), Press::Down, soon()).unwrap();
    let units = vec![0xe9];
    let wanted = Event::Text { units, press: Press::Down, flags: Flags::SHIFT };
    assert_eq!(scene.posted(), [wanted]);
}

#[test]
fn keys_that_cannot_be_pressed_send_nothing() {
    let scene = scene();
    let refused = |key: Key| match scene.input.key(&key, Press::Down, soon()) {
        Err(Error::Unsupported { why, .. }) => why,
        other => panic!("{other:?}"),
    };
    assert!(refused(Key::Named(Named::Function(21))).contains("F20"));
    assert!(refused(Key::Char('\u{7}')).contains("control character"));
    scene.input.key(&LOGO, Press::Down, soon()).unwrap();
    scene.posted();
    assert!(refused(Key::Char('й')).contains("no key of the layout"));
    *scene.desk.source.lock().unwrap() = Source::default();
    *scene.desk.layout.lock().unwrap() = None;
    assert!(refused(Key::Char('s')).contains("menu"), "a guess could be another shortcut");
    assert_eq!(scene.posted(), []);
}

#[test]
fn a_layout_is_read_once_and_again_when_another_is_chosen() {
    let scene = scene();
    let read = || scene.desk.layouts_read.load(Ordering::Relaxed);
    let strike = |one| {
        scene.input.key(&Key::Char(one), Press::Down, soon()).unwrap();
        scene.input.key(&Key::Char(one), Press::Up, soon()).unwrap();
    };
    strike('a');
    strike('a');
    assert_eq!(read(), 1);
    *scene.desk.source.lock().unwrap() =
        Source { layout: Some("com.apple.keylayout.ABC".to_owned()), kinds: Vec::new() };
    *scene.desk.layout.lock().unwrap() = None;
    scene.posted();
    strike('q');
    assert_eq!(read(), 2);
    let wanted = [key(12, Press::Down, Flags::NONE), key(12, Press::Up, Flags::NONE)];
    assert_eq!(scene.posted(), wanted, "known by heart");
    *scene.desk.source.lock().unwrap() = Source::default();
    strike('a');
    strike('a');
    assert_eq!(read(), 4, "without an id it is asked for each time");
}

#[test]
fn a_text_is_typed_by_keys_and_by_events_that_bring_it() {
    let scene = scene();
    scene.input.key(&LOGO, Press::Down, soon()).unwrap();
    scene.posted();
    scene.input.write("a≈日本\n", Duration::ZERO, soon()).unwrap();
    let option = Flags::OPTION;
    let text = |press| Event::Text { units: vec![0x65e5, 0x672c], press, flags: Flags::NONE };
    assert_eq!(
        scene.posted(),
        [
            key(0, Press::Down, Flags::NONE),
            key(0, Press::Up, Flags::NONE),
            key(58, Press::Down, option),
            key(7, Press::Down, option),
            key(7, Press::Up, option),
            key(58, Press::Up, Flags::NONE),
            text(Press::Down),
            text(Press::Up),
            key(36, Press::Down, Flags::NONE),
            key(36, Press::Up, Flags::NONE),
        ]
    );
    let begun = Instant::now();
    scene.input.write("日本", Duration::from_millis(20), soon()).unwrap();
    assert!(begun.elapsed() >= Duration::from_millis(40), "a pause after each");
    assert_eq!(scene.posted().len(), 4);
    let refused = scene.input.write("a\u{1}", Duration::ZERO, soon());
    assert!(matches!(refused, Err(Error::Unsupported { .. })));
    let late = scene.input.write("a", Duration::ZERO, Deadline::after(Duration::ZERO));
    assert!(late.unwrap_err().to_string().contains("nothing was typed"));
    assert_eq!(scene.posted(), []);
}

#[test]
fn a_text_waits_for_another_and_not_for_ever() {
    let scene = scene();
    let turn = scene.input.typing.lock().unwrap();
    let waited = scene.input.write("a", Duration::ZERO, Deadline::after(Duration::from_millis(20)));
    assert!(matches!(waited, Err(Error::Timeout { .. })));
    drop(turn);
    assert_eq!(scene.posted(), []);
}

#[test]
fn nothing_is_sent_to_a_locked_screen_or_without_leave_of_the_system() {
    let scene = scene();
    let all = |input: &MacInput<Arc<Recorded>>| {
        [
            input.ready(soon()),
            input.move_to(1, 1, soon()),
            input.button(Button::Left, Press::Down, soon()),
            input.wheel(0, 1, soon()),
            input.key(&LOGO, Press::Down, soon()),
            input.write("a", Duration::ZERO, soon()),
            input.aside(7, soon()).map(drop),
        ]
    };
    let set = |locked, shown| {
        *scene.desk.session.lock().unwrap() = Some(Session { locked, shown, secure: None });
    };
    set(true, true);
    for outcome in all(&scene.input) {
        assert!(matches!(outcome, Err(Error::Locked { by }) if by == "the login window"));
    }
    set(false, false);
    assert!(all(&scene.input).iter().all(|one| matches!(one, Err(Error::Locked { .. }))));
    set(false, true);
    scene.desk.allowed.store(false, Ordering::Relaxed);
    for outcome in all(&scene.input) {
        assert!(matches!(outcome, Err(Error::NotAllowed { permission, who })
            if permission == "Accessibility" && who == "Terminal"));
    }
    *scene.desk.session.lock().unwrap() = None;
    assert!(all(&scene.input).iter().all(|one| matches!(one, Err(Error::NoDisplay { .. }))));
    assert_eq!(scene.posted(), []);
}

#[test]
fn a_screen_that_is_locked_while_a_text_is_typed_ends_it() {
    let scene = scene();
    scene.desk.locks_after.store(2, Ordering::Relaxed);
    let outcome = scene.input.write("aaa", Duration::ZERO, soon());
    assert!(matches!(outcome, Err(Error::Broken { why, .. }) if why.contains("before its end")));
    assert_eq!(scene.posted().len(), 2);
}

#[test]
fn clicks_count_and_a_drag_carries_its_button() {
    let scene = scene();
    let press = |press| scene.input.button(Button::Left, press, soon()).unwrap();
    let button = |press, at, clicks| Event::Button {
        button: Button::Left,
        press,
        at,
        clicks,
        flags: Flags::NONE,
    };
    let at = (100, 200);
    for way in [Press::Down, Press::Up, Press::Down] {
        press(way);
    }
    scene.input.move_to(110, 195, soon()).unwrap();
    press(Press::Up);
    press(Press::Down);
    press(Press::Up);
    scene.input.move_to(0, 0, soon()).unwrap();
    let (by, clicks, flags) = ((10, -5), 2, Flags::NONE);
    assert_eq!(
        scene.posted(),
        [
            button(Press::Down, at, 1),
            button(Press::Up, at, 1),
            button(Press::Down, at, 2),
            Event::Dragged { button: Button::Left, at: (110, 195), by, clicks, flags },
            button(Press::Up, (110, 195), 2),
            button(Press::Down, (110, 195), 1),
            button(Press::Up, (110, 195), 1),
            Event::Moved { at: (0, 0), by: (-110, -195), flags },
        ]
    );
    press(Press::Up);
    assert_eq!(scene.posted(), [button(Press::Up, (0, 0), 1)], "also one that was not down");
    assert_eq!(scene.input.pointer(soon()), Ok((0, 0)));
}

#[test]
fn a_click_waits_for_the_pointer_to_arrive() {
    let scene = scene();
    scene.desk.lags.store(5, Ordering::Relaxed);
    scene.input.move_to(7, 8, soon()).unwrap();
    scene.input.button(Button::Right, Press::Down, soon()).unwrap();
    let Some(Event::Button { at, .. }) = scene.posted().pop() else { panic!() };
    assert_eq!(at, (7, 8), "and not where it was before");
    assert_eq!(scene.input.is_down(Button::Right, soon()), Ok(true));
    scene.desk.lags.store(usize::MAX, Ordering::Relaxed);
    let begun = Instant::now();
    scene.input.move_to(100_000, 8, soon()).unwrap();
    assert!(begun.elapsed() < Duration::from_secs(10), "a place beyond the screen");
}

#[test]
fn the_wheel_turns_notch_by_notch() {
    let scene = scene();
    scene.input.wheel(-1, 2, soon()).unwrap();
    let flags = Flags::NONE;
    let down = Event::Wheel { right: 0, down: 3, flags };
    let left = Event::Wheel { right: -3, down: 0, flags };
    assert_eq!(scene.posted(), [down.clone(), down, left]);
    let late = scene.input.wheel(0, 1, Deadline::after(Duration::ZERO));
    assert!(matches!(late, Err(Error::Timeout { .. })));
}

#[test]
fn letting_go_puts_everything_up_where_it_went_down() {
    let scene = scene();
    scene.input.key(&LOGO, Press::Down, soon()).unwrap();
    scene.input.key(&Key::Named(Named::Shift), Press::Down, soon()).unwrap();
    scene.input.button(Button::Left, Press::Down, soon()).unwrap();
    scene.input.move_to(5, 6, soon()).unwrap();
    scene.posted();
    scene.input.let_go(soon()).unwrap();
    let (button, at, clicks) = (Button::Left, (100, 200), 1);
    let flags = Flags::COMMAND | Flags::SHIFT;
    assert_eq!(
        scene.posted(),
        [
            Event::Dragged { button, at, by: (95, 194), clicks, flags },
            Event::Button { button, press: Press::Up, at, clicks, flags },
            key(56, Press::Up, Flags::COMMAND),
            key(55, Press::Up, Flags::NONE),
        ]
    );
    scene.input.let_go(soon()).unwrap();
    assert_eq!(scene.posted(), []);
    scene.input.key(&LOGO, Press::Down, soon()).unwrap();
    let Scene { desk, input, .. } = scene;
    drop(input);
    let last = desk.posted.lock().unwrap().last().cloned();
    assert_eq!(last, Some((key(55, Press::Up, Flags::NONE), To::Desk)), "so does its end");
}

#[test]
fn letting_go_stops_what_is_being_typed() {
    let scene = scene();
    let typed = std::thread::scope(|threads| {
        let typing = threads
            .spawn(|| scene.input.write(&"a".repeat(1000), Duration::from_millis(50), soon()));
        while scene.desk.posted.lock().unwrap().is_empty() {
            std::thread::sleep(Duration::from_millis(1));
        }
        scene.input.let_go(soon()).unwrap();
        typing.join().unwrap()
    });
    assert!(matches!(typed, Err(Error::Halted { .. })));
    assert!(scene.posted().len() < 100);
}

#[test]
fn the_guard_is_asked_right_before_and_again_when_the_keyboard_changes_hands() {
    let Scene { desk, owner, mut input } = scene();
    let keeper = Arc::new(Keeper { asked: 0.into(), refused: 66 });
    input.guard(Arc::clone(&keeper) as Arc<dyn Guard>);
    input.write("aaa", Duration::ZERO, soon()).unwrap();
    assert_eq!(keeper.asked.load(Ordering::Relaxed), 1, "the same all along");
    input.move_to(1, 1, soon()).unwrap();
    input.wheel(1, 0, soon()).unwrap();
    assert_eq!(keeper.asked.load(Ordering::Relaxed), 3);
    input.key(&LOGO, Press::Down, soon()).unwrap();
    input.button(Button::Left, Press::Down, soon()).unwrap();
    owner.0.store(66, Ordering::Relaxed);
    desk.posted.lock().unwrap().clear();
    let blocked = |outcome: Result<()>| assert!(matches!(outcome, Err(Error::AppBlocked { .. })));
    blocked(input.key(&Key::Char('a'), Press::Down, soon()));
    blocked(input.write("a", Duration::ZERO, soon()));
    blocked(input.move_to(2, 2, soon()));
    blocked(input.button(Button::Right, Press::Down, soon()));
    assert!(desk.posted.lock().unwrap().is_empty());
    input.let_go(soon()).unwrap();
    assert_eq!(desk.posted.lock().unwrap().len(), 3, "letting go needs no leave");
}

#[test]
fn keys_aside_go_to_the_process_of_the_window_alone() {
    let scene = scene();
    let mut aside = scene.input.aside(7, soon()).unwrap();
    aside.write("a", Duration::ZERO, soon()).unwrap();
    aside.key(&LOGO, Press::Down, soon()).unwrap();
    aside.key(&LOGO, Press::Down, soon()).unwrap();
    aside.key(&Key::Char('s'), Press::Down, soon()).unwrap();
    aside.key(&Key::Char('s'), Press::Up, soon()).unwrap();
    assert!(aside.key(&Key::Named(Named::NumLock), Press::Down, soon()).is_err());
    drop(aside);
    let posted = std::mem::take(&mut *scene.desk.posted.lock().unwrap());
    assert!(posted.iter().all(|(_, to)| *to == To::Process(50)), "{posted:?}");
    assert_eq!(posted.last().unwrap().0, key(55, Press::Up, Flags::NONE));
    assert_eq!(posted.len(), 6);
}

#[test]
fn keys_aside_end_with_their_window() {
    let scene = scene();
    let mut aside = scene.input.aside(7, soon()).unwrap();
    aside.key(&LOGO, Press::Down, soon()).unwrap();
    scene.posted();
    scene.owner.0.store(51, Ordering::Relaxed);
    assert!(matches!(aside.write("a", Duration::ZERO, soon()), Err(Error::Gone { .. })));
    drop(aside);
    assert_eq!(scene.posted(), [], "a process that never saw the key go down");
    scene.owner.0.store(0, Ordering::Relaxed);
    assert!(matches!(scene.input.aside(7, soon()).map(drop), Err(Error::Gone { .. })));
}

#[test]
fn keys_that_another_window_of_the_app_would_get_are_not_sent() {
    let scene = scene();
    let mut aside = scene.input.aside(7, soon()).unwrap();
    scene.owner.2.store(7, Ordering::Relaxed);
    let refused = |outcome: Result<()>| {
        assert!(
            matches!(outcome, Err(Error::Unsupported { why, .. }) if why.contains("another window"))
        );
    };
    refused(scene.input.aside(7, soon()).map(drop));
    refused(aside.write("a", Duration::ZERO, soon()));
    refused(aside.key(&Key::Char('a'), Press::Down, soon()));
    assert_eq!(scene.posted(), []);
}

#[test]
fn while_a_password_is_typed_elsewhere_nothing_goes_aside() {
    let scene = scene();
    scene.desk.secure.store(true, Ordering::Relaxed);
    let opened = |secure| {
        let session = Session { locked: false, shown: true, secure };
        *scene.desk.session.lock().unwrap() = Some(session);
        scene.input.aside(7, soon()).map(drop).map_err(|error| error.to_string())
    };
    assert!(opened(Some(60)).unwrap_err().contains("process 60 asks for a password"));
    assert!(opened(None).unwrap_err().contains("a program asks for a password"));
    assert_eq!(opened(Some(50)), Ok(()), "it asks for it itself");
}

#[test]
fn a_window_server_that_makes_no_events_is_told() {
    let scene = scene();
    scene.desk.makes.store(false, Ordering::Relaxed);
    assert!(matches!(scene.input.move_to(1, 1, soon()), Err(Error::Broken { .. })));
}
