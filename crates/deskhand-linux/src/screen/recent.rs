//! The picture that was taken last: asked for again within a moment, it is given again.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use deskhand_platform::{Capture, Pixels, Result};

/// For how long a picture is as good as a new one.
const FRESH: Duration = Duration::from_millis(100);

/// A place for one picture.
#[derive(Default)]
pub(super) struct Recent(Mutex<Option<Taken>>);

struct Taken {
    of: Capture,
    at: Instant,
    pixels: Arc<Pixels>,
}

impl Recent {
    /// The picture of this thing, taken anew unless it is fresh.
    pub(super) fn or_take(
        &self,
        of: Capture,
        take: impl FnOnce() -> Result<Pixels>,
    ) -> Result<Arc<Pixels>> {
        // Nobody waits at the lock while a picture is taken; the old one is let go of first, as two
        // of a large screen need not be held at once.
        let kept = self.place().take();
        if let Some(taken) = kept.filter(|one| one.of == of && one.at.elapsed() < FRESH) {
            let pixels = Arc::clone(&taken.pixels);
            *self.place() = Some(taken);
            return Ok(pixels);
        }
        let at = Instant::now();
        let pixels = Arc::new(take()?);
        *self.place() = Some(Taken { of, at, pixels: Arc::clone(&pixels) });
        Ok(pixels)
    }

    fn place(&self) -> MutexGuard<'_, Option<Taken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use deskhand_model::Rect;
    use deskhand_platform::Error;

    use super::*;

    fn picture(shade: u8) -> Result<Pixels> {
        let rect = Rect::new(0, 0, 1, 1);
        Ok(Pixels { rect, width: 1, height: 1, data: vec![shade; 4], flaws: Vec::new() })
    }

    #[test]
    fn the_same_thing_is_taken_once_in_a_moment_and_again_after_it() {
        let recent = Recent::default();
        let shade = |of, shade| recent.or_take(of, || picture(shade)).map(|p| p.data[0]);
        assert_eq!(shade(Capture::Screen, 1), Ok(1));
        assert_eq!(shade(Capture::Screen, 2), Ok(1));
        assert_eq!(shade(Capture::Window(7), 3), Ok(3));
        assert_eq!(shade(Capture::Screen, 4), Ok(4));
        std::thread::sleep(FRESH);
        assert_eq!(shade(Capture::Screen, 5), Ok(5));
    }

    #[test]
    fn what_failed_is_tried_again() {
        let recent = Recent::default();
        let gone = || Err(Error::Gone { what: "it".to_owned() });
        assert!(recent.or_take(Capture::Screen, gone).is_err());
        assert!(recent.or_take(Capture::Screen, || picture(1)).is_ok());
    }
}
