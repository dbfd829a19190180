//! The keyboard as the X server has it: read its layout and state, press keys, lend keys.

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
    layout::{Kind, Layout, Row},
    leave::Leave,
};
use crate::x11::{Server, Trouble};

type Asked<T> = std::result::Result<T, Trouble>;

/// The keyboard that belongs to a connection: that of the person at the desk, if it chose no other.
const CORE: u16 = 0x100;

/// A keyboard on an X server.
#[derive(Clone, Copy)]
pub(super) struct Keyboard<'a> {
    server: &'a Server,
    leave: Option<&'a Leave>,
}

impl<'a> Keyboard<'a> {
    /// The keyboard of a connection, as it is.
    pub(super) fn open(server: &'a Server) -> Asked<Self> {
        server.connection.xkb_use_extension(1, 0)?.reply()?;
        Ok(Self { server, leave: None })
    }

    /// The same, asking for leave before each key.
    pub(super) fn asking(self, leave: &'a Leave) -> Self {
        Self { leave: Some(leave), ..self }
    }

    /// The same, with the layout XTEST types in.
    pub(super) fn primed(server: &'a Server) -> Asked<Self> {
        let keyboard = Self::open(server)?;
        // Each X device has a layout of its own, and the desk's keyboard takes over that of the
        // device that spoke last. The release of a key that is up makes ours the last one and is
        // dropped otherwise.
        keyboard.release(server.connection.setup().min_keycode)?;
        Ok(keyboard)
    }

    /// Waits, for as long as what is being done goes on.
    pub(super) fn wait(self, time: Duration) {
        match self.leave {
            Some(leave) => leave.wait(time),
            None => std::thread::sleep(time),
        }
    }

    /// Waits until the server has done everything it was told.
    pub(super) fn sync(self) -> Asked<()> {
        self.server.connection.get_input_focus()?.reply()?;
        Ok(())
    }

    /// Presses a key.
    pub(super) fn press(self, code: u8) -> Asked<()> {
        match self.leave {
            Some(leave) => leave.key(self.server, |_| self.fake(KEY_PRESS_EVENT, code)),
            None => self.fake(KEY_PRESS_EVENT, code),
        }
    }

    /// Releases a key.
    pub(super) fn release(self, code: u8) -> Asked<()> {
        self.fake(KEY_RELEASE_EVENT, code)
    }

    fn fake(self, kind: u8, code: u8) -> Asked<()> {
        let Server { connection, root, .. } = self.server;
        connection.xtest_fake_input(kind, code, 0, *root, 0, 0, 0)?;
        Ok(())
    }

    /// Which modifiers are held, latched and locked, and the group.
    pub(super) fn state(self) -> Asked<GetStateReply> {
        Ok(self.server.connection.xkb_get_state(CORE)?.reply()?)
    }

    /// The keys that are down now.
    pub(super) fn down(self) -> Asked<Vec<u8>> {
        let keys = self.server.connection.query_keymap()?.reply()?.keys;
        let is_down = |code: &u8| keys[usize::from(code / 8)] & (1 << (code % 8)) != 0;
        Ok((0..=u8::MAX).filter(is_down).collect())
    }

    /// Locks and unlocks some modifiers, and lets go of those that are latched.
    pub(super) fn lock(self, which: u8, on: u8) -> Asked<()> {
        let mask = |bits: u8| ModMask::from(u16::from(bits));
        let group = x11rb::protocol::xkb::Group::M1;
        self.server.connection.xkb_latch_lock_state(
            CORE,
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

    /// The layout in use.
    pub(super) fn layout(self) -> Asked<Layout> {
        let parts = MapPart::KEY_TYPES | MapPart::KEY_SYMS | MapPart::MODIFIER_MAP;
        let none = MapPart::from(0_u16);
        let no_modifiers = VMod::from(0_u16);
        let connection = &self.server.connection;
        let asked = connection.xkb_get_map(
            CORE,
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
        let map = asked.reply()?;
        let (first, map) = (map.first_key_sym, map.map);
        let bits = |mask: ModMask| (u16::from(mask) & 0xff) as u8;
        let kinds = map.types_rtrn.unwrap_or_default().into_iter().map(|kind| Kind {
            mask: bits(kind.mods_mask),
            levels: (kind.map.iter().filter(|entry| entry.active))
                .map(|entry| (bits(entry.mods_mask), entry.level))
                .collect(),
        });
        let rows = map.syms_rtrn.unwrap_or_default().into_iter().map(|row| Row {
            kinds: row.kt_index,
            groups: row.group_info,
            width: row.width,
            symbols: row.syms,
        });
        let modifiers = map.modmap_rtrn.unwrap_or_default();
        Ok(Layout {
            first,
            rows: rows.collect(),
            kinds: kinds.collect(),
            modifiers: modifiers.into_iter().map(|one| (one.keycode, bits(one.mods))).collect(),
            group: u8::from(state.group),
        })
    }

    /// Gives the keys from `first` on these rows, in one go: apps read the whole layout again at
    /// every change, which takes some of them 10 ms.
    pub(super) fn set(self, first: u8, rows: &[Row]) -> Asked<()> {
        let Server { connection, .. } = self.server;
        let (least, most) = (connection.setup().min_keycode, connection.setup().max_keycode);
        let symbols: usize = rows.iter().map(|row| row.symbols.len()).sum();
        let syms = rows.iter().map(|row| KeySymMap {
            kt_index: row.kinds,
            group_info: row.groups,
            width: row.width,
            syms: row.symbols.clone(),
        });
        let values = SetMapAux::new().syms(syms.collect::<Vec<_>>());
        let count = u8::try_from(rows.len())?;
        let (none, no_modifiers) = (SetMapFlags::from(0_u16), VMod::from(0_u16));
        let total = u16::try_from(symbols)?;
        connection
            .xkb_set_map(
                CORE,
                none,
                least,
                most,
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
