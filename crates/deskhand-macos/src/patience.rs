//! Questions that may never be answered: asked on a thread of their own, waited for until the deadline.

use std::{sync::mpsc, time::Duration};

use deskhand_platform::{Deadline, Error, Result};

/// How much longer than its deadline an errand may take to say that it is over.
const GRACE: Duration = Duration::from_millis(100);

/// Runs an errand. Calls of the system's frameworks take no deadline of their own; one that hangs keeps
/// its thread and nobody else.
pub(crate) fn within<T: Send + 'static>(
    by: Deadline,
    whom: &str,
    errand: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    if by.passed() {
        return Err(Error::Timeout { what: whom.to_owned() });
    }
    let (done, result) = mpsc::channel();
    std::thread::Builder::new()
        .name("errand".to_owned())
        .spawn(move || {
            // Nobody waits any longer once the deadline has passed.
            let _late = done.send(errand());
        })
        .map_err(|error| Error::Broken { what: whom.to_owned(), why: error.to_string() })?;
    result.recv_timeout(by.left() + GRACE).unwrap_or_else(|error| match error {
        mpsc::RecvTimeoutError::Timeout => Err(Error::Timeout { what: whom.to_owned() }),
        mpsc::RecvTimeoutError::Disconnected => Err(Error::Unexpected {
            what: whom.to_owned(),
            why: "it ended the thread that asked".to_owned(),
        }),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn one_that_hangs_is_left_at_the_deadline() {
        let begun = Instant::now();
        let by = Deadline::after(Duration::from_millis(20));
        let slow = within(by, "the window server", || {
            std::thread::sleep(Duration::from_secs(2));
            Ok(())
        });
        assert_eq!(slow, Err(Error::Timeout { what: "the window server".to_owned() }));
        assert!(begun.elapsed() < Duration::from_secs(1));
    }

    #[test]
    fn an_answer_comes_back() {
        let by = Deadline::after(Duration::from_secs(5));
        assert_eq!(within(by, "it", || Ok(7)), Ok(7));
    }
}
