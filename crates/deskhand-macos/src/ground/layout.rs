//! Keyboard layouts: what the person types with, and what its keys make.

use std::{
    ptr::NonNull,
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    time::Duration,
};

use deskhand_platform::Deadline;
use dispatch2::DispatchQueue;
use objc2::MainThreadMarker;
use objc2_core_foundation::{
    CFArray, CFData, CFDictionary, CFPreferencesAppSynchronize, CFPreferencesCopyAppValue,
    CFRetained, CFString, CFType,
};

use super::event::entry;
use crate::input::layout::{Level, Made, Source};

/// How long the main thread may take to read the layout.
const PATIENCE: Duration = Duration::from_millis(200);

/// The numbers keys can have.
const CODES: u16 = 128;

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
        room: usize,
        length: *mut usize,
        units: *mut u16,
    ) -> i32;
}

/// What the person chose to type with, as it is kept in the settings: that can be read on any thread.
pub(super) fn source() -> Source {
    let home = CFString::from_str("com.apple.HIToolbox");
    // What another program changed is read anew; without an answer what was known stays.
    CFPreferencesAppSynchronize(&home);
    let setting = |name: &str| CFPreferencesCopyAppValue(&CFString::from_str(name), &home);
    let layout = setting("AppleCurrentKeyboardLayoutInputSourceID");
    let layout = layout.and_then(|id| id.downcast_ref::<CFString>().map(ToString::to_string));
    let chosen = setting("AppleSelectedInputSources");
    let kinds = chosen.as_ref().and_then(|all| all.downcast_ref::<CFArray>()).map(kinds);
    Source { layout, kinds: kinds.unwrap_or_default() }
}

fn kinds(chosen: &CFArray) -> Vec<String> {
    let kind = |at| {
        // SAFETY: the index is below the count of this array, which nobody else has and so never changes.
        let item = unsafe { chosen.value_at_index(at) };
        let item = NonNull::new(item.cast_mut().cast::<CFType>())?;
        // SAFETY: items of a property list are CF objects; by the get rule the array owns this one and
        // outlives the reference.
        let item = unsafe { item.as_ref() };
        let kind = entry(item.downcast_ref::<CFDictionary>()?, "InputSourceKind")?;
        kind.downcast_ref::<CFString>().map(ToString::to_string)
    };
    (0..chosen.count()).filter_map(kind).collect()
}

/// What every key makes; `None` when the main thread, which alone may ask, is not there for it.
pub(super) fn read(by: Deadline) -> Option<Vec<Made>> {
    // One question that waits for ever is enough.
    static ASKED: AtomicBool = AtomicBool::new(false);
    if let Some(main) = MainThreadMarker::new() {
        return translate(main);
    }
    if ASKED.swap(true, Ordering::AcqRel) {
        return None;
    }
    let (tell, told) = mpsc::channel();
    DispatchQueue::main().exec_async(move || {
        let made = MainThreadMarker::new().and_then(translate);
        ASKED.store(false, Ordering::Release);
        // Whoever asked may have gone on without it.
        let _ = tell.send(made);
    });
    told.recv_timeout(by.left().min(PATIENCE)).ok().flatten()
}

/// The system ends programs that ask for the layout on any other thread.
fn translate(_: MainThreadMarker) -> Option<Vec<Made>> {
    // SAFETY: it takes nothing, runs on the main thread, and by the copy rule what it returns is ours.
    let source = unsafe { TISCopyCurrentKeyboardLayoutInputSource() }?;
    // SAFETY: the one reference that came with the copy rule is handed over.
    let source = unsafe { CFRetained::from_raw(source) };
    // SAFETY: both are live objects of the kinds it takes, on the main thread.
    let data = unsafe { TISGetInputSourceProperty(&source, kTISPropertyUnicodeKeyLayoutData) }?;
    // SAFETY: by the get rule the source owns the data and lives until the end of this function.
    let table = unsafe { data.as_ref() }.downcast_ref::<CFData>()?;
    if table.is_empty() {
        return None;
    }
    let mut made = Vec::new();
    for level in Level::ALL {
        made.extend((0..CODES).filter_map(|code| key(table, code, level)));
    }
    Some(made)
}

fn key(table: &CFData, code: u16, level: Level) -> Option<Made> {
    const DOWN: u16 = 0;
    let mut units = [0_u16; 8];
    let (mut dead, mut length) = (0_u32, 0_usize);
    // SAFETY: the table is a whole layout where the system itself keeps it, so that it lies as its numbers
    // need it, and lives as long as the borrow; the other pointers are those of live variables, and no more
    // units are written than there is room for.
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
    // A dead key makes nothing until the next one.
    let text = units.get(..length).filter(|_| status == 0 && dead == 0)?;
    let text = String::from_utf16(text).ok().filter(|text| !text.is_empty())?;
    Some(Made { code, level, text })
}
