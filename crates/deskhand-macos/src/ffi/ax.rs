//! Accessibility elements of other apps (`AXUIElement`).

use std::{
    ffi::{c_float, c_void},
    fmt,
    hash::{Hash, Hasher},
    mem,
    ptr::{self, NonNull},
    sync::OnceLock,
};

use deskhand_platform::Deadline;
use objc2_application_services::{AXCopyMultipleAttributeOptions, AXError, AXUIElement};
use objc2_core_foundation::{CFArray, CFHash, CFRetained, CFString, CFType, Type};

use super::value;
use crate::tree::{AxError, AxResult, Value};

/// A handle to an element. Handles to the same element are equal.
#[derive(Clone)]
pub(crate) struct AxElement(CFRetained<AXUIElement>);

// SAFETY: an AXUIElement is an immutable token of a process and a number. Retain and release count atomically, and
// its functions send one Mach message each and may be called from any thread. Only its messaging timeout can
// change, and a race can only replace it with the timeout of another call.
unsafe impl Send for AxElement {}
// SAFETY: as for `Send`; sharing it only means that messages are sent at the same time.
unsafe impl Sync for AxElement {}

impl PartialEq for AxElement {
    fn eq(&self, other: &Self) -> bool {
        *self.0 == *other.0
    }
}

impl Eq for AxElement {}

impl Hash for AxElement {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl fmt::Debug for AxElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<&AXUIElement> for AxElement {
    fn from(element: &AXUIElement) -> Self {
        Self(element.retain())
    }
}

/// Returns the window server's number of a window element. The function is in no header and unchanged since
/// macOS 10.4; there is no documented alternative.
type GetWindowFn = unsafe extern "C-unwind" fn(&AXUIElement, NonNull<u32>) -> AXError;

/// Looks the function up at run time: a program that is linked to a missing symbol does not start.
fn get_window_fn() -> Option<GetWindowFn> {
    static FOUND: OnceLock<Option<GetWindowFn>> = OnceLock::new();
    *FOUND.get_or_init(|| {
        // SAFETY: searches the loaded libraries for a name, which ends with a zero byte.
        let symbol = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"_AXUIElementGetWindow".as_ptr()) };
        // SAFETY: ApplicationServices, which stays loaded, has a function of this name that takes an element and
        // space for one 32-bit window number, and returns an error code.
        NonNull::new(symbol)
            .map(|symbol| unsafe { mem::transmute::<NonNull<c_void>, GetWindowFn>(symbol) })
    })
}

impl AxElement {
    /// The root element of a process.
    pub(crate) fn app(pid: u32) -> Option<Self> {
        // The binding panics if it gets no object, and Apple guarantees one only for valid pids.
        let pid = i32::try_from(pid).ok().filter(|pid| *pid > 0)?;
        // SAFETY: creates a token for any number without contacting the process; create rule, released by
        // `CFRetained`.
        Some(Self(unsafe { AXUIElement::new_application(pid) }))
    }

    /// The system-wide element, which knows the keyboard focus and the element at a point.
    pub(crate) fn system_wide() -> Self {
        // SAFETY: creates a token; create rule, released by `CFRetained`.
        Self(unsafe { AXUIElement::new_system_wide() })
    }

    /// The underlying token.
    pub(super) fn raw(&self) -> &AXUIElement {
        &self.0
    }

    /// A hash that is the same for equal elements. Core Foundation creates a new token for each message, and equal
    /// tokens must have equal hashes, so the hash does not depend on this process. It was not tested that two
    /// processes get the same hash; if they do not, an element has a different id in each, but ids never collide.
    pub(crate) fn element_hash(&self) -> u64 {
        CFHash(Some(&self.0)) as u64
    }

    /// Sets the timeout of the next messages and returns the token.
    pub(super) fn with_timeout(&self, deadline: Deadline) -> &AXUIElement {
        // 0 would mean the default of a few seconds.
        let seconds = deadline.remaining().as_secs_f32().max(0.001);
        // SAFETY: sets a number in a live token and sends no message. For the system-wide token it sets the default of
        // all tokens, but every token here has its own timeout. It fails only for an invalid token, and then the next
        // message reports the error.
        let _ = unsafe { self.0.set_messaging_timeout(seconds as c_float) };
        &self.0
    }

    /// The value of an attribute.
    pub(crate) fn attribute(&self, name: &str, deadline: Deadline) -> AxResult<Value<Self>> {
        let name = CFString::from_str(name);
        // SAFETY: the out pointer is valid for one pointer; the object in it follows the copy rule.
        read(copied(|out| unsafe { self.with_timeout(deadline).copy_attribute_value(&name, out) })?)
    }

    /// The values of several attributes in one message, in the order of their names. A missing value is a
    /// `Value::Error`.
    pub(crate) fn attributes(
        &self,
        names: &[&str],
        deadline: Deadline,
    ) -> AxResult<Vec<Value<Self>>> {
        let names: Vec<CFRetained<CFString>> =
            names.iter().map(|name| CFString::from_str(name)).collect();
        let names: CFRetained<CFArray<CFString>> = CFArray::from_retained_objects(&names);
        let names = names.as_opaque();
        let no_options = AXCopyMultipleAttributeOptions(0);
        // SAFETY: the array contains only strings. The out pointer is valid for one pointer; the object in it follows the
        // copy rule.
        list(copied(|out| unsafe {
            self.with_timeout(deadline).copy_multiple_attribute_values(names, no_options, out)
        })?)
    }

    /// The number of values in a list attribute.
    pub(crate) fn value_count(&self, name: &str, deadline: Deadline) -> AxResult<usize> {
        let name = CFString::from_str(name);
        let mut count = 0;
        // SAFETY: `count` is valid for the number that is written.
        let code = unsafe {
            self.with_timeout(deadline).attribute_value_count(&name, NonNull::from(&mut count))
        };
        checked(code)?;
        usize::try_from(count).map_err(|_| AxError::Failure)
    }

    /// Some values of a list attribute.
    pub(crate) fn values(
        &self,
        name: &str,
        first: usize,
        limit: usize,
        deadline: Deadline,
    ) -> AxResult<Vec<Value<Self>>> {
        let name = CFString::from_str(name);
        let first = isize::try_from(first).map_err(|_| AxError::IllegalArgument)?;
        let limit = isize::try_from(limit).map_err(|_| AxError::IllegalArgument)?;
        // SAFETY: the out pointer is valid for one pointer; the object in it follows the copy rule.
        list(copied(|out| unsafe {
            self.with_timeout(deadline).copy_attribute_values(&name, first, limit, out)
        })?)
    }

    /// The value of an attribute that takes a parameter.
    pub(crate) fn parameterized_attribute(
        &self,
        name: &str,
        parameter: &Value<Self>,
        deadline: Deadline,
    ) -> AxResult<Value<Self>> {
        let name = CFString::from_str(name);
        let parameter = value::write(parameter).ok_or(AxError::IllegalArgument)?;
        // SAFETY: the parameter is a live object of a type that can be sent. The out pointer is valid for one pointer; the
        // object in it follows the copy rule.
        read(copied(|out| unsafe {
            self.with_timeout(deadline).copy_parameterized_attribute_value(&name, &parameter, out)
        })?)
    }

    /// The names of its attributes.
    pub(crate) fn attribute_names(&self, deadline: Deadline) -> AxResult<Vec<String>> {
        // SAFETY: the out pointer is valid for one pointer; the object in it follows the copy rule.
        let names = copied(|out| unsafe { self.with_timeout(deadline).copy_attribute_names(out) })?;
        Ok(names.map(|names| value::texts(&names)).unwrap_or_default())
    }

    /// The names of its attributes that take a parameter.
    pub(crate) fn parameterized_attribute_names(
        &self,
        deadline: Deadline,
    ) -> AxResult<Vec<String>> {
        // SAFETY: the out pointer is valid for one pointer; the object in it follows the copy rule.
        let names = copied(|out| unsafe {
            self.with_timeout(deadline).copy_parameterized_attribute_names(out)
        })?;
        Ok(names.map(|names| value::texts(&names)).unwrap_or_default())
    }

    /// The names of its actions.
    pub(crate) fn action_names(&self, deadline: Deadline) -> AxResult<Vec<String>> {
        // SAFETY: the out pointer is valid for one pointer; the object in it follows the copy rule.
        let names = copied(|out| unsafe { self.with_timeout(deadline).copy_action_names(out) })?;
        Ok(names.map(|names| value::texts(&names)).unwrap_or_default())
    }

    /// Performs one of its actions.
    pub(crate) fn perform_action(&self, action: &str, deadline: Deadline) -> AxResult<()> {
        let action = CFString::from_str(action);
        // SAFETY: sends one message to a live token.
        checked(unsafe { self.with_timeout(deadline).perform_action(&action) })
    }

    /// Sets an attribute.
    pub(crate) fn set_attribute(
        &self,
        name: &str,
        to: &Value<Self>,
        deadline: Deadline,
    ) -> AxResult<()> {
        let name = CFString::from_str(name);
        let to = value::write(to).ok_or(AxError::IllegalArgument)?;
        // SAFETY: the value is a live object of a type that can be sent.
        checked(unsafe { self.with_timeout(deadline).set_attribute_value(&name, &to) })
    }

    /// Returns `true` if an attribute can be set.
    pub(crate) fn is_settable(&self, name: &str, deadline: Deadline) -> AxResult<bool> {
        let name = CFString::from_str(name);
        let mut settable = 0;
        // SAFETY: `settable` is valid for the byte that is written.
        let code = unsafe {
            self.with_timeout(deadline).is_attribute_settable(&name, NonNull::from(&mut settable))
        };
        checked(code)?;
        Ok(settable != 0)
    }

    /// The process it belongs to. Sends no message.
    pub(crate) fn pid(&self) -> AxResult<u32> {
        let mut pid = 0;
        // SAFETY: `pid` is valid for the number that is written.
        checked(unsafe { self.0.pid(NonNull::from(&mut pid)) })?;
        u32::try_from(pid).map_err(|_| AxError::Failure)
    }

    /// The element at a point of the screen.
    #[allow(clippy::cast_possible_truncation)] // The API takes single precision.
    pub(crate) fn element_at(&self, x: f64, y: f64, deadline: Deadline) -> AxResult<Self> {
        let (x, y) = (x as c_float, y as c_float);
        // SAFETY: the out pointer is valid for one pointer; the object in it follows the copy rule.
        let found = copied(|out| unsafe {
            self.with_timeout(deadline).copy_element_at_position(x, y, out)
        })?;
        found.map(Self).ok_or(AxError::NoValue)
    }

    /// The window server's number of this window.
    pub(crate) fn window_number(&self, deadline: Deadline) -> AxResult<u32> {
        let get_window = get_window_fn().ok_or(AxError::NotImplemented)?;
        let mut number = 0;
        // SAFETY: the element is live and `number` is valid for the number that is written; the function keeps neither.
        checked(unsafe { get_window(self.with_timeout(deadline), NonNull::from(&mut number)) })?;
        Ok(number)
    }
}

pub(super) fn checked(code: AXError) -> AxResult<()> {
    AxError::from_code(code.0).map_or(Ok(()), Err)
}

/// Calls a function named Copy and returns the object that it wrote. `call` gets the out pointer. On failure nothing
/// is read from it.
fn copied<T: Type>(
    call: impl FnOnce(NonNull<*const T>) -> AXError,
) -> AxResult<Option<CFRetained<T>>> {
    let mut raw: *const T = ptr::null();
    checked(call(NonNull::from(&mut raw)))?;
    // SAFETY: only unsafe code can write to the out pointer, and all callers above call functions named Copy. On
    // success those write a live object with one retain that belongs to the caller, which `CFRetained` releases.
    Ok(NonNull::new(raw.cast_mut()).map(|raw| unsafe { CFRetained::from_raw(raw) }))
}

fn read(object: Option<CFRetained<CFType>>) -> AxResult<Value<AxElement>> {
    object.map(|object| value::read(&object)).ok_or(AxError::NoValue)
}

fn list(all: Option<CFRetained<CFArray>>) -> AxResult<Vec<Value<AxElement>>> {
    let all = all.ok_or(AxError::NoValue)?;
    Ok(value::items(&all).iter().map(|item| value::read(item)).collect())
}
