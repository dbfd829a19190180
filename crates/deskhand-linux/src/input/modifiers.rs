//! Temporarily clears modifiers that are pressed or locked and would change typed text.

use deskhand_platform::Deadline;
use xkeysym::key;

use super::{keyboard::Keyboard, layout::Layout, timing::KEY_RELEASE_POLL_INTERVAL};
use crate::x11::X11Result;
/// A keyboard without active modifiers. Dropping this value restores the previous modifiers.
pub(super) struct NeutralModifiers<'a> {
    keyboard: Keyboard<'a>,
    /// Modifiers that this value unlocked.
    unlocked: u8,
    /// Codes of the modifier keys that this value released.
    released: Vec<u8>,
}

impl<'a> NeutralModifiers<'a> {
    /// Unlocks modifiers and releases pressed keys. Keys held on a physical keyboard cannot be
    /// released, so it waits for the user to release them. Returns the codes still held when the
    /// deadline passes.
    pub(super) fn new(
        keyboard: Keyboard<'a>,
        layout: &Layout,
        needed: &[u8],
        deadline: Deadline,
    ) -> X11Result<std::result::Result<Self, Vec<u8>>> {
        let obstructs = |code: &u8| layout.is_modifier(*code) || needed.contains(code);
        let obstructing_keys = || -> X11Result<Vec<u8>> {
            Ok(keyboard.pressed_codes()?.into_iter().filter(obstructs).collect())
        };
        let before = obstructing_keys()?;
        let mut neutral = Self { keyboard, unlocked: 0, released: Vec::new() };
        for code in &before {
            keyboard.release(*code)?;
        }
        // Keys of a physical keyboard stay pressed: the server tracks keys per device.
        let mut still_pressed = obstructing_keys()?;
        let ours = |code: &u8| layout.is_modifier(*code) && !still_pressed.contains(code);
        neutral.released = before.into_iter().filter(ours).collect();
        while !still_pressed.is_empty() {
            if deadline.has_passed() {
                return Ok(Err(still_pressed));
            }
            std::thread::sleep(KEY_RELEASE_POLL_INTERVAL);
            still_pressed = obstructing_keys()?;
        }
        let locked = locked_modifiers(keyboard)?;
        neutral.unlocked = locked & !num_lock_mask(layout);
        keyboard.set_locked(neutral.unlocked, 0)?;
        Ok(Ok(neutral))
    }
}

/// Returns the mask of locked modifiers.
pub(super) fn locked_modifiers(keyboard: Keyboard<'_>) -> X11Result<u8> {
    Ok((u16::from(keyboard.state()?.locked_mods) & 0xff) as u8)
}

/// Returns the mask of Num Lock. It stays on: it changes no letter, and the user sees its indicator
/// light.
pub(super) fn num_lock_mask(layout: &Layout) -> u8 {
    layout.code_of(key::Num_Lock).map_or(0, |code| layout.modifier_of(code))
}

impl Drop for NeutralModifiers<'_> {
    fn drop(&mut self) {
        // On a lost connection there is nothing to restore.
        let _ = self.keyboard.set_locked(self.unlocked, self.unlocked);
        for code in &self.released {
            let _ = self.keyboard.press(*code);
        }
        let _ = self.keyboard.sync();
    }
}
