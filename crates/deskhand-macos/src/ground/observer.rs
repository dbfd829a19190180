//! Notifications of other programs: one observer a program, all on one thread.

use std::{
    collections::BTreeMap,
    ffi::c_void,
    ptr::{self, NonNull},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
        mpsc::{self, Receiver, RecvTimeoutError, SyncSender},
    },
    time::Duration,
};

use deskhand_platform::Deadline;
use objc2::rc::autoreleasepool;
use objc2_application_services::{AXError, AXObserver, AXUIElement};
use objc2_core_foundation::{CFRetained, CFString};

use super::{ax::Element, run_loop::RunLoop};
use crate::tree::{Answer, Ear, Fault, Heard};

/// More notifications than this do not wait; a program that sends them faster than they are read
/// loses the newest.
const WAITING: usize = 10_000;

/// What a notification needs to be passed on.
struct Mouth {
    pid: u32,
    tell: SyncSender<Heard<Element>>,
}

/// The mouths of all observers, by number. The system is given the number in the place of a pointer: what
/// it hands to `heard` came with a message, and a number that is wrong or late finds nothing.
static MOUTHS: Mutex<BTreeMap<usize, Mouth>> = Mutex::new(BTreeMap::new());

/// The number of the newest mouth.
static LAST: AtomicUsize = AtomicUsize::new(0);

fn mouths() -> MutexGuard<'static, BTreeMap<usize, Mouth>> {
    MOUTHS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One program that is listened to.
struct Observed {
    pid: u32,
    observer: CFRetained<AXObserver>,
    /// What the observer hands to `heard`.
    mouth: usize,
}

/// The programs that are listened to.
pub(crate) struct Observers {
    thread: RunLoop,
    names: Vec<&'static str>,
    all: Vec<Observed>,
    tell: SyncSender<Heard<Element>>,
    told: Receiver<Heard<Element>>,
}

// SAFETY: an AXObserver is used through this owner only, by one thread at a time, and its count of
// references is atomic; its callbacks run on the thread of `thread` and use nothing of this owner.
unsafe impl Send for Observers {}

impl Observers {
    /// Nothing is listened to yet.
    pub(super) fn new(names: &[&'static str]) -> Answer<Self> {
        let thread = RunLoop::start().ok_or(Fault::Failure)?;
        let (tell, told) = mpsc::sync_channel(WAITING);
        Ok(Self { thread, names: names.to_vec(), all: Vec::new(), tell, told })
    }
}

impl Ear<Element> for Observers {
    fn add(&mut self, pid: u32, by: Deadline) -> Answer<()> {
        let number = libc::pid_t::try_from(pid).map_err(|_| Fault::IllegalArgument)?;
        let app = Element::application(pid).ok_or(Fault::IllegalArgument)?;
        let mut raw: *mut AXObserver = ptr::null_mut();
        // SAFETY: `raw` is valid for one pointer, which the system writes on success only; `heard`
        // has the form the system calls.
        let code = unsafe { AXObserver::create(number, Some(heard), NonNull::from(&mut raw)) };
        checked(code)?;
        let raw = NonNull::new(raw).ok_or(Fault::Failure)?;
        // SAFETY: a new observer belongs to its maker (create rule); `CFRetained` releases it.
        let observer = unsafe { CFRetained::from_raw(raw) };
        let mouth = LAST.fetch_add(1, Ordering::Relaxed) + 1;
        mouths().insert(mouth, Mouth { pid, tell: self.tell.clone() });
        let observed = Observed { pid, observer, mouth };
        let mut listens = false;
        let mut last = Fault::NotificationUnsupported;
        for name in &self.names {
            match autoreleasepool(|_| observed.register(&app, name, by)) {
                Ok(()) => listens = true,
                // Programs know different notifications; one is enough to listen.
                Err(fault) => last = fault,
            }
            if last == Fault::CannotComplete || last == Fault::ApiDisabled {
                break;
            }
        }
        // SAFETY: the source belongs to the observer (get rule); the wrapper retains it.
        let source = unsafe { observed.observer.run_loop_source() };
        self.thread.add(&source);
        self.all.push(observed);
        if listens { Ok(()) } else { Err(last) }
    }

    fn follow(&mut self, element: &Element, name: &'static str, by: Deadline) -> Answer<()> {
        let pid = element.pid()?;
        // A number may have been that of a process that has ended.
        let newest = self.all.iter().rev().find(|one| one.pid == pid);
        let observed = newest.ok_or(Fault::InvalidObserver)?;
        autoreleasepool(|_| observed.register(element, name, by))
    }

    fn next(&mut self, wait: Duration) -> Answer<Option<Heard<Element>>> {
        match self.told.recv_timeout(wait) {
            Ok(heard) => Ok(Some(heard)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(Fault::InvalidObserver),
        }
    }
}

impl Observed {
    fn register(&self, element: &Element, name: &str, by: Deadline) -> Answer<()> {
        let name = CFString::from_str(name);
        let mouth = ptr::without_provenance_mut::<c_void>(self.mouth);
        // SAFETY: sends one message about live objects; the system hands the number in the place of a
        // pointer to `heard` and reads nothing through it.
        let code = unsafe { self.observer.add_notification(element.until(by), &name, mouth) };
        match checked(code) {
            Err(Fault::AlreadyRegistered) => Ok(()),
            answer => answer,
        }
    }
}

impl Drop for Observers {
    fn drop(&mut self) {
        // Nothing calls back after this.
        self.thread.end();
        for observed in self.all.drain(..) {
            mouths().remove(&observed.mouth);
        }
    }
}

/// Passes a notification on; runs on the thread of the run loop.
unsafe extern "C-unwind" fn heard(
    _: NonNull<AXObserver>,
    element: NonNull<AXUIElement>,
    name: NonNull<CFString>,
    mouth: *mut c_void,
) {
    // SAFETY: both are live for the time of the call; the element is retained to outlive it.
    let (element, name) = unsafe { (Element::from(element.as_ref()), name.as_ref().to_string()) };
    let mouths = mouths();
    let Some(mouth) = mouths.get(&mouth.addr()) else { return };
    // When nobody reads, or far too late, it is lost: the looks that follow tell the state.
    let _lost = mouth.tell.try_send(Heard { pid: mouth.pid, element, name });
}

fn checked(code: AXError) -> Answer<()> {
    Fault::of(code.0).map_or(Ok(()), Err)
}
