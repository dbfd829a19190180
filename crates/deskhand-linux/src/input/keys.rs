//! Presses and releases single keys, and remembers each key until it is released.

use deskhand_platform::{Deadline, Key, NamedKey};
use x11rb::protocol::xproto::Window;
use xkeysym::key;

use super::{
    keyboard::Keyboard,
    layout::{Chord, KeyMapping, Layout, keysym_of},
    sync::{InputStatus, InputSync},
};
use crate::x11::{X11Result, XServer};
/// A key that Deskhand holds down.
pub(super) struct PressedKey {
    /// The requested key.
    pub(super) key: Key,
    /// The key codes that were pressed for it.
    chord: Chord,
    /// The previous mapping of the key code, if it was borrowed for this key.
    borrowed: Option<KeyMapping>,
}

/// Presses and releases keys for one window or for the focused window.
pub(super) struct KeySender<'a> {
    /// The main connection; apps use the layout of its keyboard.
    pub(super) main_server: &'a XServer,
    /// The keyboard that presses the keys.
    pub(super) keys: Keyboard<'a>,
    /// The window that receives the keys, or `None` for the focused window.
    pub(super) window: Option<Window>,
}

impl KeySender<'_> {
    /// Presses a key. The inner error says why the keyboard cannot press it.
    pub(super) fn press(
        &self,
        key: &Key,
        pressed_keys: &mut Vec<PressedKey>,
        deadline: Deadline,
    ) -> X11Result<std::result::Result<(), String>> {
        if pressed_keys.iter().any(|one| is_same_key(&one.key, key)) {
            return Ok(Ok(()));
        }
        let main_keyboard = self.main_keyboard()?;
        let layout = main_keyboard.layout()?;
        let keysym = keysym(key);
        let shortcut = pressed_keys.iter().any(|one| is_shortcut_modifier(&one.key));
        let (chord, borrowed) = match find_chord(key, keysym, &layout, shortcut) {
            Some(chord) => (chord, None),
            // Only keys that the server knows as modifiers can modify other keys.
            None if is_modifier(key) => return Ok(Err(format!("the keyboard has no {key:?}"))),
            None => {
                let free = |code: &u8| pressed_keys.iter().all(|one| one.chord.code != *code);
                // Some apps match shortcuts by keysym, others by the key's position.
                let us_position =
                    Some(key).filter(|_| shortcut).and_then(us_layout_code).filter(free);
                let spare = || layout.spare_keys().into_iter().rev().find(free);
                let Some(code) = us_position.or_else(spare) else {
                    return Ok(Err(format!("the keyboard has neither {key:?} nor a free key")));
                };
                let previous = layout.mappings_between(code, code).first().cloned();
                main_keyboard.set_mappings(code, &[KeyMapping::single(keysym)])?;
                // The app must read the new layout before the key, or it would see the old keysym.
                InputSync::new(self.main_server, self.window)?.wait_until_read(deadline)?;
                (Chord { code, with: Vec::new() }, previous)
            }
        };
        let presses = chord.with.iter().chain([&chord.code]).copied().collect::<Vec<u8>>();
        pressed_keys.push(PressedKey { key: key.clone(), chord, borrowed });
        for code in presses {
            self.keys.press(code)?;
        }
        self.keys.sync()?;
        Ok(Ok(()))
    }

    /// Opens the main connection's keyboard. For a fixed window, its layout must not switch to that
    /// of XTEST.
    fn main_keyboard(&self) -> X11Result<Keyboard<'_>> {
        match self.window {
            Some(_) => Keyboard::open(self.main_server),
            None => Keyboard::with_xtest_layout(self.main_server),
        }
    }

    /// Releases a key. Does nothing if the key is not pressed.
    pub(super) fn release(
        &self,
        key: &Key,
        pressed_keys: &mut Vec<PressedKey>,
        deadline: Deadline,
    ) -> X11Result<()> {
        let position = pressed_keys.iter().position(|one| is_same_key(&one.key, key));
        let Some(position) = position else { return Ok(()) };
        let PressedKey { chord, borrowed, .. } = pressed_keys.remove(position);
        self.keys.release(chord.code)?;
        for code in chord.with.iter().rev() {
            self.keys.release(*code)?;
        }
        self.keys.sync()?;
        // LibreOffice runs shortcuts after keys that follow them if those have already arrived. The
        // app must also read a borrowed key before its mapping is restored.
        let status = match borrowed.is_some() || !is_modifier(key) {
            true => InputSync::new(self.main_server, self.window).and_then(|mut sync| {
                let status = sync.ping_target(deadline)?;
                let wait = borrowed.is_some() || !sync.has_no_ping_target();
                if wait { sync.wait_until_processed(deadline) } else { Ok(status) }
            }),
            false => Ok(InputStatus::Read),
        };
        if let Some(previous) = borrowed {
            // The user's keyboard is restored even if the app does not read its keys.
            Keyboard::open(self.main_server)?.set_mappings(chord.code, &[previous])?;
        }
        status.map(drop)
    }
}

/// Returns the key codes that produce a key. In a shortcut, letters of other groups count too,
/// because apps search all groups.
fn find_chord(key: &Key, keysym: u32, layout: &Layout, shortcut: bool) -> Option<Chord> {
    let alone = |code| Chord { code, with: Vec::new() };
    match key {
        Key::Char(wanted) => layout
            .typeable_characters(0)
            .remove(wanted)
            .or_else(|| layout.code_of(keysym).filter(|_| shortcut).map(alone)),
        Key::Named(_) => layout.code_of(keysym).map(alone),
    }
}

fn is_shortcut_modifier(key: &Key) -> bool {
    use NamedKey::{Alt, Command, Control, Logo};
    matches!(key, Key::Named(Command | Control | Alt | Logo))
}

/// Returns the key code of a character on a US keyboard. The kernel numbers keys by their position
/// there.
fn us_layout_code(key: &Key) -> Option<u8> {
    const ROWS: [(u8, &str); 4] =
        [(10, "1234567890-="), (24, "qwertyuiop[]"), (38, "asdfghjkl;'`"), (52, "zxcvbnm,./")];
    let Key::Char(wanted) = key else { return None };
    ROWS.iter().find_map(|(first, row)| {
        let offset = row.chars().position(|one| one == *wanted)?;
        u8::try_from(offset).ok().map(|offset| first + offset)
    })
}

/// Returns `true` if two names mean the same key, such as `Command` and `Control` on Linux.
fn is_same_key(one: &Key, other: &Key) -> bool {
    keysym(one) == keysym(other)
}

fn is_modifier(key: &Key) -> bool {
    use NamedKey::{Alt, AltGr, CapsLock, Command, Control, Logo, NumLock, Shift};
    matches!(key, Key::Named(Command | Control | Shift | Alt | AltGr | Logo | CapsLock | NumLock))
}

/// Returns the X keysym of a key.
pub(super) fn keysym(key: &Key) -> u32 {
    let named = match key {
        Key::Char(wanted) => return keysym_of(*wanted),
        Key::Named(named) => *named,
    };
    match named {
        NamedKey::Command | NamedKey::Control => key::Control_L,
        NamedKey::Shift => key::Shift_L,
        NamedKey::Alt => key::Alt_L,
        NamedKey::AltGr => key::ISO_Level3_Shift,
        NamedKey::Logo => key::Super_L,
        NamedKey::Return => key::Return,
        NamedKey::Tab => key::Tab,
        NamedKey::Escape => key::Escape,
        NamedKey::Backspace => key::BackSpace,
        NamedKey::Delete => key::Delete,
        NamedKey::Insert => key::Insert,
        NamedKey::Home => key::Home,
        NamedKey::End => key::End,
        NamedKey::PageUp => key::Page_Up,
        NamedKey::PageDown => key::Page_Down,
        NamedKey::Left => key::Left,
        NamedKey::Right => key::Right,
        NamedKey::Up => key::Up,
        NamedKey::Down => key::Down,
        NamedKey::Space => key::space,
        NamedKey::Menu => key::Menu,
        NamedKey::CapsLock => key::Caps_Lock,
        NamedKey::NumLock => key::Num_Lock,
        NamedKey::PrintScreen => key::Print,
        NamedKey::Pause => key::Pause,
        NamedKey::Function(number) => key::F1 + u32::from(number.clamp(1, 35)) - 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn us_layout_codes_match_kernel_key_codes() {
        let at = |c| us_layout_code(&Key::Char(c));
        assert_eq!(
            [at('1'), at('='), at('q'), at('a'), at('`'), at('z'), at('/')],
            [Some(10), Some(21), Some(24), Some(38), Some(49), Some(52), Some(61)]
        );
        assert_eq!((at('ф'), us_layout_code(&Key::Named(NamedKey::Tab))), (None, None));
    }

    #[test]
    fn command_and_control_are_the_same_key() {
        let (command, control) = (Key::Named(NamedKey::Command), Key::Named(NamedKey::Control));
        assert_eq!(keysym(&command), key::Control_L);
        assert!(
            is_same_key(&command, &control) && !is_same_key(&command, &Key::Named(NamedKey::Shift))
        );
        assert!(is_shortcut_modifier(&command) && is_modifier(&command));
    }

    #[test]
    fn function_keys_count_from_one() {
        assert_eq!(keysym(&Key::Named(NamedKey::Function(1))), key::F1);
        assert_eq!(keysym(&Key::Named(NamedKey::Function(24))), key::F24);
    }
}
