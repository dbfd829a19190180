//! What was drawn in the moment a picture was taken.
//!
//! Nobody can stop the window server while a picture is taken, as an X server can be stopped. So windows are
//! listed before and after: where both lists agree, that is what the picture shows.

use deskhand_platform::{Deadline, Pixels, Result, Shown};

use crate::window::{Panes, Reach, shown};

/// How often a picture is taken again because something moved meanwhile.
const AGAIN: usize = 3;

/// A picture and what may be in it.
pub(super) fn among(
    ground: &impl Panes,
    by: Deadline,
    mut take: impl FnMut() -> Result<Pixels>,
) -> Result<(Pixels, Vec<Shown>)> {
    let list = || Ok(shown(&ground.panes(Reach::Shown)?));
    let mut before = list()?;
    let mut tries = AGAIN;
    loop {
        let pixels = take()?;
        let after = list()?;
        tries -= 1;
        if before == after {
            return Ok((pixels, after));
        }
        if tries == 0 || by.passed() {
            return Ok((pixels, either(before, after)));
        }
        before = after;
    }
}

/// Everything of two lists: whatever was there at one of both times may be in the picture.
fn either(before: Vec<Shown>, after: Vec<Shown>) -> Vec<Shown> {
    let mut all = after;
    all.extend(before.into_iter().filter(|one| !all.contains(one)).collect::<Vec<_>>());
    all
}
