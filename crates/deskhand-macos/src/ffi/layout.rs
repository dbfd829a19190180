//! Reads the user's input source and keyboard layout.

use std::{
    ptr::NonNull,
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
};

use deskhand_platform::Deadline;
use dispatch2::DispatchQueue;
use objc2::MainThreadMarker;
use objc2_core_foundation::{
    CFArray, CFData, CFDictionary, CFPreferencesAppSynchronize, CFPreferencesCopyAppValue,
    CFRetained, CFString, CFType,
};

use super::{event::entry, timing::LAYOUT_TIMEOUT};
use crate::input::layout::{InputSource, KeyLevel, KeyOutput};

/// The number of virtual key codes.
const KEY_CODES: u16 = 128;

#[link(name = "Carbon", kind = "framework")]
unsafe extern "C-unwind" {
    static kTISPropertyUnicodeKeyLayoutData: &'static CFString;
    fn TISCopyCurrentKeyboardLayoutInputSource() -> Option<NonNull<CFType>>;
    fn TISGetInputSourceProperty(source: &CFType, key: &CFString) -> Option<NonNull<CFType>>;
    safe fn LMGetKbdType() -> u8;
}

#[link(name = "CoreServices", kind = "framework")]
unsafe extern "C-unwind" {
    fn UCKeyTranslate(
        layout: *const u8,
        code: u16,
        action: u16,
        modifiers: u32,
        keyboard: u32,
        options: u32,
        dead: *mut u32,
        capacity: usize,
        length: *mut usize,
        units: *mut u16,
    ) -> i32;
}

/// The user's input source from the preferences, which any thread can read.
pub(super) fn input_source() -> InputSource {
    let domain = CFString::from_str("com.apple.HIToolbox");
    // Reads changes by other programs. If it fails, the last known values stay.
    CFPreferencesAppSynchronize(&domain);
    let setting = |name: &str| CFPreferencesCopyAppValue(&CFString::from_str(name), &domain);
    let layout = setting("AppleCurrentKeyboardLayoutInputSourceID");
    let layout = layout.and_then(|id| id.downcast_ref::<CFString>().map(ToString::to_string));
    let selected = setting("AppleSelectedInputSources");
    let kinds = selected.as_ref().and_then(|all| all.downcast_ref::<CFArray>()).map(source_kinds);
    InputSource { layout, kinds: kinds.unwrap_or_default() }
}

fn source_kinds(selected: &CFArray) -> Vec<String> {
    let kind = |at| {
        // SAFETY: the index is below the count of this array, which no other code has, so it does not change.
        let item = unsafe { selected.value_at_index(at) };
        let item = NonNull::new(item.cast_mut().cast::<CFType>())?;
        // SAFETY: items of a property list are CF objects. The array owns this one (get rule) and outlives the
        // reference.
        let item = unsafe { item.as_ref() };
        let kind = entry(item.downcast_ref::<CFDictionary>()?, "InputSourceKind")?;
        kind.downcast_ref::<CFString>().map(ToString::to_string)
    };
    (0..selected.count()).filter_map(kind).collect()
}

/// The outputs of all keys, or `None` if the main thread, which alone may read them, does not do it in time.
pub(super) fn read_key_outputs(deadline: Deadline) -> Option<Vec<KeyOutput>> {
    // If the main thread never runs the block, one pending block is enough.
    static PENDING: AtomicBool = AtomicBool::new(false);
    if let Some(main) = MainThreadMarker::new() {
        return translate_all(main);
    }
    if PENDING.swap(true, Ordering::AcqRel) {
        return None;
    }
    let (sender, receiver) = mpsc::channel();
    DispatchQueue::main().exec_async(move || {
        let outputs = MainThreadMarker::new().and_then(translate_all);
        PENDING.store(false, Ordering::Release);
        // After the deadline there is no receiver.
        let _ = sender.send(outputs);
    });
    receiver.recv_timeout(deadline.remaining().min(LAYOUT_TIMEOUT)).ok().flatten()
}

/// Translates all keys. macOS aborts programs that read the layout on another thread.
fn translate_all(_: MainThreadMarker) -> Option<Vec<KeyOutput>> {
    // SAFETY: takes no arguments and runs on the main thread; the result follows the copy rule.
    let source = unsafe { TISCopyCurrentKeyboardLayoutInputSource() }?;
    // SAFETY: takes over the reference of the copy rule.
    let source = unsafe { CFRetained::from_raw(source) };
    // SAFETY: both are live objects of the expected types, on the main thread.
    let data = unsafe { TISGetInputSourceProperty(&source, kTISPropertyUnicodeKeyLayoutData) }?;
    // SAFETY: the source owns the data (get rule) and lives until the end of this function.
    let table = unsafe { data.as_ref() }.downcast_ref::<CFData>()?;
    if table.is_empty() {
        return None;
    }
    let mut outputs = Vec::new();
    for level in KeyLevel::ALL {
        outputs.extend((0..KEY_CODES).filter_map(|code| translate(table, code, level)));
    }
    Some(outputs)
}

fn translate(table: &CFData, code: u16, level: KeyLevel) -> Option<KeyOutput> {
    const DOWN: u16 = 0;
    let mut units = [0_u16; 8];
    let (mut dead, mut length) = (0_u32, 0_usize);
    // SAFETY: the table is a complete layout in memory of the system, so it is aligned, and it lives as long as the
    // borrow. The other pointers are those of live variables, and no more units are written than there is space for.
    let status = unsafe {
        UCKeyTranslate(
            table.byte_ptr(),
            code,
            DOWN,
            level.bits(),
            u32::from(LMGetKbdType()),
            0,
            &mut dead,
            units.len(),
            &mut length,
            units.as_mut_ptr(),
        )
    };
    // A dead key types nothing until the next key.
    let text = units.get(..length).filter(|_| status == 0 && dead == 0)?;
    let text = String::from_utf16(text).ok().filter(|text| !text.is_empty())?;
    Some(KeyOutput { code, level, text })
}
