//! A background keyboard: a second master device whose keys go to one window while the user's
//! keyboard keeps its focus.

use std::{sync::Arc, time::Duration};

use deskhand_platform::{BackgroundKeyboard, CancelSource, Deadline, Error, Key, Press, Result};
use parking_lot::Mutex;
use x11rb::protocol::xproto::Window;

use super::{
    guard::GuardedSender,
    keyboard::Keyboard,
    keys::{KeySender, PressedKey},
    lock,
    second_keyboard::{self, SecondKeyboard},
    selection_lock::SelectionLock,
    sync::InputSync,
    timing::{REMOVE_TIMEOUT, RESTORE_TIMEOUT},
    typing::{ModifierMode, TextTyper},
};
use crate::{
    apps::is_web_engine,
    x11::{self, X11Result, X11Thread, XServer},
};

/// The X selection that only one program owns at a time while it uses the second keyboard.
const BACKGROUND_KEYBOARD_LOCK: &str = "_DESKHAND_ASIDE";

/// A second keyboard whose keys go to one window.
pub(super) struct TargetedKeyboard {
    second_keyboard: SecondKeyboard,
    window: Window,
}

/// Creates the second keyboard and focuses it on a window. The inner error says why doing so now
/// would disturb the user or another program.
pub(super) fn open(
    main_server: &XServer,
    window: Window,
    deadline: Deadline,
) -> X11Result<Result<TargetedKeyboard>> {
    let unsupported = |why: &str| {
        let what = "typing in the background".to_owned();
        Ok(Err(Error::Unsupported { what, why: why.to_owned() }))
    };
    if let Some(locker) = lock::find_screen_locker(main_server)? {
        // A screen locker that crashes when a device is added or removed unlocks the screen.
        return Ok(Err(Error::ScreenLocked { by: locker }));
    }
    if user_types_into_chromium(main_server, window)? {
        return unsupported(
            "Chromium has the focus and only accepts keys from the newest keyboard",
        );
    }
    let own = x11::connect(&main_server.env).map_err(std::io::Error::other)?;
    let Some(lock_owner) = SelectionLock::acquire(&own, BACKGROUND_KEYBOARD_LOCK, deadline)? else {
        return unsupported("another program is typing in the background");
    };
    lock_owner.hold_until_disconnect();
    let second_keyboard = match SecondKeyboard::new(own, main_server)? {
        Ok(second_keyboard) => second_keyboard,
        Err(why) => return unsupported(&why),
    };
    match focus_target(main_server, &second_keyboard, window, deadline) {
        Ok(()) => Ok(Ok(TargetedKeyboard { second_keyboard, window })),
        Err(error) => {
            second_keyboard.remove(main_server)?;
            Err(error)
        }
    }
}

fn focus_target(
    main_server: &XServer,
    second_keyboard: &SecondKeyboard,
    window: Window,
    deadline: Deadline,
) -> X11Result<()> {
    let keyboard = Keyboard::open(second_keyboard.server())?;
    // Keys that a killed program left pressed would change the typed text.
    for code in keyboard.pressed_codes()? {
        keyboard.release(code)?;
    }
    second_keyboard.focus_window(window)?;
    InputSync::new(main_server, Some(window))?.ping_target(deadline)?;
    Ok(())
}

/// Returns `true` if the user's focus is in a Chromium window other than `target`. Chromium accepts
/// keys from the newest keyboard only, so a second keyboard would block the user's typing there.
fn user_types_into_chromium(main_server: &XServer, target: Window) -> X11Result<bool> {
    let active =
        main_server.read_u32_list(main_server.root, main_server.atoms._NET_ACTIVE_WINDOW)?;
    let other = |window: &&Window| **window != x11rb::NONE && **window != target;
    let Some(active) = active.first().filter(other) else { return Ok(false) };
    let pid = main_server.read_u32_list(*active, main_server.atoms._NET_WM_PID);
    // If the window has closed, the user no longer types into it.
    let pid = pid.ok().and_then(|pids| pids.first().copied());
    // The executable of another user's program cannot be read; it is assumed not to be Chromium.
    let program = pid.and_then(|pid| std::fs::read_link(format!("/proc/{pid}/exe")).ok());
    Ok(program.is_some_and(|program| is_web_engine(&program)))
}

/// Removes a second keyboard that a killed program left behind.
pub(super) fn remove_leftover(main_server: &XServer) -> X11Result<()> {
    let Some(pointer) = second_keyboard::find(main_server)? else { return Ok(()) };
    let now = Deadline::after(Duration::ZERO);
    match SelectionLock::acquire(main_server, BACKGROUND_KEYBOARD_LOCK, now)? {
        Some(_lock) => second_keyboard::remove(main_server, pointer),
        // Another program is using the keyboard.
        None => Ok(()),
    }
}

/// A background keyboard in use. Dropping it releases its keys and removes the device.
pub(super) struct X11BackgroundKeyboard {
    /// The main connection; apps use the layout of its keyboard.
    main_server: Arc<X11Thread>,
    target: Arc<TargetedKeyboard>,
    pressed_keys: Arc<Mutex<Vec<PressedKey>>>,
    cancel_tokens: CancelSource,
}

impl X11BackgroundKeyboard {
    pub(super) fn new(
        main_server: Arc<X11Thread>,
        target: TargetedKeyboard,
        cancel_tokens: CancelSource,
    ) -> Self {
        Self { main_server, target: Arc::new(target), pressed_keys: Arc::default(), cancel_tokens }
    }

    fn run<T: Send + 'static>(
        &self,
        deadline: Deadline,
        task: impl FnOnce(&XServer, &TargetedKeyboard, &mut Vec<PressedKey>) -> X11Result<T>
        + Send
        + 'static,
    ) -> Result<T> {
        let (target, pressed_keys) = (Arc::clone(&self.target), Arc::clone(&self.pressed_keys));
        self.main_server
            .run(Deadline::after(deadline.remaining() + RESTORE_TIMEOUT), move |main_server| {
                task(main_server, &target, &mut pressed_keys.lock())
            })
    }
}

impl BackgroundKeyboard for X11BackgroundKeyboard {
    fn send_key(&mut self, key: &Key, press: Press, deadline: Deadline) -> Result<()> {
        let (key, cancel) = (key.clone(), self.cancel_tokens.token());
        let outcome = self.run(deadline, move |main_server, target, pressed_keys| {
            let sender = GuardedSender::new(None, cancel);
            let keys = Keyboard::open(target.second_keyboard.server())?.guarded_by(&sender);
            let keys_to_window = KeySender { main_server, keys, window: Some(target.window) };
            match press {
                Press::Down => keys_to_window.press(&key, pressed_keys, deadline),
                Press::Up => keys_to_window.release(&key, pressed_keys, deadline).map(Ok),
            }
        })?;
        outcome.map_err(|why| Error::Unsupported { what: "this key".to_owned(), why })
    }

    fn type_text(&mut self, text: &str, pause: Duration, deadline: Deadline) -> Result<()> {
        let (text, cancel) = (text.to_owned(), self.cancel_tokens.token());
        let outcome = self.run(deadline, move |main_server, target, _| {
            let sender = GuardedSender::new(None, cancel);
            let keys = Keyboard::open(target.second_keyboard.server())?.guarded_by(&sender);
            // Qt 5 reads the modifier state from the user's keyboard, not from the second one.
            let modifiers = ModifierMode::BorrowKeys;
            TextTyper { main_server, keys, window: Some(target.window), modifiers }
                .type_text(&text, pause, deadline)
        })?;
        outcome.map_err(Error::from)
    }
}

impl Drop for X11BackgroundKeyboard {
    fn drop(&mut self) {
        let deadline = Deadline::after(REMOVE_TIMEOUT);
        // If the server is gone, the keyboard is gone too.
        let _ = self.run(deadline, move |main_server, target, pressed_keys| {
            let keys = Keyboard::open(target.second_keyboard.server())?;
            let keys_to_window = KeySender { main_server, keys, window: Some(target.window) };
            let mut released = Ok(());
            while let Some(key) = pressed_keys.last().map(|one| one.key.clone()) {
                released = released.and(keys_to_window.release(&key, pressed_keys, deadline));
            }
            let parked = target.second_keyboard.park(target.window);
            parked.and(target.second_keyboard.remove(main_server)).and(released)
        });
    }
}
