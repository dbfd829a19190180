//! Hot keys of Carbon: the one way to hear keys whoever has the keyboard that needs no permission.
//!
//! They are told to the main thread alone, and only to a program the window server knows as an app.

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
use crate::input::hotkey::{Combination, combination};

#[repr(C)]
struct Kind {
    class: u32,
    kind: u32,
}

#[repr(C)]
struct Id {
    signature: u32,
    number: u32,
}

type Handler = unsafe extern "C-unwind" fn(*mut c_void, *mut c_void, *mut c_void) -> i32;

/// `keyb`, and a hot key that was pressed.
const PRESSED: Kind = Kind { class: 0x6b65_7962, kind: 5 };
const ID: Id = Id { signature: 0x6473_6b68, number: 1 };
const FOR_EVER: f64 = -1.0;
const TIMED_OUT: i32 = -9875;
const TAKEN: i32 = -9878;
/// Without it two programs may have the same keys, and neither is told.
const EXCLUSIVE: u32 = 1;

#[link(name = "Carbon", kind = "framework")]
unsafe extern "C-unwind" {
    safe fn GetEventDispatcherTarget() -> *mut c_void;
    fn InstallEventHandler(
        target: *mut c_void,
        handler: Handler,
        count: usize,
        kinds: *const Kind,
        data: *mut c_void,
        installed: *mut *mut c_void,
    ) -> i32;
    fn RemoveEventHandler(installed: *mut c_void) -> i32;
    fn RegisterEventHotKey(
        code: u32,
        held: u32,
        id: Id,
        target: *mut c_void,
        options: u32,
        registered: *mut *mut c_void,
    ) -> i32;
    fn UnregisterEventHotKey(registered: *mut c_void) -> i32;
    fn ReceiveNextEvent(
        count: usize,
        kinds: *const Kind,
        timeout: f64,
        pull: u8,
        event: *mut *mut c_void,
    ) -> i32;
    fn SendEventToEventTarget(event: *mut c_void, target: *mut c_void) -> i32;
    fn ReleaseEvent(event: *mut c_void);
}

/// Begins to listen for keys that are pressed together; the last one is struck.
///
/// # Errors
///
/// When this is not the main thread, or the keyboard has no such keys.
pub(crate) fn hotkey(keys: &[Key]) -> Result<Box<dyn Hotkey>> {
    let main = main_thread()?;
    let made = layout::read(Deadline::after(std::time::Duration::ZERO));
    let wanted = combination(keys, made.as_deref())?;
    // A program that is no app to the window server is told of no keys.
    let app = NSApplication::sharedApplication(main);
    app.setActivationPolicy(NSApplicationActivationPolicy::Accessory);
    Ok(Box::new(Ear::listen(wanted)?))
}

fn main_thread() -> Result<MainThreadMarker> {
    MainThreadMarker::new().ok_or_else(|| Error::Unsupported {
        what: "listening for keys".to_owned(),
        why: "macOS tells of them on the main thread of a program alone".to_owned(),
    })
}

/// Listens until it is dropped.
struct Ear {
    /// How often the keys were pressed; the handler counts.
    pressed: Arc<AtomicUsize>,
    heard: usize,
    handler: *mut c_void,
    key: *mut c_void,
}

// SAFETY: the two pointers are only handed to functions of Carbon, and that only after a check that this is
// the main thread, which is where they were made.
unsafe impl Send for Ear {}

unsafe extern "C-unwind" fn count(_: *mut c_void, _: *mut c_void, data: *mut c_void) -> i32 {
    // SAFETY: the data is the counter of an `Ear`, which removes this handler before it lets go of it.
    let pressed = unsafe { &*data.cast_const().cast::<AtomicUsize>() };
    pressed.fetch_add(1, Ordering::Relaxed);
    0
}

impl Ear {
    fn listen(wanted: Combination) -> Result<Self> {
        let refused = |status: i32| Error::Unsupported {
            what: "listening for these keys".to_owned(),
            why: match status {
                TAKEN => "this or another program has them already".to_owned(),
                _ => format!("macOS answered {status}"),
            },
        };
        let mut ear = Self {
            pressed: Arc::default(),
            heard: 0,
            handler: ptr::null_mut(),
            key: ptr::null_mut(),
        };
        let target = GetEventDispatcherTarget();
        let data = Arc::as_ptr(&ear.pressed).cast_mut().cast::<c_void>();
        // SAFETY: one kind is named and there is one; the counter lives as long as the handler is
        // installed, as dropping the ear removes it first; the caller is on the main thread.
        let status =
            unsafe { InstallEventHandler(target, count, 1, &PRESSED, data, &mut ear.handler) };
        if status != 0 {
            return Err(refused(status));
        }
        let Combination { code, held } = wanted;
        // SAFETY: the target is the process's own, the result goes to a live variable, and the caller is
        // on the main thread.
        let status =
            unsafe { RegisterEventHotKey(code, held, ID, target, EXCLUSIVE, &mut ear.key) };
        if status == 0 { Ok(ear) } else { Err(refused(status)) }
    }
}

impl Hotkey for Ear {
    fn wait(&mut self) -> Result<()> {
        main_thread()?;
        loop {
            let pressed = self.pressed.load(Ordering::Relaxed);
            if pressed > self.heard {
                self.heard += 1;
                return Ok(());
            }
            let mut event = ptr::null_mut();
            // SAFETY: no kinds are named, which stands for all; the event goes to a live variable.
            let status = autoreleasepool(|_| unsafe {
                ReceiveNextEvent(0, ptr::null(), FOR_EVER, 1, &mut event)
            });
            if status == TIMED_OUT || event.is_null() && status == 0 {
                continue;
            }
            if status != 0 {
                let why = format!("its events ended with {status}");
                return Err(Error::Broken { what: "the window server".to_owned(), why });
            }
            // SAFETY: the event is live and was pulled from the queue, so that it is ours; nobody uses it
            // after its release. Nobody having a use for it is no failure.
            autoreleasepool(|_| unsafe {
                let _ = SendEventToEventTarget(event, GetEventDispatcherTarget());
                ReleaseEvent(event);
            });
        }
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        if MainThreadMarker::new().is_none() {
            // The handler stays installed then, and so must what it counts with.
            std::mem::forget(Arc::clone(&self.pressed));
            return;
        }
        // SAFETY: each was made by its counterpart and is undone once, on the main thread. What was never
        // made is null and left alone.
        unsafe {
            if !self.key.is_null() {
                UnregisterEventHotKey(self.key);
            }
            if !self.handler.is_null() {
                RemoveEventHandler(self.handler);
            }
        }
    }
}
