//! A thread with a run loop, on which callbacks run.

use std::{
    sync::mpsc::{self, RecvTimeoutError},
    thread::{self, JoinHandle},
};

use objc2::rc::autoreleasepool;
use objc2_core_foundation::{
    CFRetained, CFRunLoop, CFRunLoopRunResult, CFRunLoopSource, kCFRunLoopDefaultMode,
};

use super::timing::{EMPTY_RUN_LOOP_INTERVAL, RUN_LOOP_INTERVAL, RUN_LOOP_START_TIMEOUT};

/// A run loop that other threads may use.
struct SharedRunLoop(CFRetained<CFRunLoop>);

// SAFETY: Apple documents the functions of CFRunLoop that add and remove sources, stop and wake it as callable from any
// thread. The object is retained, so it outlives its thread.
unsafe impl Send for SharedRunLoop {}

/// A thread that runs a run loop. Dropping it ends the thread.
pub(super) struct RunLoop {
    inner: SharedRunLoop,
    /// Dropping the sender tells the thread to end.
    keep_alive: mpsc::Sender<()>,
    thread: Option<JoinHandle<()>>,
}

impl RunLoop {
    /// Starts the thread. `None` if the system has no thread or no run loop for it.
    pub(super) fn start() -> Option<Self> {
        let (sender, receiver) = mpsc::channel();
        let (keep_alive, alive) = mpsc::channel::<()>();
        let body = move || {
            let Some(own) = CFRunLoop::current() else { return };
            if sender.send(SharedRunLoop(own)).is_err() {
                return;
            }
            // Nothing is ever sent: the thread ends when the sender is dropped.
            while !matches!(alive.try_recv(), Err(mpsc::TryRecvError::Disconnected)) {
                // SAFETY: reads a constant of the system.
                let mode = unsafe { kCFRunLoopDefaultMode };
                let seconds = RUN_LOOP_INTERVAL.as_secs_f64();
                let end = autoreleasepool(|_| CFRunLoop::run_in_mode(mode, seconds, false));
                // Without a source the run loop returns at once.
                if end == CFRunLoopRunResult::Finished
                    && let Err(RecvTimeoutError::Disconnected) =
                        alive.recv_timeout(EMPTY_RUN_LOOP_INTERVAL)
                {
                    break;
                }
            }
        };
        let thread = thread::Builder::new().name("observers".to_owned()).spawn(body).ok()?;
        let inner = receiver.recv_timeout(RUN_LOOP_START_TIMEOUT).ok()?;
        Some(Self { inner, keep_alive, thread: Some(thread) })
    }

    /// Adds a source, whose callbacks run on the thread.
    pub(super) fn add(&self, source: &CFRunLoopSource) {
        // SAFETY: reads a constant of the system.
        let mode = unsafe { kCFRunLoopDefaultMode };
        self.inner.0.add_source(Some(source), mode);
        self.inner.0.wake_up();
    }

    /// Ends the thread and waits for it. No callback runs after this.
    pub(super) fn end(&mut self) {
        let Some(thread) = self.thread.take() else { return };
        let (closed, _) = mpsc::channel();
        self.keep_alive = closed;
        self.inner.0.stop();
        // The result of a thread that panicked is not needed.
        let _ = thread.join();
    }
}

impl Drop for RunLoop {
    fn drop(&mut self) {
        self.end();
    }
}
