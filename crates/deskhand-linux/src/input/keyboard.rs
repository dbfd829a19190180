//! A keyboard of the X server: reads its layout and state, presses keys, and changes key mappings.

use std::time::Duration;

use x11rb::{
    connection::Connection,
    protocol::{
        xkb::{
            ConnectionExt as _, GetStateReply, KeySymMap, MapPart, SetMapAux, SetMapFlags, VMod,
        },
        xproto::{ConnectionExt as _, KEY_PRESS_EVENT, KEY_RELEASE_EVENT, ModMask},
        xtest::ConnectionExt as _,
    },
};

use super::{
    guard::GuardedSender,
    layout::{KeyMapping, KeyType, Layout},
};
use crate::x11::{X11Result, XServer};
/// The XKB device id of the connection's own keyboard: the user's, unless the connection chose
/// another.
const CORE_KEYBOARD: u16 = 0x100;

/// A keyboard on an X server.
#[derive(Clone, Copy)]
pub(super) struct Keyboard<'a> {
    server: &'a XServer,
    sender: Option<&'a GuardedSender>,
}

impl<'a> Keyboard<'a> {
    /// Returns the keyboard of a connection.
    pub(super) fn open(server: &'a XServer) -> X11Result<Self> {
        server.connection.xkb_use_extension(1, 0)?.reply()?;
        Ok(Self { server, sender: None })
    }

    /// Returns the same keyboard, with every key press checked by the sender's guard.
    pub(super) fn guarded_by(self, sender: &'a GuardedSender) -> Self {
        Self { sender: Some(sender), ..self }
    }

    /// Returns the keyboard of a connection, and switches it to the layout that XTEST uses.
    pub(super) fn with_xtest_layout(server: &'a XServer) -> X11Result<Self> {
        let keyboard = Self::open(server)?;
        // Each X device has its own layout, and the core keyboard adopts that of the device that
        // sent the last event. Releasing a key that is not pressed makes XTEST that device and has
        // no other effect.
        keyboard.release(server.connection.setup().min_keycode)?;
        Ok(keyboard)
    }

    /// Waits for `time`, or until the operation is cancelled.
    pub(super) fn wait(self, time: Duration) {
        match self.sender {
            Some(sender) => sender.wait(time),
            None => std::thread::sleep(time),
        }
    }

    /// Waits until the server has processed all requests sent so far.
    pub(super) fn sync(self) -> X11Result<()> {
        self.server.connection.get_input_focus()?.reply()?;
        Ok(())
    }

    /// Presses a key.
    pub(super) fn press(self, code: u8) -> X11Result<()> {
        match self.sender {
            Some(sender) => {
                sender.send_key(self.server, |_| self.send_event(KEY_PRESS_EVENT, code))
            }
            None => self.send_event(KEY_PRESS_EVENT, code),
        }
    }

    /// Releases a key.
    pub(super) fn release(self, code: u8) -> X11Result<()> {
        self.send_event(KEY_RELEASE_EVENT, code)
    }

    fn send_event(self, event_type: u8, code: u8) -> X11Result<()> {
        let XServer { connection, root, .. } = self.server;
        connection.xtest_fake_input(event_type, code, 0, *root, 0, 0, 0)?;
        Ok(())
    }

    /// Returns the held, latched and locked modifiers, and the group.
    pub(super) fn state(self) -> X11Result<GetStateReply> {
        Ok(self.server.connection.xkb_get_state(CORE_KEYBOARD)?.reply()?)
    }

    /// Returns the codes of all pressed keys.
    pub(super) fn pressed_codes(self) -> X11Result<Vec<u8>> {
        let keys = self.server.connection.query_keymap()?.reply()?.keys;
        let is_down = |code: &u8| keys[usize::from(code / 8)] & (1 << (code % 8)) != 0;
        Ok((0..=u8::MAX).filter(is_down).collect())
    }

    /// Locks the modifiers in `on`, unlocks the others in `which`, and clears latched modifiers.
    pub(super) fn set_locked(self, which: u8, on: u8) -> X11Result<()> {
        let mask = |bits: u8| ModMask::from(u16::from(bits));
        let group = x11rb::protocol::xkb::Group::M1;
        self.server.connection.xkb_latch_lock_state(
            CORE_KEYBOARD,
            mask(which),
            mask(on),
            false,
            group,
            mask(u8::MAX),
            false,
            0,
        )?;
        Ok(())
    }

    /// Returns the current layout.
    pub(super) fn layout(self) -> X11Result<Layout> {
        let parts = MapPart::KEY_TYPES | MapPart::KEY_SYMS | MapPart::MODIFIER_MAP;
        let none = MapPart::from(0_u16);
        let no_modifiers = VMod::from(0_u16);
        let connection = &self.server.connection;
        let map_request = connection.xkb_get_map(
            CORE_KEYBOARD,
            parts,
            none,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            no_modifiers,
            0,
            0,
            0,
            0,
            0,
            0,
        )?;
        let state = self.state()?;
        let map = map_request.reply()?;
        let (first, map) = (map.first_key_sym, map.map);
        let bits = |mask: ModMask| (u16::from(mask) & 0xff) as u8;
        let key_types = map.types_rtrn.unwrap_or_default().into_iter().map(|key_type| KeyType {
            mask: bits(key_type.mods_mask),
            levels: (key_type.map.iter().filter(|entry| entry.active))
                .map(|entry| (bits(entry.mods_mask), entry.level))
                .collect(),
        });
        let mappings = map.syms_rtrn.unwrap_or_default().into_iter().map(|mapping| KeyMapping {
            key_types: mapping.kt_index,
            groups: mapping.group_info,
            width: mapping.width,
            keysyms: mapping.syms,
        });
        let modifiers = map.modmap_rtrn.unwrap_or_default();
        Ok(Layout {
            first,
            mappings: mappings.collect(),
            key_types: key_types.collect(),
            modifiers: modifiers.into_iter().map(|one| (one.keycode, bits(one.mods))).collect(),
            group: u8::from(state.group),
        })
    }

    /// Sets the mappings of the keys from `first` on, in a single request: apps reload the whole
    /// layout at every change, which takes some of them 10 ms.
    pub(super) fn set_mappings(self, first: u8, mappings: &[KeyMapping]) -> X11Result<()> {
        let XServer { connection, .. } = self.server;
        let (min_keycode, max_keycode) =
            (connection.setup().min_keycode, connection.setup().max_keycode);
        let keysyms: usize = mappings.iter().map(|mapping| mapping.keysyms.len()).sum();
        let syms = mappings.iter().map(|mapping| KeySymMap {
            kt_index: mapping.key_types,
            group_info: mapping.groups,
            width: mapping.width,
            syms: mapping.keysyms.clone(),
        });
        let values = SetMapAux::new().syms(syms.collect::<Vec<_>>());
        let count = u8::try_from(mappings.len())?;
        let (none, no_modifiers) = (SetMapFlags::from(0_u16), VMod::from(0_u16));
        let total = u16::try_from(keysyms)?;
        connection
            .xkb_set_map(
                CORE_KEYBOARD,
                none,
                min_keycode,
                max_keycode,
                0,
                0,
                first,
                count,
                total,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                no_modifiers,
                &values,
            )?
            .check()?;
        Ok(())
    }
}
