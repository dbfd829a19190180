//! Global hotkeys, read from raw XInput events. The server sends these regardless of keyboard
//! grabs; a passive grab alone gets no events while an open menu grabs the keyboard.

use std::collections::BTreeSet;

use deskhand_platform::{Error, Hotkey, Key, NamedKey, Result};
use x11rb::{
    connection::Connection as _,
    protocol::{
        Event,
        xinput::{ConnectionExt as _, EventMask, XIEventMask},
        xproto::{ConnectionExt as _, GrabMode, ModMask},
    },
};
use xkeysym::key;

use super::keys::keysym;
use crate::{
    session_env::SessionEnv,
    x11::{self, X11Result, XServer},
};
/// The XInput device id that stands for every master device.
const ALL_MASTERS: u16 = 1;

/// Starts listening for a key combination. The last key triggers it while the others are held.
///
/// # Errors
///
/// `NoDisplay` if there is no display. `Unsupported` if its keyboard lacks one of the keys.
pub fn register_hotkey(keys: &[Key]) -> Result<Box<dyn Hotkey>> {
    let server = x11::connect(&SessionEnv::of_process()).map_err(|why| Error::NoDisplay { why })?;
    let mut listener =
        HotkeyListener { server, wanted: keys.to_vec(), codes: Vec::new(), down: BTreeSet::new() };
    let lookup = listener.listen().map_err(Error::from)?;
    match lookup {
        KeyLookup::Found => Ok(Box::new(listener)),
        KeyLookup::Missing(key) => Err(Error::Unsupported {
            what: "listening for these keys".to_owned(),
            why: format!("the keyboard has no {key:?}"),
        }),
    }
}

/// The result of searching the keyboard for the hotkey's keys.
enum KeyLookup {
    Found,
    Missing(Key),
}

/// Listens for one key combination.
struct HotkeyListener {
    server: XServer,
    wanted: Vec<Key>,
    /// For each wanted key, the codes that produce it, on the left and right side.
    codes: Vec<Vec<u8>>,
    down: BTreeSet<u8>,
}

impl HotkeyListener {
    fn listen(&mut self) -> X11Result<KeyLookup> {
        let XServer { connection, root, .. } = &self.server;
        connection.xinput_xi_query_version(2, 2)?.reply()?;
        let mask = vec![XIEventMask::RAW_KEY_PRESS | XIEventMask::RAW_KEY_RELEASE];
        let events = EventMask { deviceid: ALL_MASTERS, mask };
        connection.xinput_xi_select_events(*root, &[events])?.check()?;
        self.resolve_keys()
    }

    /// Finds the wanted keys in the current keyboard layout.
    fn resolve_keys(&mut self) -> X11Result<KeyLookup> {
        let XServer { connection, .. } = &self.server;
        let setup = connection.setup();
        let (first, last) = (setup.min_keycode, setup.max_keycode);
        let mapping = connection.get_keyboard_mapping(first, last - first + 1)?.reply()?;
        let width = usize::from(mapping.keysyms_per_keycode.max(1));
        let codes_for = |symbols: &[u32]| -> Vec<u8> {
            let rows = (first..=last).zip(mapping.keysyms.chunks(width));
            let makes = |row: &[u32]| row.iter().any(|symbol| symbols.contains(symbol));
            rows.filter(|(_, row)| makes(row)).map(|(code, _)| code).collect()
        };
        let mut codes = Vec::new();
        for key in &self.wanted {
            let found = codes_for(&keysyms(key));
            if found.is_empty() {
                return Ok(KeyLookup::Missing(key.clone()));
            }
            codes.push(found);
        }
        self.codes = codes;
        self.grab_keys()?;
        Ok(KeyLookup::Found)
    }

    /// Grabs the keys so that the focused app does not receive them. If another program already
    /// grabs them, the raw events still arrive.
    fn grab_keys(&self) -> X11Result<()> {
        let XServer { connection, root, .. } = &self.server;
        let Some((struck, held)) = self.codes.split_last() else { return Ok(()) };
        let map = connection.get_modifier_mapping()?.reply()?;
        let rows = map.keycodes.chunks(usize::from(map.keycodes_per_modifier()).max(1));
        let mut wanted = 0_u16;
        for (bit, row) in rows.enumerate() {
            if held.iter().flatten().any(|code| row.contains(code)) {
                wanted |= 1 << bit;
            }
        }
        // Caps Lock and Num Lock count as modifiers too.
        let locks = [0, ModMask::LOCK.into(), ModMask::M2.into(), 1 << 1 | 1 << 4];
        for (code, lock) in struck.iter().flat_map(|code| locks.map(|lock: u16| (code, lock))) {
            let modifiers = ModMask::from(wanted | lock);
            let mode = GrabMode::ASYNC;
            // Failure is fine, but the error must be consumed here or it would appear among the
            // events.
            drop(connection.grab_key(false, *root, modifiers, *code, mode, mode)?.check());
        }
        Ok(())
    }

    fn record_press(&mut self, code: u8) -> bool {
        let fresh = self.down.insert(code);
        let Some((struck, held)) = self.codes.split_last() else { return false };
        let is_down = |codes: &Vec<u8>| codes.iter().any(|one| self.down.contains(one));
        fresh && struck.contains(&code) && held.iter().all(is_down)
    }

    fn wait_for_press(&mut self) -> X11Result<()> {
        loop {
            let event = self.server.connection.wait_for_event()?;
            if let Event::XinputRawKeyPress(event) = &event
                && self.record_press(u8::try_from(event.detail)?)
            {
                return Ok(());
            }
            if let Event::XinputRawKeyRelease(event) = &event {
                self.down.remove(&u8::try_from(event.detail)?);
            }
            if let Event::MappingNotify(_) = event {
                // If the new layout lacks the keys, the old codes stay in use.
                self.resolve_keys()?;
            }
        }
    }
}

impl Hotkey for HotkeyListener {
    fn wait(&mut self) -> Result<()> {
        self.wait_for_press().map_err(Error::from)
    }
}

/// Returns the keysyms of a key, for both sides of the keyboard.
fn keysyms(wanted: &Key) -> Vec<u32> {
    let other = match wanted {
        Key::Named(NamedKey::Command | NamedKey::Control) => Some(key::Control_R),
        Key::Named(NamedKey::Shift) => Some(key::Shift_R),
        Key::Named(NamedKey::Alt) => Some(key::Alt_R),
        Key::Named(NamedKey::Logo) => Some(key::Super_R),
        Key::Named(_) | Key::Char(_) => None,
    };
    std::iter::once(keysym(wanted)).chain(other).collect()
}
