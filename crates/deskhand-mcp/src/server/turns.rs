//! The turns calls take: each call blocks a thread, and there are only so many of those. How many calls one
//! caller may have under way is the engine's business; there are turns for several such callers here, so
//! that the engine refuses one who has too many, and the others are served meanwhile.

use std::{sync::Arc, time::Duration};

use deskhand_engine::Failure;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

/// How many calls run at once, where callers may not have many each.
const USUAL: usize = 64;

/// How many run at once in any case; the runtime has 512 threads for what blocks.
const MOST: usize = 256;

/// How many callers that have all they may have leave room for others.
const CALLERS: usize = 4;

/// How long a call waits for its turn.
const PATIENCE: Duration = Duration::from_secs(2);

/// The turns there are.
#[derive(Debug)]
pub(crate) struct Turns(Arc<Semaphore>);

impl Turns {
    /// Turns for callers that may have so many calls under way each; 0 means as many as they like.
    pub(crate) fn new(of_one: u32) -> Self {
        let of_one = usize::try_from(of_one).unwrap_or(MOST);
        let all = match of_one {
            0 => MOST,
            some => some.saturating_mul(CALLERS).clamp(USUAL, MOST),
        };
        Self(Arc::new(Semaphore::new(all)))
    }

    /// Takes a turn, which lasts until what is returned is dropped.
    ///
    /// # Errors
    ///
    /// When none becomes free for a while.
    pub(crate) async fn take(&self) -> Result<OwnedSemaphorePermit, Failure> {
        match timeout(PATIENCE, Arc::clone(&self.0).acquire_owned()).await {
            Ok(Ok(permit)) => Ok(permit),
            Ok(Err(_)) | Err(_) => {
                let message = "too many calls of all clients together are under way";
                let mut failure = Failure::new("rate_limited", message, "call again in a while");
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
    fn there_are_turns_for_more_than_one_caller() {
        for of_one in [0, 1, 10, 50] {
            let all = Turns::new(of_one).0.available_permits();
            let of_one = usize::try_from(of_one).unwrap();
            assert!(all >= CALLERS * of_one && (USUAL..=MOST).contains(&all), "{of_one}: {all}");
        }
        assert_eq!(Turns::new(u32::MAX).0.available_permits(), MOST);
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_waits_for_a_turn_without_end() {
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
