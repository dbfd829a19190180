//! Posts input events, and reads the state of the pointer and the login session. The calling threads live long, so
//! each call has its own autorelease pool.

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
    InputApi,
    event::{self, EventTarget, InputEvent, Point},
    layout::{InputSource, KeyOutput},
    session::LoginSession,
};

#[link(name = "Carbon", kind = "framework")]
unsafe extern "C-unwind" {
    safe fn IsSecureEventInputEnabled() -> u8;
}

/// The window server as a receiver of input.
pub(crate) struct EventServer;

impl InputApi for EventServer {
    fn session(&self) -> Option<LoginSession> {
        autoreleasepool(|_| {
            let dictionary = CGSessionCopyCurrentDictionary()?;
            let flag = |name: &str| {
                let value = entry(&dictionary, name);
                value.and_then(|value| value.downcast_ref::<CFBoolean>().map(CFBoolean::as_bool))
            };
            let secure = entry(&dictionary, "kCGSSessionSecureInputPID");
            let secure = secure.and_then(|pid| pid.downcast_ref::<CFNumber>()?.as_i64());
            Some(LoginSession {
                // The key exists only while the screen is locked.
                locked: flag("CGSSessionScreenIsLocked").unwrap_or(false),
                active: flag("kCGSSessionOnConsoleKey").unwrap_or(true),
                secure_input_pid: secure.and_then(|pid| u32::try_from(pid).ok()),
            })
        })
    }

    fn can_post(&self) -> bool {
        CGPreflightPostEventAccess()
    }

    fn program_to_allow(&self) -> String {
        permission::this_program()
    }

    fn is_secure_input(&self) -> bool {
        IsSecureEventInputEnabled() != 0
    }

    fn pointer(&self) -> Option<Point> {
        let now = CGEvent::new(None)?;
        let CGPoint { x, y } = CGEvent::location(Some(&now));
        Some((x.floor() as i32, y.floor() as i32))
    }

    fn is_down(&self, button: Button) -> bool {
        let state = CGEventSourceStateID::CombinedSessionState;
        CGEventSource::button_state(state, CGMouseButton(event::button_number(button)))
    }

    fn double_click_interval(&self) -> Duration {
        let seconds = autoreleasepool(|_| NSEvent::doubleClickInterval());
        Duration::try_from_secs_f64(seconds).unwrap_or_default()
    }

    fn input_source(&self) -> InputSource {
        autoreleasepool(|_| layout::input_source())
    }

    fn key_outputs(&self, deadline: Deadline) -> Option<Vec<KeyOutput>> {
        layout::read_key_outputs(deadline)
    }

    fn post(&self, event: &InputEvent, target: EventTarget) -> bool {
        autoreleasepool(|_| {
            let created = event_source().and_then(|source| create_event(event, &source));
            let Some(created) = created else { return false };
            match target {
                EventTarget::WindowServer => {
                    CGEvent::post(CGEventTapLocation::HIDEventTap, Some(&created));
                }
                EventTarget::Process(pid) => match libc::pid_t::try_from(pid) {
                    Ok(pid) => CGEvent::post_to_pid(pid, Some(&created)),
                    Err(_) => return false,
                },
            }
            true
        })
    }
}

/// The source of all posted events.
fn event_source() -> Option<CFRetained<CGEventSource>> {
    let source = CGEventSource::new(CGEventSourceStateID::HIDSystemState)?;
    // By default, macOS ignores the user's own devices for a quarter of a second after each event.
    CGEventSource::set_local_events_suppression_interval(Some(&source), 0.0);
    Some(source)
}

/// Returns `true` if a key is pressed, by its virtual key code.
pub(super) fn is_key_down(code: u16) -> bool {
    CGEventSource::key_state(CGEventSourceStateID::CombinedSessionState, code)
}

fn create_event(event: &InputEvent, source: &CGEventSource) -> Option<CFRetained<CGEvent>> {
    let source = Some(source);
    let key =
        |code: u16, press: Press| CGEvent::new_keyboard_event(source, code, press == Press::Down);
    let (created, flags) = match event {
        InputEvent::Key { code, press, flags } => (key(*code, *press)?, flags),
        InputEvent::Text { units, press, flags } => {
            let created = key(0, *press)?;
            // SAFETY: the pointer is that of a live vector with this number of units, which are copied before the call
            // returns.
            unsafe {
                CGEvent::keyboard_set_unicode_string(
                    Some(&created),
                    units.len() as _,
                    units.as_ptr(),
                );
            }
            (created, flags)
        }
        InputEvent::Moved { at, delta, flags } => {
            let created = mouse_event(source, CGEventType::MouseMoved, *at, Button::Left)?;
            set_delta(&created, *delta);
            (created, flags)
        }
        InputEvent::Dragged { button, at, delta, clicks, flags } => {
            let created = mouse_event(source, drag_type(*button), *at, *button)?;
            set_delta(&created, *delta);
            set(&created, CGEventField::MouseEventClickState, i64::from(*clicks));
            (created, flags)
        }
        InputEvent::Button { button, press, at, clicks, flags } => {
            let created = mouse_event(source, button_type(*button, *press), *at, *button)?;
            set(&created, CGEventField::MouseEventClickState, i64::from(*clicks));
            (created, flags)
        }
        InputEvent::Wheel { right, down, flags } => {
            // CoreGraphics counts up and left as positive.
            let unit = CGScrollEventUnit::Line;
            let created = CGEvent::new_scroll_wheel_event2(source, unit, 2, -down, -right, 0)?;
            (created, flags)
        }
    };
    CGEvent::set_flags(Some(&created), CGEventFlags(flags.0));
    Some(created)
}

fn mouse_event(
    source: Option<&CGEventSource>,
    kind: CGEventType,
    at: Point,
    button: Button,
) -> Option<CFRetained<CGEvent>> {
    let at = CGPoint::new(f64::from(at.0), f64::from(at.1));
    CGEvent::new_mouse_event(source, kind, at, CGMouseButton(event::button_number(button)))
}

fn set_delta(event: &CGEvent, delta: (i32, i32)) {
    set(event, CGEventField::MouseEventDeltaX, i64::from(delta.0));
    set(event, CGEventField::MouseEventDeltaY, i64::from(delta.1));
}

fn set(event: &CGEvent, field: CGEventField, value: i64) {
    CGEvent::set_integer_value_field(Some(event), field, value);
}

fn drag_type(button: Button) -> CGEventType {
    match button {
        Button::Left => CGEventType::LeftMouseDragged,
        Button::Right => CGEventType::RightMouseDragged,
        Button::Middle | Button::Back | Button::Forward => CGEventType::OtherMouseDragged,
    }
}

fn button_type(button: Button, press: Press) -> CGEventType {
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

/// A value of a dictionary with string keys.
pub(super) fn entry(dictionary: &CFDictionary, name: &str) -> Option<CFRetained<CFType>> {
    let key = CFString::from_str(name);
    // SAFETY: the key is a live CFString, the type of this dictionary's keys.
    let value = unsafe { dictionary.value((&raw const *key).cast::<c_void>()) };
    let value = NonNull::new(value.cast_mut().cast::<CFType>())?;
    // SAFETY: the dictionary owns the value (get rule); it is alive here and retained at once.
    Some(unsafe { CFRetained::retain(value) })
}
