//! Elements of other programs: the client side of the system's accessibility interface.

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
use crate::tree::{Fault, Value};

/// One element of a program: a name for it, not the element itself. Equal elements have equal names.
#[derive(Clone)]
pub(crate) struct Element(CFRetained<AXUIElement>);

// SAFETY: an AXUIElement is an immutable token (process and number); retain and release count
// atomically, and its functions send one Mach message each and are called from any thread. The one
// thing that can change in it is the messaging timeout, a single number that a race can only give
// the value of another call's deadline.
unsafe impl Send for Element {}
// SAFETY: as for `Send`: shared use means only messages sent at the same time.
unsafe impl Sync for Element {}

impl PartialEq for Element {
    fn eq(&self, other: &Self) -> bool {
        *self.0 == *other.0
    }
}

impl Eq for Element {}

impl Hash for Element {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl fmt::Debug for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<&AXUIElement> for Element {
    fn from(element: &AXUIElement) -> Self {
        Self(element.retain())
    }
}

/// The number the window server has for the window of an element, by a function that is in no header and
/// unchanged since macOS 10.4; there is no documented way from the one to the other.
type WindowOf = unsafe extern "C-unwind" fn(&AXUIElement, NonNull<u32>) -> AXError;

/// It is looked up, not linked: a program that is linked to what is not there does not start.
fn window_of() -> Option<WindowOf> {
    static FOUND: OnceLock<Option<WindowOf>> = OnceLock::new();
    *FOUND.get_or_init(|| {
        // SAFETY: looks a name up among the libraries that are loaded; the name ends with a zero.
        let symbol = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"_AXUIElementGetWindow".as_ptr()) };
        // SAFETY: under this name ApplicationServices, which stays loaded, has a function that takes an
        // element and room for one 32-bit window number and gives an error number.
        NonNull::new(symbol)
            .map(|symbol| unsafe { mem::transmute::<NonNull<c_void>, WindowOf>(symbol) })
    })
}

impl Element {
    /// The root element of a program.
    pub(crate) fn application(pid: u32) -> Option<Self> {
        // The binding panics where it gets no object, and Apple promises one for processes only.
        let pid = i32::try_from(pid).ok().filter(|pid| *pid > 0)?;
        // SAFETY: makes a token for any number, without asking the process; create rule, released
        // by `CFRetained`.
        Some(Self(unsafe { AXUIElement::new_application(pid) }))
    }

    /// The element above all programs, which knows the focus and what lies at a point.
    pub(crate) fn system_wide() -> Self {
        // SAFETY: makes a token; create rule, released by `CFRetained`.
        Self(unsafe { AXUIElement::new_system_wide() })
    }

    /// The token of the system itself.
    pub(super) fn system(&self) -> &AXUIElement {
        &self.0
    }

    /// A number that equal elements share, since tokens of one element are made anew for each message
    /// and must have one hash; Core Foundation mixes nothing of the process into its hashes. Whether
    /// the number is the same in two processes was not measured: where it is not, an element has
    /// another name in each, and none has that of another.
    pub(crate) fn mark(&self) -> u64 {
        CFHash(Some(&self.0)) as u64
    }

    /// Lets the messages of this token wait no longer than until a moment.
    pub(super) fn until(&self, by: Deadline) -> &AXUIElement {
        // 0 would mean the default of some seconds.
        let seconds = by.left().as_secs_f32().max(0.001);
        // SAFETY: sets a number in a live token, and for the system-wide one that of all tokens which have
        // none of their own, as every message here has; none is sent. It fails for a token that is none,
        // and then the next call says so.
        let _told_by_the_next_call = unsafe { self.0.set_messaging_timeout(seconds as c_float) };
        &self.0
    }

    /// The value of an attribute.
    pub(crate) fn get(&self, name: &str, by: Deadline) -> Result<Value<Self>, Fault> {
        let name = CFString::from_str(name);
        // SAFETY: there is room for one pointer; what is written there comes by the copy rule.
        read(copied(|into| unsafe { self.until(by).copy_attribute_value(&name, into) })?)
    }

    /// The values of several attributes in one message, in the order of their names; an attribute
    /// without a value has its fault in its place.
    pub(crate) fn get_all(&self, names: &[&str], by: Deadline) -> Result<Vec<Value<Self>>, Fault> {
        let names: Vec<CFRetained<CFString>> =
            names.iter().map(|name| CFString::from_str(name)).collect();
        let names: CFRetained<CFArray<CFString>> = CFArray::from_retained_objects(&names);
        let names = names.as_opaque();
        let plain = AXCopyMultipleAttributeOptions(0);
        // SAFETY: the list holds strings only; there is room for one pointer, and what is written there
        // comes by the copy rule.
        list(copied(|into| unsafe {
            self.until(by).copy_multiple_attribute_values(names, plain, into)
        })?)
    }

    /// How many values an attribute with a list has.
    pub(crate) fn count(&self, name: &str, by: Deadline) -> Result<usize, Fault> {
        let name = CFString::from_str(name);
        let mut count = 0;
        // SAFETY: `count` is valid for the one number the system writes.
        let code =
            unsafe { self.until(by).attribute_value_count(&name, NonNull::from(&mut count)) };
        checked(code)?;
        usize::try_from(count).map_err(|_| Fault::Failure)
    }

    /// Some of the values of an attribute with a list.
    pub(crate) fn page(
        &self,
        name: &str,
        first: usize,
        most: usize,
        by: Deadline,
    ) -> Result<Vec<Value<Self>>, Fault> {
        let name = CFString::from_str(name);
        let first = isize::try_from(first).map_err(|_| Fault::IllegalArgument)?;
        let most = isize::try_from(most).map_err(|_| Fault::IllegalArgument)?;
        // SAFETY: there is room for one pointer; what is written there comes by the copy rule.
        list(copied(|into| unsafe {
            self.until(by).copy_attribute_values(&name, first, most, into)
        })?)
    }

    /// The value of an attribute that takes a parameter.
    pub(crate) fn ask(
        &self,
        name: &str,
        parameter: &Value<Self>,
        by: Deadline,
    ) -> Result<Value<Self>, Fault> {
        let name = CFString::from_str(name);
        let parameter = value::write(parameter).ok_or(Fault::IllegalArgument)?;
        // SAFETY: the parameter is a live object of a type the interface can send; there is room for one
        // pointer, and what is written there comes by the copy rule.
        read(copied(|into| unsafe {
            self.until(by).copy_parameterized_attribute_value(&name, &parameter, into)
        })?)
    }

    /// The names of its attributes.
    pub(crate) fn names(&self, by: Deadline) -> Result<Vec<String>, Fault> {
        // SAFETY: there is room for one pointer; what is written there comes by the copy rule.
        let names = copied(|into| unsafe { self.until(by).copy_attribute_names(into) })?;
        Ok(names.map(|names| value::texts(&names)).unwrap_or_default())
    }

    /// The names of its attributes that take a parameter.
    pub(crate) fn parameterized(&self, by: Deadline) -> Result<Vec<String>, Fault> {
        // SAFETY: there is room for one pointer; what is written there comes by the copy rule.
        let names =
            copied(|into| unsafe { self.until(by).copy_parameterized_attribute_names(into) })?;
        Ok(names.map(|names| value::texts(&names)).unwrap_or_default())
    }

    /// The names of its actions.
    pub(crate) fn actions(&self, by: Deadline) -> Result<Vec<String>, Fault> {
        // SAFETY: there is room for one pointer; what is written there comes by the copy rule.
        let names = copied(|into| unsafe { self.until(by).copy_action_names(into) })?;
        Ok(names.map(|names| value::texts(&names)).unwrap_or_default())
    }

    /// Does one of its actions.
    pub(crate) fn perform(&self, action: &str, by: Deadline) -> Result<(), Fault> {
        let action = CFString::from_str(action);
        // SAFETY: sends one message about a live token.
        checked(unsafe { self.until(by).perform_action(&action) })
    }

    /// Gives an attribute another value.
    pub(crate) fn set(&self, name: &str, to: &Value<Self>, by: Deadline) -> Result<(), Fault> {
        let name = CFString::from_str(name);
        let to = value::write(to).ok_or(Fault::IllegalArgument)?;
        // SAFETY: the value is a live object of a type the interface can send.
        checked(unsafe { self.until(by).set_attribute_value(&name, &to) })
    }

    /// Whether an attribute may be given another value.
    pub(crate) fn is_settable(&self, name: &str, by: Deadline) -> Result<bool, Fault> {
        let name = CFString::from_str(name);
        let mut settable = 0;
        // SAFETY: `settable` is valid for the one byte the system writes.
        let code =
            unsafe { self.until(by).is_attribute_settable(&name, NonNull::from(&mut settable)) };
        checked(code)?;
        Ok(settable != 0)
    }

    /// The process it belongs to; no message is sent.
    pub(crate) fn pid(&self) -> Result<u32, Fault> {
        let mut pid = 0;
        // SAFETY: `pid` is valid for the one number the system writes.
        checked(unsafe { self.0.pid(NonNull::from(&mut pid)) })?;
        u32::try_from(pid).map_err(|_| Fault::Failure)
    }

    /// The element at a point of the screen, asked of a program or of the system-wide element.
    #[allow(clippy::cast_possible_truncation)] // The interface takes single precision.
    pub(crate) fn at(&self, x: f64, y: f64, by: Deadline) -> Result<Self, Fault> {
        let (x, y) = (x as c_float, y as c_float);
        // SAFETY: there is room for one pointer; what is written there comes by the copy rule.
        let found = copied(|into| unsafe { self.until(by).copy_element_at_position(x, y, into) })?;
        found.map(Self).ok_or(Fault::NoValue)
    }

    /// The number the window server has for the window this element is.
    pub(crate) fn window_number(&self, by: Deadline) -> Result<u32, Fault> {
        let ask = window_of().ok_or(Fault::NotImplemented)?;
        let mut number = 0;
        // SAFETY: the element is live and there is room for the one number; the function keeps neither.
        checked(unsafe { ask(self.until(by), NonNull::from(&mut number)) })?;
        Ok(number)
    }
}

fn checked(code: AXError) -> Result<(), Fault> {
    Fault::of(code.0).map_or(Ok(()), Err)
}

/// What a function named Copy writes, if it writes an object. It is told where, and says how it went; what
/// it writes is left alone unless it went well.
fn copied<T: Type>(
    ask: impl FnOnce(NonNull<*const T>) -> AXError,
) -> Result<Option<CFRetained<T>>, Fault> {
    let mut raw: *const T = ptr::null();
    checked(ask(NonNull::from(&mut raw)))?;
    // SAFETY: only unsafe code can write there, and all of it above calls functions named Copy: what they
    // write on success is a live object with one retain that belongs to the caller, which `CFRetained`
    // gives back.
    Ok(NonNull::new(raw.cast_mut()).map(|raw| unsafe { CFRetained::from_raw(raw) }))
}

fn read(object: Option<CFRetained<CFType>>) -> Result<Value<Element>, Fault> {
    object.map(|object| value::read(&object)).ok_or(Fault::NoValue)
}

fn list(all: Option<CFRetained<CFArray>>) -> Result<Vec<Value<Element>>, Fault> {
    let all = all.ok_or(Fault::NoValue)?;
    Ok(value::items(&all).iter().map(|item| value::read(item)).collect())
}
