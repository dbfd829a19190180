//! A thread of its own with a run loop: what calls back, calls back there.

use std::{
    sync::mpsc::{self, RecvTimeoutError},
    thread::{self, JoinHandle},
    time::Duration,
};

use objc2::rc::autoreleasepool;
use objc2_core_foundation::{
    CFRetained, CFRunLoop, CFRunLoopRunResult, CFRunLoopSource, kCFRunLoopDefaultMode,
};

/// How long the thread waits at most before it looks whether it is still wanted.
const ROUND: f64 = 0.25;
/// How long the thread may take to start.
const START: Duration = Duration::from_secs(2);

/// A reference to a run loop that other threads may hold.
struct Shared(CFRetained<CFRunLoop>);

// SAFETY: Apple documents the functions of CFRunLoop that add and remove sources, stop and wake as
// callable from any thread; the object is retained, so it outlives its thread.
unsafe impl Send for Shared {}

/// A running thread; dropping it ends it.
pub(super) struct RunLoop {
    inner: Shared,
    wanted: mpsc::Sender<()>,
    thread: Option<JoinHandle<()>>,
}

impl RunLoop {
    /// Starts the thread; `None` when the system gives no thread or no run loop.
    pub(super) fn start() -> Option<Self> {
        let (tell, told) = mpsc::channel();
        let (wanted, still) = mpsc::channel::<()>();
        let body = move || {
            let Some(own) = CFRunLoop::current() else { return };
            if tell.send(Shared(own)).is_err() {
                return;
            }
            // Nothing is ever sent: the end of the sender is the end of the thread.
            while !matches!(still.try_recv(), Err(mpsc::TryRecvError::Disconnected)) {
                // SAFETY: reads a constant of the system.
                let mode = unsafe { kCFRunLoopDefaultMode };
                let end = autoreleasepool(|_| CFRunLoop::run_in_mode(mode, ROUND, false));
                // Without a source there is nothing to wait for, and it returns at once.
                if end == CFRunLoopRunResult::Finished
                    && let Err(RecvTimeoutError::Disconnected) =
                        still.recv_timeout(Duration::from_millis(20))
                {
                    break;
                }
            }
        };
        let thread = thread::Builder::new().name("observers".to_owned()).spawn(body).ok()?;
        let inner = told.recv_timeout(START).ok()?;
        Some(Self { inner, wanted, thread: Some(thread) })
    }

    /// Lets a source call back on the thread.
    pub(super) fn add(&self, source: &CFRunLoopSource) {
        // SAFETY: reads a constant of the system.
        let mode = unsafe { kCFRunLoopDefaultMode };
        self.inner.0.add_source(Some(source), mode);
        self.inner.0.wake_up();
    }

    /// Ends the thread and waits for it: after this nothing calls back.
    pub(super) fn end(&mut self) {
        let Some(thread) = self.thread.take() else { return };
        let (closed, _) = mpsc::channel();
        self.wanted = closed;
        self.inner.0.stop();
        // A thread that panicked has ended too.
        let _ended = thread.join();
    }
}

impl Drop for RunLoop {
    fn drop(&mut self) {
        self.end();
    }
}
