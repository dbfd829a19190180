//! Input against a fake window server.

use std::sync::atomic::Ordering;

use deskhand_platform::NamedKey;

use super::{
    fake_system::{CountingGuard, FakeServer, Fixture, fixture},
    *,
};

fn test_deadline() -> Deadline {
    Deadline::after(Duration::from_secs(20))
}

fn key(code: u16, press: Press, flags: Flags) -> InputEvent {
    InputEvent::Key { code, press, flags }
}

const LOGO: Key = Key::Named(NamedKey::Logo);

#[test]
fn a_shortcut_carries_the_flags_of_pressed_keys() {
    let fixture = fixture();
    fixture.input.send_key(&LOGO, Press::Down, test_deadline()).unwrap();
    fixture.input.send_key(&LOGO, Press::Down, test_deadline()).unwrap();
    fixture.input.send_key(&Key::Char('s'), Press::Down, test_deadline()).unwrap();
    fixture.input.send_key(&Key::Char('s'), Press::Up, test_deadline()).unwrap();
    fixture.input.send_key(&LOGO, Press::Up, test_deadline()).unwrap();
    fixture.input.send_key(&LOGO, Press::Up, test_deadline()).unwrap();
    let command = Flags::COMMAND;
    assert_eq!(
        fixture.take_posted(),
        [
            key(55, Press::Down, command),
            key(1, Press::Down, command),
            key(1, Press::Up, command),
            key(55, Press::Up, Flags::NONE),
        ]
    );
}

#[test]
fn command_is_the_shortcut_key() {
    let fixture = fixture();
    let (command, home) = (Key::Named(NamedKey::Command), Key::Named(NamedKey::Home));
    fixture.input.send_key(&command, Press::Down, test_deadline()).unwrap();
    fixture.input.send_key(&Key::Char('s'), Press::Down, test_deadline()).unwrap();
    fixture.input.send_key(&Key::Char('s'), Press::Up, test_deadline()).unwrap();
    let held = Flags::COMMAND;
    let (down, up) = (key(1, Press::Down, held), key(1, Press::Up, held));
    assert_eq!(fixture.take_posted(), [key(55, Press::Down, held), down, up]);
    fixture.input.send_key(&home, Press::Down, test_deadline()).unwrap();
    fixture.input.send_key(&home, Press::Up, test_deadline()).unwrap();
    let arrow = held | Flags::FN | Flags::KEYPAD;
    let expected = [key(126, Press::Down, arrow), key(126, Press::Up, arrow)];
    assert_eq!(fixture.take_posted(), expected, "the start of the text");
    fixture.input.send_key(&command, Press::Up, test_deadline()).unwrap();
    fixture.take_posted();
    fixture.input.send_key(&home, Press::Down, test_deadline()).unwrap();
    assert_eq!(fixture.take_posted(), [key(115, Press::Down, Flags::FN)]);
}

#[test]
fn a_text_ends_if_the_windows_keep_changing() {
    let Fixture { server, owner, mut input } = fixture();
    let guard = Arc::new(CountingGuard { checks: 0.into(), refused: 66 });
    input.set_guard(Arc::clone(&guard) as Arc<dyn InputGuard>);
    owner.change_after(&server, 0);
    let never = input.type_text("aaa", Duration::ZERO, test_deadline());
    assert!(matches!(never, Err(Error::Unsupported { .. })), "nothing was sent: {never:?}");
    assert!(server.posted.lock().is_empty());
    owner.change_after(&server, 2);
    let partial = input.type_text("aaa", Duration::ZERO, test_deadline());
    assert!(matches!(partial, Err(Error::Disconnected { .. })), "a part was sent: {partial:?}");
    server.posted.lock().clear();
    owner.change_after(&server, 1);
    let scrolled = input.scroll(0, 3, test_deadline());
    assert!(matches!(scrolled, Err(Error::Disconnected { .. })), "a part was sent: {scrolled:?}");
}

#[test]
fn modifiers_of_a_character_are_pressed_unless_they_are_already() {
    let fixture = fixture();
    let shift = Key::Named(NamedKey::Shift);
    fixture.input.send_key(&Key::Char('A'), Press::Down, test_deadline()).unwrap();
    fixture.input.send_key(&Key::Char('A'), Press::Up, test_deadline()).unwrap();
    assert_eq!(
        fixture.take_posted(),
        [
            key(56, Press::Down, Flags::SHIFT),
            key(0, Press::Down, Flags::SHIFT),
            key(0, Press::Up, Flags::SHIFT),
            key(56, Press::Up, Flags::NONE),
        ]
    );
    fixture.input.send_key(&shift, Press::Down, test_deadline()).unwrap();
    fixture.input.send_key(&Key::Char('A'), Press::Down, test_deadline()).unwrap();
    let after: Vec<InputEvent> = fixture.take_posted().split_off(1);
    assert_eq!(after, [key(0, Press::Down, Flags::SHIFT)]);
    fixture.input.send_key(&Key::Char('é'), Press::Down, test_deadline()).unwrap();
    let units = vec![0xe9];
    let expected = InputEvent::Text { units, press: Press::Down, flags: Flags::SHIFT };
    assert_eq!(fixture.take_posted(), [expected]);
}

#[test]
fn unsupported_keys_send_nothing() {
    let fixture = fixture();
    let refused = |key: Key| match fixture.input.send_key(&key, Press::Down, test_deadline()) {
        Err(Error::Unsupported { why, .. }) => why,
        other => panic!("{other:?}"),
    };
    assert!(refused(Key::Named(NamedKey::Function(21))).contains("F20"));
    assert!(refused(Key::Char('\u{7}')).contains("control character"));
    fixture.input.send_key(&LOGO, Press::Down, test_deadline()).unwrap();
    fixture.take_posted();
    assert!(refused(Key::Char('й')).contains("no key of the layout"));
    *fixture.server.source.lock() = InputSource::default();
    *fixture.server.outputs.lock() = None;
    assert!(refused(Key::Char('s')).contains("menu"), "a guess could be another shortcut");
    assert_eq!(fixture.take_posted(), []);
}

#[test]
fn the_layout_is_read_again_only_after_a_change() {
    let fixture = fixture();
    let read = || fixture.server.layouts_read.load(Ordering::Relaxed);
    let strike = |one| {
        fixture.input.send_key(&Key::Char(one), Press::Down, test_deadline()).unwrap();
        fixture.input.send_key(&Key::Char(one), Press::Up, test_deadline()).unwrap();
    };
    strike('a');
    strike('a');
    assert_eq!(read(), 1);
    *fixture.server.source.lock() =
        InputSource { layout: Some("com.apple.keylayout.ABC".to_owned()), kinds: Vec::new() };
    *fixture.server.outputs.lock() = None;
    fixture.take_posted();
    strike('q');
    assert_eq!(read(), 2);
    let expected = [key(12, Press::Down, Flags::NONE), key(12, Press::Up, Flags::NONE)];
    assert_eq!(fixture.take_posted(), expected, "the built-in layout");
    *fixture.server.source.lock() = InputSource::default();
    strike('a');
    strike('a');
    assert_eq!(read(), 4, "without an id it is read each time");
}

#[test]
fn a_text_is_typed_with_keys_and_text_events() {
    let fixture = fixture();
    fixture.input.send_key(&LOGO, Press::Down, test_deadline()).unwrap();
    fixture.take_posted();
    fixture.input.type_text("a≈日本\n", Duration::ZERO, test_deadline()).unwrap();
    let option = Flags::OPTION;
    let text = |press| InputEvent::Text { units: vec![0x65e5, 0x672c], press, flags: Flags::NONE };
    assert_eq!(
        fixture.take_posted(),
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
    let start = Instant::now();
    fixture.input.type_text("日本", Duration::from_millis(20), test_deadline()).unwrap();
    assert!(start.elapsed() >= Duration::from_millis(40), "a pause after each character");
    assert_eq!(fixture.take_posted().len(), 4);
    let refused = fixture.input.type_text("a\u{1}", Duration::ZERO, test_deadline());
    assert!(matches!(refused, Err(Error::Unsupported { .. })));
    let late = fixture.input.type_text("a", Duration::ZERO, Deadline::after(Duration::ZERO));
    assert!(late.unwrap_err().to_string().contains("nothing was typed"));
    assert_eq!(fixture.take_posted(), []);
}

#[test]
fn a_text_waits_for_another_until_its_deadline() {
    let fixture = fixture();
    let typing = fixture.input.typing.lock();
    let waited =
        fixture.input.type_text("a", Duration::ZERO, Deadline::after(Duration::from_millis(20)));
    assert!(matches!(waited, Err(Error::Timeout { .. })));
    drop(typing);
    assert_eq!(fixture.take_posted(), []);
}

#[test]
fn nothing_is_sent_to_a_locked_screen_or_without_permission() {
    let fixture = fixture();
    let all = |input: &MacInput<Arc<FakeServer>>| {
        [
            input.check_ready(test_deadline()),
            input.move_pointer(1, 1, test_deadline()),
            input.send_button(Button::Left, Press::Down, test_deadline()),
            input.scroll(0, 1, test_deadline()),
            input.send_key(&LOGO, Press::Down, test_deadline()),
            input.type_text("a", Duration::ZERO, test_deadline()),
            input.background_keyboard(7, test_deadline()).map(drop),
        ]
    };
    let set = |locked, active| {
        let session = LoginSession { locked, active, secure_input_pid: None };
        *fixture.server.session.lock() = Some(session);
    };
    set(true, true);
    for outcome in all(&fixture.input) {
        assert!(matches!(outcome, Err(Error::ScreenLocked { by }) if by == "the login window"));
    }
    set(false, false);
    assert!(all(&fixture.input).iter().all(|one| matches!(one, Err(Error::ScreenLocked { .. }))));
    set(false, true);
    fixture.server.can_post.store(false, Ordering::Relaxed);
    for outcome in all(&fixture.input) {
        assert!(matches!(outcome, Err(Error::PermissionDenied { permission, program: who })
            if permission == "Accessibility" && who == "Terminal"));
    }
    *fixture.server.session.lock() = None;
    assert!(all(&fixture.input).iter().all(|one| matches!(one, Err(Error::NoDisplay { .. }))));
    assert_eq!(fixture.take_posted(), []);
}

#[test]
fn locking_the_screen_ends_a_text() {
    let fixture = fixture();
    fixture.server.locks_after.store(2, Ordering::Relaxed);
    let outcome = fixture.input.type_text("aaa", Duration::ZERO, test_deadline());
    assert!(
        matches!(outcome, Err(Error::Disconnected { why, .. }) if why.contains("after a part"))
    );
    assert_eq!(fixture.take_posted().len(), 2);
}

#[test]
fn clicks_are_counted_and_a_drag_carries_its_button() {
    let fixture = fixture();
    let press = |press| fixture.input.send_button(Button::Left, press, test_deadline()).unwrap();
    let button = |press, at, clicks| InputEvent::Button {
        button: Button::Left,
        press,
        at,
        clicks,
        flags: Flags::NONE,
    };
    let at = (100, 200);
    for one in [Press::Down, Press::Up, Press::Down] {
        press(one);
    }
    fixture.input.move_pointer(110, 195, test_deadline()).unwrap();
    press(Press::Up);
    press(Press::Down);
    press(Press::Up);
    fixture.input.move_pointer(0, 0, test_deadline()).unwrap();
    let (delta, clicks, flags) = ((10, -5), 2, Flags::NONE);
    assert_eq!(
        fixture.take_posted(),
        [
            button(Press::Down, at, 1),
            button(Press::Up, at, 1),
            button(Press::Down, at, 2),
            InputEvent::Dragged { button: Button::Left, at: (110, 195), delta, clicks, flags },
            button(Press::Up, (110, 195), 2),
            button(Press::Down, (110, 195), 1),
            button(Press::Up, (110, 195), 1),
            InputEvent::Moved { at: (0, 0), delta: (-110, -195), flags },
        ]
    );
    press(Press::Up);
    assert_eq!(
        fixture.take_posted(),
        [button(Press::Up, (0, 0), 1)],
        "a button that was not pressed"
    );
    assert_eq!(fixture.input.pointer_position(test_deadline()), Ok((0, 0)));
}

#[test]
fn a_click_waits_until_the_pointer_has_moved() {
    let fixture = fixture();
    fixture.server.pointer_lag.store(5, Ordering::Relaxed);
    fixture.input.move_pointer(7, 8, test_deadline()).unwrap();
    fixture.input.send_button(Button::Right, Press::Down, test_deadline()).unwrap();
    let Some(InputEvent::Button { at, .. }) = fixture.take_posted().pop() else {
        panic!("no click")
    };
    assert_eq!(at, (7, 8), "not at the old position");
    assert_eq!(fixture.input.is_button_down(Button::Right, test_deadline()), Ok(true));
    fixture.server.pointer_lag.store(usize::MAX, Ordering::Relaxed);
    let start = Instant::now();
    fixture.input.move_pointer(100_000, 8, test_deadline()).unwrap();
    assert!(start.elapsed() < Duration::from_secs(10), "a position beyond the screen");
}

#[test]
fn the_wheel_scrolls_notch_by_notch() {
    let fixture = fixture();
    fixture.input.scroll(-1, 2, test_deadline()).unwrap();
    let flags = Flags::NONE;
    let down = InputEvent::Wheel { right: 0, down: 3, flags };
    let left = InputEvent::Wheel { right: -3, down: 0, flags };
    assert_eq!(fixture.take_posted(), [down.clone(), down, left]);
    let late = fixture.input.scroll(0, 1, Deadline::after(Duration::ZERO));
    assert!(matches!(late, Err(Error::Timeout { .. })));
}

#[test]
fn releasing_everything_ends_a_drag_where_it_began() {
    let fixture = fixture();
    fixture.input.send_key(&LOGO, Press::Down, test_deadline()).unwrap();
    fixture.input.send_key(&Key::Named(NamedKey::Shift), Press::Down, test_deadline()).unwrap();
    fixture.input.send_button(Button::Left, Press::Down, test_deadline()).unwrap();
    fixture.input.move_pointer(5, 6, test_deadline()).unwrap();
    fixture.take_posted();
    fixture.input.release_all(test_deadline()).unwrap();
    let (button, at, clicks) = (Button::Left, (100, 200), 1);
    let flags = Flags::COMMAND | Flags::SHIFT;
    assert_eq!(
        fixture.take_posted(),
        [
            InputEvent::Dragged { button, at, delta: (95, 194), clicks, flags },
            InputEvent::Button { button, press: Press::Up, at, clicks, flags },
            key(56, Press::Up, Flags::COMMAND),
            key(55, Press::Up, Flags::NONE),
        ]
    );
    fixture.input.release_all(test_deadline()).unwrap();
    assert_eq!(fixture.take_posted(), []);
    fixture.input.send_key(&LOGO, Press::Down, test_deadline()).unwrap();
    let Fixture { server, input, .. } = fixture;
    drop(input);
    let last = server.posted.lock().last().cloned();
    let released = (key(55, Press::Up, Flags::NONE), EventTarget::WindowServer);
    assert_eq!(last, Some(released), "dropping the input releases keys too");
}

#[test]
fn releasing_everything_cancels_typing() {
    let fixture = fixture();
    let typed = std::thread::scope(|threads| {
        let typing = threads.spawn(|| {
            fixture.input.type_text(&"a".repeat(1000), Duration::from_millis(50), test_deadline())
        });
        while fixture.server.posted.lock().is_empty() {
            std::thread::sleep(Duration::from_millis(1));
        }
        fixture.input.release_all(test_deadline()).unwrap();
        typing.join().unwrap()
    });
    assert!(matches!(typed, Err(Error::InputCancelled)));
    assert!(fixture.take_posted().len() < 100);
}

#[test]
fn the_guard_is_asked_again_if_the_keyboard_has_another_owner() {
    let Fixture { server, owner, mut input } = fixture();
    let guard = Arc::new(CountingGuard { checks: 0.into(), refused: 66 });
    input.set_guard(Arc::clone(&guard) as Arc<dyn InputGuard>);
    input.type_text("aaa", Duration::ZERO, test_deadline()).unwrap();
    assert_eq!(guard.checks.load(Ordering::Relaxed), 1, "the same owner for all keys");
    input.move_pointer(1, 1, test_deadline()).unwrap();
    input.scroll(1, 0, test_deadline()).unwrap();
    assert_eq!(guard.checks.load(Ordering::Relaxed), 3);
    input.send_key(&LOGO, Press::Down, test_deadline()).unwrap();
    input.send_button(Button::Left, Press::Down, test_deadline()).unwrap();
    owner.pid.store(66, Ordering::Relaxed);
    server.posted.lock().clear();
    let blocked = |outcome: Result<()>| assert!(matches!(outcome, Err(Error::ScreenLocked { .. })));
    blocked(input.send_key(&Key::Char('a'), Press::Down, test_deadline()));
    blocked(input.type_text("a", Duration::ZERO, test_deadline()));
    blocked(input.move_pointer(2, 2, test_deadline()));
    blocked(input.send_button(Button::Right, Press::Down, test_deadline()));
    assert!(server.posted.lock().is_empty());
    input.release_all(test_deadline()).unwrap();
    assert_eq!(server.posted.lock().len(), 3, "releases are not guarded");
}

#[test]
fn background_keys_go_only_to_the_process_of_the_window() {
    let fixture = fixture();
    let mut keyboard = fixture.input.background_keyboard(7, test_deadline()).unwrap();
    keyboard.type_text("a", Duration::ZERO, test_deadline()).unwrap();
    keyboard.send_key(&LOGO, Press::Down, test_deadline()).unwrap();
    keyboard.send_key(&LOGO, Press::Down, test_deadline()).unwrap();
    keyboard.send_key(&Key::Char('s'), Press::Down, test_deadline()).unwrap();
    keyboard.send_key(&Key::Char('s'), Press::Up, test_deadline()).unwrap();
    assert!(
        keyboard.send_key(&Key::Named(NamedKey::NumLock), Press::Down, test_deadline()).is_err()
    );
    drop(keyboard);
    let posted = std::mem::take(&mut *fixture.server.posted.lock());
    assert!(posted.iter().all(|(_, target)| *target == EventTarget::Process(50)), "{posted:?}");
    assert_eq!(posted.last().unwrap().0, key(55, Press::Up, Flags::NONE));
    assert_eq!(posted.len(), 6);
}

#[test]
fn a_background_keyboard_ends_with_its_window() {
    let fixture = fixture();
    let mut keyboard = fixture.input.background_keyboard(7, test_deadline()).unwrap();
    keyboard.send_key(&LOGO, Press::Down, test_deadline()).unwrap();
    fixture.take_posted();
    fixture.owner.pid.store(51, Ordering::Relaxed);
    assert!(matches!(
        keyboard.type_text("a", Duration::ZERO, test_deadline()),
        Err(Error::Gone { .. })
    ));
    drop(keyboard);
    assert_eq!(fixture.take_posted(), [], "the new process did not see the key pressed");
    fixture.owner.pid.store(0, Ordering::Relaxed);
    assert!(matches!(
        fixture.input.background_keyboard(7, test_deadline()).map(drop),
        Err(Error::Gone { .. })
    ));
}

#[test]
fn background_keys_for_another_window_of_the_app_are_refused() {
    let fixture = fixture();
    let mut keyboard = fixture.input.background_keyboard(7, test_deadline()).unwrap();
    fixture.owner.not_key_window.store(7, Ordering::Relaxed);
    let refused = |outcome: Result<()>| {
        assert!(
            matches!(outcome, Err(Error::Unsupported { why, .. }) if why.contains("another window"))
        );
    };
    refused(fixture.input.background_keyboard(7, test_deadline()).map(drop));
    refused(keyboard.type_text("a", Duration::ZERO, test_deadline()));
    refused(keyboard.send_key(&Key::Char('a'), Press::Down, test_deadline()));
    assert_eq!(fixture.take_posted(), []);
}

#[test]
fn background_keys_are_refused_while_another_app_reads_a_password() {
    let fixture = fixture();
    fixture.server.secure_input.store(true, Ordering::Relaxed);
    let opened = |secure_input_pid| {
        let session = LoginSession { locked: false, active: true, secure_input_pid };
        *fixture.server.session.lock() = Some(session);
        fixture
            .input
            .background_keyboard(7, test_deadline())
            .map(drop)
            .map_err(|error| error.to_string())
    };
    assert!(opened(Some(60)).unwrap_err().contains("process 60 is reading a password"));
    assert!(opened(None).unwrap_err().contains("a program is reading a password"));
    assert_eq!(opened(Some(50)), Ok(()), "the app reads the password itself");
}

#[test]
fn an_event_that_cannot_be_created_is_an_error() {
    let fixture = fixture();
    fixture.server.creates_events.store(false, Ordering::Relaxed);
    assert!(matches!(
        fixture.input.move_pointer(1, 1, test_deadline()),
        Err(Error::Disconnected { .. })
    ));
}
