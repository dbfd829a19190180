//! A calm keyboard: nothing held down or locked that would change what is typed.

use std::time::Duration;

use deskhand_platform::Deadline;
use xkeysym::key;

use super::{keyboard::Keyboard, layout::Layout};
use crate::x11::Trouble;

type Asked<T> = std::result::Result<T, Trouble>;

/// How often to look whether the person has let go of a key.
const STEP: Duration = Duration::from_millis(5);

/// A keyboard that was calmed; it is as it was once this is dropped.
pub(super) struct Calm<'a> {
    keyboard: Keyboard<'a>,
    /// Modifiers that were locked and are not now.
    unlocked: u8,
    /// Modifier keys that were down and are not now.
    released: Vec<u8>,
}

impl<'a> Calm<'a> {
    /// Unlocks what is locked and releases what is down, and waits for the person to release what
    /// only they can; the keys they still hold when time is up.
    pub(super) fn new(
        keyboard: Keyboard<'a>,
        layout: &Layout,
        needed: &[u8],
        by: Deadline,
    ) -> Asked<std::result::Result<Self, Vec<u8>>> {
        let in_the_way = |code: &u8| layout.is_modifier(*code) || needed.contains(code);
        let held =
            || -> Asked<Vec<u8>> { Ok(keyboard.down()?.into_iter().filter(in_the_way).collect()) };
        let before = held()?;
        let mut calm = Self { keyboard, unlocked: 0, released: Vec::new() };
        for code in &before {
            keyboard.release(*code)?;
        }
        // Keys of a real keyboard stay down: the server knows whose they are.
        let mut still = held()?;
        let ours = |code: &u8| layout.is_modifier(*code) && !still.contains(code);
        calm.released = before.into_iter().filter(ours).collect();
        while !still.is_empty() {
            if by.passed() {
                return Ok(Err(still));
            }
            std::thread::sleep(STEP);
            still = held()?;
        }
        let locked = locked(keyboard)?;
        calm.unlocked = locked & !kept(layout);
        keyboard.lock(calm.unlocked, 0)?;
        Ok(Ok(calm))
    }
}

/// The modifiers that are locked.
pub(super) fn locked(keyboard: Keyboard<'_>) -> Asked<u8> {
    Ok((u16::from(keyboard.state()?.locked_mods) & 0xff) as u8)
}

/// Num Lock changes no letter, and its lamp is looked at by people.
pub(super) fn kept(layout: &Layout) -> u8 {
    layout.code_of(key::Num_Lock).map_or(0, |code| layout.modifier_of(code))
}

impl Drop for Calm<'_> {
    fn drop(&mut self) {
        // On a lost connection there is nothing to put back.
        let _ = self.keyboard.lock(self.unlocked, self.unlocked);
        for code in &self.released {
            let _ = self.keyboard.press(*code);
        }
        let _ = self.keyboard.sync();
    }
}
