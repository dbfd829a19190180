//! Runs system calls that have no timeout and may hang.

use std::sync::mpsc;

use deskhand_platform::{Deadline, Error, Result};

use crate::timing::BLOCKING_GRACE;

/// Runs a blocking operation on its own thread and waits for it until the deadline. An operation that hangs
/// keeps only its thread. `what` names the callee in errors.
pub(crate) fn run_with_deadline<T: Send + 'static>(
    deadline: Deadline,
    what: &str,
    operation: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    if deadline.has_passed() {
        return Err(Error::Timeout { what: what.to_owned() });
    }
    let (sender, receiver) = mpsc::channel();
    std::thread::Builder::new()
        .name("system call".to_owned())
        .spawn(move || {
            // After the deadline there is no receiver.
            let _ = sender.send(operation());
        })
        .map_err(|error| Error::Disconnected { what: what.to_owned(), why: error.to_string() })?;
    receiver.recv_timeout(deadline.remaining() + BLOCKING_GRACE).unwrap_or_else(|error| match error
    {
        mpsc::RecvTimeoutError::Timeout => Err(Error::Timeout { what: what.to_owned() }),
        mpsc::RecvTimeoutError::Disconnected => {
            Err(Error::Unexpected { what: what.to_owned(), why: "the call panicked".to_owned() })
        }
    })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn a_call_that_hangs_is_abandoned_at_the_deadline() {
        let start = Instant::now();
        let deadline = Deadline::after(Duration::from_millis(20));
        let slow = run_with_deadline(deadline, "the window server", || {
            std::thread::sleep(Duration::from_secs(2));
            Ok(())
        });
        assert_eq!(slow, Err(Error::Timeout { what: "the window server".to_owned() }));
        assert!(start.elapsed() < Duration::from_secs(1));
    }

    #[test]
    fn the_result_is_returned() {
        let deadline = Deadline::after(Duration::from_secs(5));
        assert_eq!(run_with_deadline(deadline, "it", || Ok(7)), Ok(7));
    }
}
