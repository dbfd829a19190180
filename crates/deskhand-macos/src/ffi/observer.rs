//! Accessibility notifications: one `AXObserver` for each app, all on one thread.

use std::{
    collections::BTreeMap,
    ffi::c_void,
    ptr::{self, NonNull},
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc::{self, Receiver, RecvTimeoutError, SyncSender},
    },
    time::Duration,
};

use deskhand_platform::Deadline;
use objc2::rc::autoreleasepool;
use objc2_application_services::{AXObserver, AXUIElement};
use objc2_core_foundation::{CFRetained, CFString};
use parking_lot::Mutex;

use super::{
    ax::{AxElement, checked},
    run_loop::RunLoop,
};
use crate::tree::{AxError, AxResult, Notification, Observer};

/// Upper limit of queued notifications. If they are not read fast enough, the newest are dropped.
const MAX_QUEUED: usize = 10_000;

/// The destination of an observer's notifications.
struct Destination {
    pid: u32,
    sender: SyncSender<Notification<AxElement>>,
}

/// The destinations of all observers, by number. macOS passes the number to `on_notification` in place of a pointer. A
/// wrong or late number finds nothing.
static DESTINATIONS: Mutex<BTreeMap<usize, Destination>> = Mutex::new(BTreeMap::new());

/// The number of the newest destination.
static LAST_NUMBER: AtomicUsize = AtomicUsize::new(0);

/// An observed app.
struct ObservedApp {
    pid: u32,
    observer: CFRetained<AXObserver>,
    /// The number that the observer passes to `on_notification`.
    destination: usize,
}

/// The observed apps.
pub(crate) struct AxObservers {
    thread: RunLoop,
    names: Vec<&'static str>,
    apps: Vec<ObservedApp>,
    sender: SyncSender<Notification<AxElement>>,
    receiver: Receiver<Notification<AxElement>>,
}

// SAFETY: an AXObserver is used only through this owner, by one thread at a time, and its reference count is atomic. Its
// callbacks run on `thread` and use nothing of this owner.
unsafe impl Send for AxObservers {}

impl AxObservers {
    /// Observes no app yet.
    pub(super) fn new(names: &[&'static str]) -> AxResult<Self> {
        let thread = RunLoop::start().ok_or(AxError::Failure)?;
        let (sender, receiver) = mpsc::sync_channel(MAX_QUEUED);
        Ok(Self { thread, names: names.to_vec(), apps: Vec::new(), sender, receiver })
    }
}

impl Observer<AxElement> for AxObservers {
    fn add(&mut self, pid: u32, deadline: Deadline) -> AxResult<()> {
        let raw_pid = libc::pid_t::try_from(pid).map_err(|_| AxError::IllegalArgument)?;
        let app = AxElement::app(pid).ok_or(AxError::IllegalArgument)?;
        let mut raw: *mut AXObserver = ptr::null_mut();
        // SAFETY: `raw` is valid for one pointer, which is written on success only; `on_notification` has the
        // signature of the callback.
        let code =
            unsafe { AXObserver::create(raw_pid, Some(on_notification), NonNull::from(&mut raw)) };
        checked(code)?;
        let raw = NonNull::new(raw).ok_or(AxError::Failure)?;
        // SAFETY: a new observer belongs to the caller (create rule); `CFRetained` releases it.
        let observer = unsafe { CFRetained::from_raw(raw) };
        let destination = LAST_NUMBER.fetch_add(1, Ordering::Relaxed) + 1;
        let sender = self.sender.clone();
        DESTINATIONS.lock().insert(destination, Destination { pid, sender });
        let observed = ObservedApp { pid, observer, destination };
        let mut registered = false;
        let mut last_error = AxError::NotificationUnsupported;
        for name in &self.names {
            match autoreleasepool(|_| observed.register(&app, name, deadline)) {
                Ok(()) => registered = true,
                // Apps support different notifications. One is enough.
                Err(error) => last_error = error,
            }
            if last_error == AxError::CannotComplete || last_error == AxError::ApiDisabled {
                break;
            }
        }
        // SAFETY: the source belongs to the observer (get rule); the wrapper retains it.
        let source = unsafe { observed.observer.run_loop_source() };
        self.thread.add(&source);
        self.apps.push(observed);
        if registered { Ok(()) } else { Err(last_error) }
    }

    fn add_element(
        &mut self,
        element: &AxElement,
        name: &'static str,
        deadline: Deadline,
    ) -> AxResult<()> {
        let pid = element.pid()?;
        // An older entry may be of a process that ended and had the same pid.
        let newest = self.apps.iter().rev().find(|one| one.pid == pid);
        let observed = newest.ok_or(AxError::InvalidObserver)?;
        autoreleasepool(|_| observed.register(element, name, deadline))
    }

    fn next(&mut self, wait: Duration) -> AxResult<Option<Notification<AxElement>>> {
        match self.receiver.recv_timeout(wait) {
            Ok(notification) => Ok(Some(notification)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(AxError::InvalidObserver),
        }
    }
}

impl ObservedApp {
    fn register(&self, element: &AxElement, name: &str, deadline: Deadline) -> AxResult<()> {
        let name = CFString::from_str(name);
        let number = ptr::without_provenance_mut::<c_void>(self.destination);
        // SAFETY: sends one message about live objects. macOS passes the number in place of a pointer to
        // `on_notification` and does not dereference it.
        let code = unsafe {
            self.observer.add_notification(element.with_timeout(deadline), &name, number)
        };
        match checked(code) {
            Err(AxError::AlreadyRegistered) => Ok(()),
            result => result,
        }
    }
}

impl Drop for AxObservers {
    fn drop(&mut self) {
        // No callback runs after this.
        self.thread.end();
        for observed in self.apps.drain(..) {
            DESTINATIONS.lock().remove(&observed.destination);
        }
    }
}

/// Forwards a notification. Runs on the thread of the run loop.
unsafe extern "C-unwind" fn on_notification(
    _: NonNull<AXObserver>,
    element: NonNull<AXUIElement>,
    name: NonNull<CFString>,
    number: *mut c_void,
) {
    // SAFETY: both are live during the call; the element is retained to outlive it.
    let (element, name) = unsafe { (AxElement::from(element.as_ref()), name.as_ref().to_string()) };
    let destinations = DESTINATIONS.lock();
    let Some(destination) = destinations.get(&number.addr()) else { return };
    // If the queue is full, the notification is dropped. Later reads of the tree see the state.
    let _ = destination.sender.try_send(Notification { pid: destination.pid, element, name });
}
