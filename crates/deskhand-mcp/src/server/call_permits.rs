//! Permits for concurrent calls. Each call blocks a thread, and the number of threads is limited.
//! The engine limits the calls of one caller. There are permits for several callers here, so that
//! one caller with too many calls is refused by the engine while others are served.

use std::sync::Arc;

use deskhand_engine::CallFailure;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use crate::timing;

/// Minimum number of permits.
const MIN_PERMITS: usize = 64;

/// Maximum number of permits. The runtime has 512 blocking threads.
const MAX_PERMITS: usize = 256;

/// Number of callers that can use their whole limit at the same time.
const FULL_CALLERS: usize = 4;

/// Permits for concurrent calls.
#[derive(Debug)]
pub(crate) struct CallPermits(Arc<Semaphore>);

impl CallPermits {
    /// Creates permits for callers that may run `per_caller` calls each; 0 means unlimited.
    pub(crate) fn new(per_caller: u32) -> Self {
        let per_caller = usize::try_from(per_caller).unwrap_or(MAX_PERMITS);
        let all = match per_caller {
            0 => MAX_PERMITS,
            some => some.saturating_mul(FULL_CALLERS).clamp(MIN_PERMITS, MAX_PERMITS),
        };
        Self(Arc::new(Semaphore::new(all)))
    }

    /// Takes a permit, which is returned on drop.
    ///
    /// # Errors
    ///
    /// Returns an error if no permit becomes free in time.
    pub(crate) async fn acquire(&self) -> Result<OwnedSemaphorePermit, CallFailure> {
        match timeout(timing::CALL_PERMIT_TIMEOUT, Arc::clone(&self.0).acquire_owned()).await {
            Ok(Ok(permit)) => Ok(permit),
            Ok(Err(_)) | Err(_) => {
                let message = "too many calls are running on this server";
                let mut failure = CallFailure::new("rate_limited", message, "call again later");
                failure.retry_after_ms =
                    u64::try_from(timing::CALL_PERMIT_TIMEOUT.as_millis()).ok();
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
        for per_caller in [0, 1, 10, 50] {
            let all = CallPermits::new(per_caller).0.available_permits();
            let per_caller = usize::try_from(per_caller).unwrap();
            assert!(
                all >= FULL_CALLERS * per_caller && (MIN_PERMITS..=MAX_PERMITS).contains(&all),
                "{per_caller}: {all}"
            );
        }
        assert_eq!(CallPermits::new(u32::MAX).0.available_permits(), MAX_PERMITS);
    }

    #[tokio::test(start_paused = true)]
    async fn waiting_for_a_permit_ends() {
        let permits = CallPermits::new(1);
        let mut held = Vec::new();
        for _ in 0..MIN_PERMITS {
            held.push(permits.acquire().await.unwrap());
        }
        let refused = permits.acquire().await.unwrap_err();
        assert_eq!((refused.code.as_str(), refused.retry_after_ms), ("rate_limited", Some(2000)));
        held.pop();
        assert!(permits.acquire().await.is_ok());
    }
}
