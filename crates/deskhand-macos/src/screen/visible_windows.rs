//! Takes a screenshot together with the list of windows in it.
//!
//! Unlike an X server, the window server cannot be paused. So windows are listed before and after the capture. If
//! both lists are equal, the screenshot shows these windows.

use deskhand_platform::{Deadline, Pixels, Result, VisibleWindow};

use crate::window::{WindowListApi, WindowScope, visible_windows};

/// The number of attempts to capture while no window changes.
const MAX_CAPTURE_ATTEMPTS: usize = 3;

/// Captures the screen and lists the windows that may be in the picture.
pub(super) fn capture_with_windows(
    system: &impl WindowListApi,
    deadline: Deadline,
    mut take: impl FnMut() -> Result<Pixels>,
) -> Result<(Pixels, Vec<VisibleWindow>)> {
    let list = || Ok(visible_windows(&system.windows(WindowScope::OnScreen)?));
    let mut before = list()?;
    let mut attempts_left = MAX_CAPTURE_ATTEMPTS;
    loop {
        let pixels = take()?;
        let after = list()?;
        attempts_left -= 1;
        if before == after {
            return Ok((pixels, after));
        }
        if attempts_left == 0 || deadline.has_passed() {
            return Ok((pixels, union(before, after)));
        }
        before = after;
    }
}

/// The windows of both lists. Each of them may be in the picture.
fn union(before: Vec<VisibleWindow>, after: Vec<VisibleWindow>) -> Vec<VisibleWindow> {
    let mut all = after;
    all.extend(before.into_iter().filter(|one| !all.contains(one)).collect::<Vec<_>>());
    all
}
