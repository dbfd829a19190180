//! Keys that are heard whoever has the keyboard: by the events the server tells before anybody's grab,
//! since an open menu holds the keyboard and a passive grab alone is silent then.

use std::collections::BTreeSet;

use deskhand_platform::{Error, Hotkey, Key, Named, Result};
use x11rb::{
    connection::Connection as _,
    protocol::{
        Event,
        xinput::{ConnectionExt as _, EventMask, XIEventMask},
        xproto::{ConnectionExt as _, GrabMode, ModMask},
    },
};
use xkeysym::key;

use super::keys::symbol;
use crate::x11::{self, Server, Trouble};

type Asked<T> = std::result::Result<T, Trouble>;

/// Stands for every master device.
const ALL_MASTERS: u16 = 1;

/// Begins to listen for keys that are pressed together; the last one is struck.
///
/// # Errors
///
/// When there is no display, or its keyboard has no such keys.
pub fn hotkey(keys: &[Key]) -> Result<Box<dyn Hotkey>> {
    let server = x11::connect().map_err(|why| Error::NoDisplay { why })?;
    let mut ear = Ear { server, wanted: keys.to_vec(), codes: Vec::new(), down: BTreeSet::new() };
    let heard = ear.listen().map_err(Error::from)?;
    match heard {
        Heard::All => Ok(Box::new(ear)),
        Heard::Lacking(key) => Err(Error::Unsupported {
            what: "listening for these keys".to_owned(),
            why: format!("the keyboard has no {key:?}"),
        }),
    }
}

enum Heard {
    All,
    Lacking(Key),
}

struct Ear {
    server: Server,
    wanted: Vec<Key>,
    /// For each wanted key the numbers that make it, left and right.
    codes: Vec<Vec<u8>>,
    down: BTreeSet<u8>,
}

impl Ear {
    fn listen(&mut self) -> Asked<Heard> {
        let Server { connection, root, .. } = &self.server;
        connection.xinput_xi_query_version(2, 2)?.reply()?;
        let mask = vec![XIEventMask::RAW_KEY_PRESS | XIEventMask::RAW_KEY_RELEASE];
        let events = EventMask { deviceid: ALL_MASTERS, mask };
        connection.xinput_xi_select_events(*root, &[events])?.check()?;
        self.find()
    }

    /// Finds the keys on the keyboard as it is now.
    fn find(&mut self) -> Asked<Heard> {
        let Server { connection, .. } = &self.server;
        let setup = connection.setup();
        let (first, last) = (setup.min_keycode, setup.max_keycode);
        let mapping = connection.get_keyboard_mapping(first, last - first + 1)?.reply()?;
        let width = usize::from(mapping.keysyms_per_keycode.max(1));
        let making = |symbols: &[u32]| -> Vec<u8> {
            let rows = (first..=last).zip(mapping.keysyms.chunks(width));
            let makes = |row: &[u32]| row.iter().any(|symbol| symbols.contains(symbol));
            rows.filter(|(_, row)| makes(row)).map(|(code, _)| code).collect()
        };
        let mut codes = Vec::new();
        for key in &self.wanted {
            let found = making(&symbols(key));
            if found.is_empty() {
                return Ok(Heard::Lacking(key.clone()));
            }
            codes.push(found);
        }
        self.codes = codes;
        self.keep_from_apps()?;
        Ok(Heard::All)
    }

    /// Keeps the keys from whoever has the keyboard. Where another program does that already, they
    /// are heard all the same.
    fn keep_from_apps(&self) -> Asked<()> {
        let Server { connection, root, .. } = &self.server;
        let Some((struck, held)) = self.codes.split_last() else { return Ok(()) };
        let map = connection.get_modifier_mapping()?.reply()?;
        let rows = map.keycodes.chunks(usize::from(map.keycodes_per_modifier()).max(1));
        let mut wanted = 0_u16;
        for (bit, row) in rows.enumerate() {
            if held.iter().flatten().any(|code| row.contains(code)) {
                wanted |= 1 << bit;
            }
        }
        // Caps Lock and Num Lock count as modifiers, too.
        let locks = [0, ModMask::LOCK.into(), ModMask::M2.into(), 1 << 1 | 1 << 4];
        for (code, lock) in struck.iter().flat_map(|code| locks.map(|lock: u16| (code, lock))) {
            let modifiers = ModMask::from(wanted | lock);
            let mode = GrabMode::ASYNC;
            // The answer does not matter, but it must not turn up among the events.
            drop(connection.grab_key(false, *root, modifiers, *code, mode, mode)?.check());
        }
        Ok(())
    }

    fn pressed(&mut self, code: u8) -> bool {
        let fresh = self.down.insert(code);
        let Some((struck, held)) = self.codes.split_last() else { return false };
        let is_down = |codes: &Vec<u8>| codes.iter().any(|one| self.down.contains(one));
        fresh && struck.contains(&code) && held.iter().all(is_down)
    }

    fn hear(&mut self) -> Asked<()> {
        loop {
            let event = self.server.connection.wait_for_event()?;
            if let Event::XinputRawKeyPress(event) = &event
                && self.pressed(u8::try_from(event.detail)?)
            {
                return Ok(());
            }
            if let Event::XinputRawKeyRelease(event) = &event {
                self.down.remove(&u8::try_from(event.detail)?);
            }
            if let Event::MappingNotify(_) = event {
                // A keyboard that lacks the keys for a moment keeps the old numbers.
                self.find()?;
            }
        }
    }
}

impl Hotkey for Ear {
    fn wait(&mut self) -> Result<()> {
        self.hear().map_err(Error::from)
    }
}

/// The symbols of a key, on either side of the keyboard.
fn symbols(wanted: &Key) -> Vec<u32> {
    let other = match wanted {
        Key::Named(Named::Command | Named::Control) => Some(key::Control_R),
        Key::Named(Named::Shift) => Some(key::Shift_R),
        Key::Named(Named::Alt) => Some(key::Alt_R),
        Key::Named(Named::Logo) => Some(key::Super_R),
        Key::Named(_) | Key::Char(_) => None,
    };
    std::iter::once(symbol(wanted)).chain(other).collect()
}
