//! Single keys: down and up, each remembered until it is up again.

use deskhand_platform::{Deadline, Key, Named};
use x11rb::protocol::xproto::Window;
use xkeysym::key;

use super::{
    keyboard::Keyboard,
    layout::{Chord, Layout, Row, symbol_of},
    pulse::{Pulse, Read},
};
use crate::x11::{Server, Trouble};

type Asked<T> = std::result::Result<T, Trouble>;

/// A key that is down.
pub(super) struct Held {
    /// Which key was asked for.
    pub(super) key: Key,
    /// What was pressed for it.
    chord: Chord,
    /// What the key made before it was lent to this one.
    lent: Option<Row>,
}

/// Where keys are pressed, and for which window.
pub(super) struct Place<'a> {
    /// The desk's connection: its keyboard has the layout apps go by.
    pub(super) desk: &'a Server,
    /// The keyboard keys are pressed on.
    pub(super) keys: Keyboard<'a>,
    /// The window that gets them; the one that has the keyboard when absent.
    pub(super) window: Option<Window>,
}

impl Place<'_> {
    /// Presses a key; why it cannot be pressed otherwise.
    pub(super) fn press(
        &self,
        key: &Key,
        held: &mut Vec<Held>,
        by: Deadline,
    ) -> Asked<std::result::Result<(), String>> {
        if held.iter().any(|one| is_same(&one.key, key)) {
            return Ok(Ok(()));
        }
        let desk = self.layout_of_desk()?;
        let layout = desk.layout()?;
        let symbol = symbol(key);
        let shortcut = held.iter().any(|one| makes_shortcuts(&one.key));
        let (chord, lent) = match known(key, symbol, &layout, shortcut) {
            Some(chord) => (chord, None),
            // Only keys the server knows as modifiers change what others make.
            None if is_modifier(key) => return Ok(Err(format!("the keyboard has no {key:?}"))),
            None => {
                let free = |code: &u8| held.iter().all(|one| one.chord.code != *code);
                // Some apps go by what a key makes in a shortcut, others by where it lies.
                let lies = Some(key).filter(|_| shortcut).and_then(american).filter(free);
                let spare = || layout.spares().into_iter().rev().find(free);
                let Some(code) = lies.or_else(spare) else {
                    return Ok(Err(format!("the keyboard has neither {key:?} nor a free key")));
                };
                let before = layout.between(code, code).first().cloned();
                desk.set(code, &[Row::single(symbol)])?;
                // The app reads the layout before the key, or it would read another one.
                Pulse::new(self.desk, self.window)?.settle(by)?;
                (Chord { code, with: Vec::new() }, before)
            }
        };
        let presses = chord.with.iter().chain([&chord.code]).copied().collect::<Vec<u8>>();
        held.push(Held { key: key.clone(), chord, lent });
        for code in presses {
            self.keys.press(code)?;
        }
        self.keys.sync()?;
        Ok(Ok(()))
    }

    /// The desk's keyboard: its own layout is not to change for keys that go elsewhere.
    fn layout_of_desk(&self) -> Asked<Keyboard<'_>> {
        match self.window {
            Some(_) => Keyboard::open(self.desk),
            None => Keyboard::primed(self.desk),
        }
    }

    /// Releases a key; one that is not down is left alone.
    pub(super) fn release(&self, key: &Key, held: &mut Vec<Held>, by: Deadline) -> Asked<()> {
        let Some(place) = held.iter().position(|one| is_same(&one.key, key)) else { return Ok(()) };
        let Held { chord, lent, .. } = held.remove(place);
        self.keys.release(chord.code)?;
        for code in chord.with.iter().rev() {
            self.keys.release(*code)?;
        }
        self.keys.sync()?;
        // LibreOffice runs shortcuts after the keys that follow, if they are there already; and a
        // lent key must be read before it is given back.
        let read = match lent.is_some() || !is_modifier(key) {
            true => Pulse::new(self.desk, self.window).and_then(|mut pulse| {
                let answers = pulse.first(by)?;
                if lent.is_some() || !pulse.is_blind() { pulse.rest(by) } else { Ok(answers) }
            }),
            false => Ok(Read::Yes),
        };
        if let Some(before) = lent {
            // An app that does not read its keys must not keep the person's keyboard changed.
            Keyboard::open(self.desk)?.set(chord.code, &[before])?;
        }
        read.map(drop)
    }
}

/// How the layout makes a key. In a shortcut a letter of another group counts: apps look there.
fn known(key: &Key, symbol: u32, layout: &Layout, shortcut: bool) -> Option<Chord> {
    let alone = |code| Chord { code, with: Vec::new() };
    match key {
        Key::Char(wanted) => layout
            .characters(0)
            .remove(wanted)
            .or_else(|| layout.code_of(symbol).filter(|_| shortcut).map(alone)),
        Key::Named(_) => layout.code_of(symbol).map(alone),
    }
}

fn makes_shortcuts(key: &Key) -> bool {
    use Named::{Alt, Command, Control, Logo};
    matches!(key, Key::Named(Command | Control | Alt | Logo))
}

/// Where a character lies on an American keyboard; the kernel numbers keys by that.
fn american(key: &Key) -> Option<u8> {
    const ROWS: [(u8, &str); 4] =
        [(10, "1234567890-="), (24, "qwertyuiop[]"), (38, "asdfghjkl;'`"), (52, "zxcvbnm,./")];
    let Key::Char(wanted) = key else { return None };
    ROWS.iter().find_map(|(first, row)| {
        let place = row.chars().position(|one| one == *wanted)?;
        u8::try_from(place).ok().map(|place| first + place)
    })
}

/// Whether two names mean one key: what shortcuts are made with is Control here.
fn is_same(one: &Key, other: &Key) -> bool {
    symbol(one) == symbol(other)
}

fn is_modifier(key: &Key) -> bool {
    use Named::{Alt, AltGr, CapsLock, Command, Control, Logo, NumLock, Shift};
    matches!(key, Key::Named(Command | Control | Shift | Alt | AltGr | Logo | CapsLock | NumLock))
}

/// The symbol of a key.
pub(super) fn symbol(key: &Key) -> u32 {
    let named = match key {
        Key::Char(wanted) => return symbol_of(*wanted),
        Key::Named(named) => *named,
    };
    match named {
        Named::Command | Named::Control => key::Control_L,
        Named::Shift => key::Shift_L,
        Named::Alt => key::Alt_L,
        Named::AltGr => key::ISO_Level3_Shift,
        Named::Logo => key::Super_L,
        Named::Return => key::Return,
        Named::Tab => key::Tab,
        Named::Escape => key::Escape,
        Named::Backspace => key::BackSpace,
        Named::Delete => key::Delete,
        Named::Insert => key::Insert,
        Named::Home => key::Home,
        Named::End => key::End,
        Named::PageUp => key::Page_Up,
        Named::PageDown => key::Page_Down,
        Named::Left => key::Left,
        Named::Right => key::Right,
        Named::Up => key::Up,
        Named::Down => key::Down,
        Named::Space => key::space,
        Named::Menu => key::Menu,
        Named::CapsLock => key::Caps_Lock,
        Named::NumLock => key::Num_Lock,
        Named::PrintScreen => key::Print,
        Named::Pause => key::Pause,
        Named::Function(number) => key::F1 + u32::from(number.clamp(1, 35)) - 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_american_keyboard_is_numbered_as_the_kernel_does() {
        let at = |c| american(&Key::Char(c));
        assert_eq!(
            [at('1'), at('='), at('q'), at('a'), at('`'), at('z'), at('/')],
            [Some(10), Some(21), Some(24), Some(38), Some(49), Some(52), Some(61)]
        );
        assert_eq!((at('ф'), american(&Key::Named(Named::Tab))), (None, None));
    }

    #[test]
    fn shortcuts_are_made_with_control() {
        let (command, control) = (Key::Named(Named::Command), Key::Named(Named::Control));
        assert_eq!(symbol(&command), key::Control_L);
        assert!(is_same(&command, &control) && !is_same(&command, &Key::Named(Named::Shift)));
        assert!(makes_shortcuts(&command) && is_modifier(&command));
    }

    #[test]
    fn function_keys_count_from_one() {
        assert_eq!(symbol(&Key::Named(Named::Function(1))), key::F1);
        assert_eq!(symbol(&Key::Named(Named::Function(24))), key::F24);
    }
}
