//! Borrows spare keys for characters that the layout lacks, and restores them when dropped.

use super::{
    keyboard::Keyboard,
    layout::{KeyMapping, Layout},
};
use crate::x11::X11Result;
/// Spare keys that temporarily produce other keysyms.
pub(super) struct BorrowedKeys<'a> {
    keyboard: Keyboard<'a>,
    first: u8,
    original: Vec<KeyMapping>,
    is_active: bool,
}

impl<'a> BorrowedKeys<'a> {
    /// Creates the set of the layout's spare keys. None is borrowed yet.
    pub(super) fn new(keyboard: Keyboard<'a>, layout: &Layout) -> Self {
        let spare_keys = layout.spare_keys();
        let ends = spare_keys.first().copied().zip(spare_keys.last().copied());
        let original = ends.map_or(&[][..], |(from, to)| layout.mappings_between(from, to));
        let mut original = original.to_vec();
        let first = ends.map_or(0, |(from, _)| from);
        for code in spare_keys {
            // A mapping that a killed program left behind is not restored.
            if let Some(mapping) = original.get_mut(usize::from(code - first)) {
                *mapping = KeyMapping::empty();
            }
        }
        Self { keyboard, first, original, is_active: false }
    }

    /// Maps these key codes to these keysyms, and restores all other spare keys.
    pub(super) fn borrow(&mut self, keys: &[(u8, u32)]) -> X11Result<()> {
        let mut mappings = self.original.clone();
        for (code, keysym) in keys {
            if let Some(mapping) = mappings.get_mut(usize::from(code.saturating_sub(self.first))) {
                *mapping = KeyMapping::single(*keysym);
            }
        }
        self.is_active = true;
        self.keyboard.set_mappings(self.first, &mappings)
    }
}

impl Drop for BorrowedKeys<'_> {
    fn drop(&mut self) {
        if self.is_active {
            // On a lost connection there is nothing to restore.
            let _ = self.keyboard.set_mappings(self.first, &self.original);
        }
    }
}
