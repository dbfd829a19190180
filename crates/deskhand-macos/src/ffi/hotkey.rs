//! Carbon hotkeys, the only way to receive global keys that needs no permission.
//!
//! macOS delivers them only on the main thread, and only to a program that is registered as an app.

use std::{
    ffi::c_void,
    ptr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use deskhand_platform::{Deadline, Error, Hotkey, Key, Result};
use objc2::{MainThreadMarker, rc::autoreleasepool};
use objc2_app_kit::{NSApplication, NSApplicationActivationPolicy};

use super::layout;
use crate::input::hotkey::{HotkeyCode, resolve_hotkey};

/// `EventTypeSpec`.
#[repr(C)]
struct EventType {
    class: u32,
    kind: u32,
}

/// `EventHotKeyID`.
#[repr(C)]
struct HotkeyId {
    signature: u32,
    number: u32,
}

type Handler = unsafe extern "C-unwind" fn(*mut c_void, *mut c_void, *mut c_void) -> i32;

/// `kEventClassKeyboard` (`keyb`) and `kEventHotKeyPressed`.
const HOTKEY_PRESSED: EventType = EventType { class: 0x6b65_7962, kind: 5 };
const ID: HotkeyId = HotkeyId { signature: 0x6473_6b68, number: 1 };
const FOREVER: f64 = -1.0;
/// `eventLoopTimedOutErr`.
const TIMED_OUT: i32 = -9875;
/// `eventHotKeyExistsErr`.
const ALREADY_REGISTERED: i32 = -9878;
/// Without this option two programs can register the same keys, and neither receives them.
const EXCLUSIVE: u32 = 1;

#[link(name = "Carbon", kind = "framework")]
unsafe extern "C-unwind" {
    safe fn GetEventDispatcherTarget() -> *mut c_void;
    fn InstallEventHandler(
        target: *mut c_void,
        handler: Handler,
        count: usize,
        types: *const EventType,
        data: *mut c_void,
        installed: *mut *mut c_void,
    ) -> i32;
    fn RemoveEventHandler(installed: *mut c_void) -> i32;
    fn RegisterEventHotKey(
        code: u32,
        modifiers: u32,
        id: HotkeyId,
        target: *mut c_void,
        options: u32,
        registered: *mut *mut c_void,
    ) -> i32;
    fn UnregisterEventHotKey(registered: *mut c_void) -> i32;
    fn ReceiveNextEvent(
        count: usize,
        types: *const EventType,
        timeout: f64,
        pull: u8,
        event: *mut *mut c_void,
    ) -> i32;
    fn SendEventToEventTarget(event: *mut c_void, target: *mut c_void) -> i32;
    fn ReleaseEvent(event: *mut c_void);
}

/// Registers a hotkey: modifiers and a last key that is pressed with them.
///
/// # Errors
///
/// Fails if this is not the main thread, if the keyboard has no such keys, or if another program has registered them.
pub(crate) fn register_hotkey(keys: &[Key]) -> Result<Box<dyn Hotkey>> {
    let main = main_thread()?;
    let outputs = layout::read_key_outputs(Deadline::after(std::time::Duration::ZERO));
    let code = resolve_hotkey(keys, outputs.as_deref())?;
    // A program that is not an app for the window server receives no hotkeys.
    let app = NSApplication::sharedApplication(main);
    app.setActivationPolicy(NSApplicationActivationPolicy::Accessory);
    Ok(Box::new(HotkeyListener::register(code)?))
}

fn main_thread() -> Result<MainThreadMarker> {
    MainThreadMarker::new().ok_or_else(|| Error::Unsupported {
        what: "receiving hotkeys".to_owned(),
        why: "macOS delivers them only on the main thread of a program".to_owned(),
    })
}

/// Receives a hotkey until it is dropped.
struct HotkeyListener {
    /// The number of presses, counted by the handler.
    pressed: Arc<AtomicUsize>,
    /// The number of presses that were reported.
    reported: usize,
    handler: *mut c_void,
    hotkey: *mut c_void,
}

// SAFETY: the two pointers are only passed to Carbon functions, after a check that this is the main thread, on which
// they were created.
unsafe impl Send for HotkeyListener {}

unsafe extern "C-unwind" fn count_press(_: *mut c_void, _: *mut c_void, data: *mut c_void) -> i32 {
    // SAFETY: the data is the counter of a `HotkeyListener`, which removes this handler before it frees the counter.
    let pressed = unsafe { &*data.cast_const().cast::<AtomicUsize>() };
    pressed.fetch_add(1, Ordering::Relaxed);
    0
}

impl HotkeyListener {
    fn register(code: HotkeyCode) -> Result<Self> {
        let refused = |status: i32| Error::Unsupported {
            what: "registering this hotkey".to_owned(),
            why: match status {
                ALREADY_REGISTERED => "this or another program has registered it".to_owned(),
                _ => format!("macOS returned error {status}"),
            },
        };
        let mut listener = Self {
            pressed: Arc::default(),
            reported: 0,
            handler: ptr::null_mut(),
            hotkey: ptr::null_mut(),
        };
        let target = GetEventDispatcherTarget();
        let data = Arc::as_ptr(&listener.pressed).cast_mut().cast::<c_void>();
        // SAFETY: the list has one event type, as stated. The counter lives as long as the handler is installed, since
        // dropping the listener removes the handler first. The caller is on the main thread.
        let status = unsafe {
            InstallEventHandler(
                target,
                count_press,
                1,
                &HOTKEY_PRESSED,
                data,
                &mut listener.handler,
            )
        };
        if status != 0 {
            return Err(refused(status));
        }
        let HotkeyCode { code, modifiers } = code;
        // SAFETY: the target belongs to this process, the result goes to a live variable, and the caller is on the main
        // thread.
        let status = unsafe {
            RegisterEventHotKey(code, modifiers, ID, target, EXCLUSIVE, &mut listener.hotkey)
        };
        if status == 0 { Ok(listener) } else { Err(refused(status)) }
    }
}

impl Hotkey for HotkeyListener {
    fn wait(&mut self) -> Result<()> {
        main_thread()?;
        loop {
            let pressed = self.pressed.load(Ordering::Relaxed);
            if pressed > self.reported {
                self.reported += 1;
                return Ok(());
            }
            let mut event = ptr::null_mut();
            // SAFETY: an empty list stands for all event types; the event goes to a live variable.
            let status = autoreleasepool(|_| unsafe {
                ReceiveNextEvent(0, ptr::null(), FOREVER, 1, &mut event)
            });
            if status == TIMED_OUT || event.is_null() && status == 0 {
                continue;
            }
            if status != 0 {
                let why = format!("its event queue failed with error {status}");
                return Err(Error::Disconnected { what: "the window server".to_owned(), why });
            }
            // SAFETY: the event is live and was removed from the queue, so it belongs to this code and is not used after its
            // release. An event that no handler takes is not an error.
            autoreleasepool(|_| unsafe {
                let _ = SendEventToEventTarget(event, GetEventDispatcherTarget());
                ReleaseEvent(event);
            });
        }
    }
}

impl Drop for HotkeyListener {
    fn drop(&mut self) {
        if MainThreadMarker::new().is_none() {
            // The handler cannot be removed here, so its counter must stay alive.
            std::mem::forget(Arc::clone(&self.pressed));
            return;
        }
        // SAFETY: each object was created by the counterpart of its function and is removed once, on the main thread. Null
        // pointers were never created.
        unsafe {
            if !self.hotkey.is_null() {
                UnregisterEventHotKey(self.hotkey);
            }
            if !self.handler.is_null() {
                RemoveEventHandler(self.handler);
            }
        }
    }
}
