//! Events of CoreGraphics: posted, and what the window server tells about pointer and session. The threads
//! that send input live long, so what the system leaves to be released later has pools here.

use std::{ffi::c_void, ptr::NonNull, time::Duration};

use deskhand_platform::{Button, Deadline, Press};
use objc2::rc::autoreleasepool;
use objc2_app_kit::NSEvent;
use objc2_core_foundation::{
    CFBoolean, CFDictionary, CFNumber, CFRetained, CFString, CFType, CGPoint,
};
use objc2_core_graphics::{
    CGEvent, CGEventField, CGEventFlags, CGEventSource, CGEventSourceStateID, CGEventTapLocation,
    CGEventType, CGMouseButton, CGPreflightPostEventAccess, CGScrollEventUnit,
    CGSessionCopyCurrentDictionary,
};

use super::{layout, permission};
use crate::input::{
    Desk,
    event::{self, Event, Place, To},
    layout::{Made, Source},
    session::Session,
};

#[link(name = "Carbon", kind = "framework")]
unsafe extern "C-unwind" {
    safe fn IsSecureEventInputEnabled() -> u8;
}

/// The window server, as far as input goes.
pub(crate) struct Server;

impl Desk for Server {
    fn session(&self) -> Option<Session> {
        autoreleasepool(|_| {
            let facts = CGSessionCopyCurrentDictionary()?;
            let is = |name: &str| {
                let value = entry(&facts, name);
                value.and_then(|value| value.downcast_ref::<CFBoolean>().map(CFBoolean::as_bool))
            };
            let secure = entry(&facts, "kCGSSessionSecureInputPID");
            let secure = secure.and_then(|pid| pid.downcast_ref::<CFNumber>()?.as_i64());
            Some(Session {
                // The key is there only while it is locked.
                locked: is("CGSSessionScreenIsLocked").unwrap_or(false),
                shown: is("kCGSSessionOnConsoleKey").unwrap_or(true),
                secure: secure.and_then(|pid| u32::try_from(pid).ok()),
            })
        })
    }

    fn allowed(&self) -> bool {
        CGPreflightPostEventAccess()
    }

    fn who(&self) -> String {
        permission::who()
    }

    fn is_secure(&self) -> bool {
        IsSecureEventInputEnabled() != 0
    }

    fn pointer(&self) -> Option<Place> {
        let now = CGEvent::new(None)?;
        let CGPoint { x, y } = CGEvent::location(Some(&now));
        Some((x.floor() as i32, y.floor() as i32))
    }

    fn is_down(&self, button: Button) -> bool {
        let state = CGEventSourceStateID::CombinedSessionState;
        CGEventSource::button_state(state, CGMouseButton(event::number(button)))
    }

    fn double_click(&self) -> Duration {
        let seconds = autoreleasepool(|_| NSEvent::doubleClickInterval());
        Duration::try_from_secs_f64(seconds).unwrap_or_default()
    }

    fn source(&self) -> Source {
        autoreleasepool(|_| layout::source())
    }

    fn layout(&self, by: Deadline) -> Option<Vec<Made>> {
        layout::read(by)
    }

    fn post(&self, event: &Event, to: To) -> bool {
        autoreleasepool(|_| {
            let Some(made) = source().and_then(|source| make(event, &source)) else { return false };
            match to {
                To::Desk => CGEvent::post(CGEventTapLocation::HIDEventTap, Some(&made)),
                To::Process(pid) => match libc::pid_t::try_from(pid) {
                    Ok(pid) => CGEvent::post_to_pid(pid, Some(&made)),
                    Err(_) => return false,
                },
            }
            true
        })
    }
}

/// The device events say they come from.
fn source() -> Option<CFRetained<CGEventSource>> {
    let source = CGEventSource::new(CGEventSourceStateID::HIDSystemState)?;
    // By default the person's own devices are deaf for a quarter of a second after each event.
    CGEventSource::set_local_events_suppression_interval(Some(&source), 0.0);
    Some(source)
}

/// Whether a key is down, by the number of its place.
pub(super) fn is_key_down(code: u16) -> bool {
    CGEventSource::key_state(CGEventSourceStateID::CombinedSessionState, code)
}

fn make(event: &Event, source: &CGEventSource) -> Option<CFRetained<CGEvent>> {
    let source = Some(source);
    let key =
        |code: u16, press: Press| CGEvent::new_keyboard_event(source, code, press == Press::Down);
    let (made, flags) = match event {
        Event::Key { code, press, flags } => (key(*code, *press)?, flags),
        Event::Text { units, press, flags } => {
            let made = key(0, *press)?;
            // SAFETY: the pointer is that of a live vector of as many units as are named; they are copied
            // before the call returns.
            unsafe {
                CGEvent::keyboard_set_unicode_string(Some(&made), units.len() as _, units.as_ptr());
            }
            (made, flags)
        }
        Event::Moved { at, by, flags } => {
            let made = mouse(source, CGEventType::MouseMoved, *at, Button::Left)?;
            moved(&made, *by);
            (made, flags)
        }
        Event::Dragged { button, at, by, clicks, flags } => {
            let made = mouse(source, dragged(*button), *at, *button)?;
            moved(&made, *by);
            set(&made, CGEventField::MouseEventClickState, i64::from(*clicks));
            (made, flags)
        }
        Event::Button { button, press, at, clicks, flags } => {
            let made = mouse(source, pressed(*button, *press), *at, *button)?;
            set(&made, CGEventField::MouseEventClickState, i64::from(*clicks));
            (made, flags)
        }
        Event::Wheel { right, down, flags } => {
            // The system counts up and left.
            let unit = CGScrollEventUnit::Line;
            let made = CGEvent::new_scroll_wheel_event2(source, unit, 2, -down, -right, 0)?;
            (made, flags)
        }
    };
    CGEvent::set_flags(Some(&made), CGEventFlags(flags.0));
    Some(made)
}

fn mouse(
    source: Option<&CGEventSource>,
    kind: CGEventType,
    at: Place,
    button: Button,
) -> Option<CFRetained<CGEvent>> {
    let at = CGPoint::new(f64::from(at.0), f64::from(at.1));
    CGEvent::new_mouse_event(source, kind, at, CGMouseButton(event::number(button)))
}

fn moved(event: &CGEvent, by: (i32, i32)) {
    set(event, CGEventField::MouseEventDeltaX, i64::from(by.0));
    set(event, CGEventField::MouseEventDeltaY, i64::from(by.1));
}

fn set(event: &CGEvent, field: CGEventField, value: i64) {
    CGEvent::set_integer_value_field(Some(event), field, value);
}

fn dragged(button: Button) -> CGEventType {
    match button {
        Button::Left => CGEventType::LeftMouseDragged,
        Button::Right => CGEventType::RightMouseDragged,
        Button::Middle | Button::Back | Button::Forward => CGEventType::OtherMouseDragged,
    }
}

fn pressed(button: Button, press: Press) -> CGEventType {
    match (button, press) {
        (Button::Left, Press::Down) => CGEventType::LeftMouseDown,
        (Button::Left, Press::Up) => CGEventType::LeftMouseUp,
        (Button::Right, Press::Down) => CGEventType::RightMouseDown,
        (Button::Right, Press::Up) => CGEventType::RightMouseUp,
        (Button::Middle | Button::Back | Button::Forward, Press::Down) => {
            CGEventType::OtherMouseDown
        }
        (Button::Middle | Button::Back | Button::Forward, Press::Up) => CGEventType::OtherMouseUp,
    }
}

/// A value of a dictionary whose keys are strings.
pub(super) fn entry(facts: &CFDictionary, name: &str) -> Option<CFRetained<CFType>> {
    let key = CFString::from_str(name);
    // SAFETY: the key is a live CFString, which is what the keys of this dictionary are.
    let value = unsafe { facts.value((&raw const *key).cast::<c_void>()) };
    let value = NonNull::new(value.cast_mut().cast::<CFType>())?;
    // SAFETY: by the get rule the dictionary owns the value; it is alive here, and retained at once.
    Some(unsafe { CFRetained::retain(value) })
}
