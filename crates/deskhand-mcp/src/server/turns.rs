//! Permits for concurrent calls. Each call blocks a thread, and the number of threads is limited. The
//! engine limits the calls of one caller. There are permits for several callers here, so that one
//! caller with too many calls is refused by the engine while others are served.

use std::{sync::Arc, time::Duration};

use deskhand_engine::Failure;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

/// Minimum number of permits.
const USUAL: usize = 64;

/// Maximum number of permits. The runtime has 512 blocking threads.
const MOST: usize = 256;

/// Number of callers that can use their whole limit at the same time.
const CALLERS: usize = 4;

/// Permits for concurrent calls.
#[derive(Debug)]
pub(crate) struct Turns(Arc<Semaphore>);

impl Turns {
    /// Creates permits for callers that may run `of_one` calls each; 0 means unlimited.
    pub(crate) fn new(of_one: u32) -> Self {
        let of_one = usize::try_from(of_one).unwrap_or(MOST);
        let all = match of_one {
            0 => MOST,
            some => some.saturating_mul(CALLERS).clamp(USUAL, MOST),
        };
        Self(Arc::new(Semaphore::new(all)))
    }

    /// Takes a permit, which is returned on drop.
    ///
    /// # Errors
    ///
    /// Returns an error if no permit becomes free in time.
    pub(crate) async fn take(&self) -> Result<OwnedSemaphorePermit, Failure> {
        match timeout(PATIENCE, Arc::clone(&self.0).acquire_owned()).await {
            Ok(Ok(permit)) => Ok(permit),
            Ok(Err(_)) | Err(_) => {
                let message = "too many calls are running on this server";
                let mut failure = Failure::new("rate_limited", message, "call again later");
                failure.retry_after_ms = u64::try_from(PATIENCE.as_millis()).ok();
                Err(failure)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_permits_for_several_callers() {
        for of_one in [0, 1, 10, 50] {
            let all = Turns::new(of_one).0.available_permits();
            let of_one = usize::try_from(of_one).unwrap();
            assert!(all >= CALLERS * of_one && (USUAL..=MOST).contains(&all), "{of_one}: {all}");
        }
        assert_eq!(Turns::new(u32::MAX).0.available_permits(), MOST);
    }

    #[tokio::test(start_paused = true)]
    async fn waiting_for_a_permit_ends() {
        let turns = Turns::new(1);
        let mut taken = Vec::new();
        for _ in 0..USUAL {
            taken.push(turns.take().await.unwrap());
        }
        let refused = turns.take().await.unwrap_err();
        assert_eq!((refused.code.as_str(), refused.retry_after_ms), ("rate_limited", Some(2000)));
        taken.pop();
        assert!(turns.take().await.is_ok());
    }
}
