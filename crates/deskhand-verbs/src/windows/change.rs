//! A change to a window, looked at until it is there.

use std::time::Duration;

use deskhand_model::{Delivery, Rect, Window};
use deskhand_platform::{Arrange, Asked, Deadline};

use super::{label, list};
use crate::{
    Context, Error, Result,
    effect::{Done, Evidence, Sign, Verdict},
};

/// How long a window manager may take.
pub const SOON: Duration = Duration::from_secs(1);
/// The pause between two looks, which grows up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(3);
const LONGEST_PAUSE: Duration = Duration::from_millis(25);
/// A window that stands still for so long where it was not wanted stays there.
const SETTLED: Duration = Duration::from_millis(300);

/// What became of a window after a change was asked for.
pub struct Changed {
    /// Who was asked.
    pub way: &'static str,
    /// All windows, as they were seen last.
    pub all: Vec<Window>,
    /// The window itself, unless it is gone.
    pub after: Option<Window>,
    /// Whether it came out as wanted.
    pub there: bool,
}

/// Asks for a change to a window and looks again until it is there, or time is up.
pub fn change(
    cx: &Context<'_>,
    window: &Window,
    change: Arrange,
    patience: Duration,
    mut there: impl FnMut(&[Window]) -> Result<bool>,
) -> Result<Changed> {
    let windows = list(cx)?;
    let asked = windows.arrange(window.id, change, cx.by).map_err(|error| unfit(error, change))?;
    // Once it is sent, the looks that follow are no longer bounded by the wait before it.
    let by = Deadline::after(patience);
    let (mut pause, mut still, mut last) = (FIRST_PAUSE, Deadline::after(SETTLED), window.clone());
    // Borders change a moment after the window they surround, so it must be seen twice alike.
    let mut seen = None;
    loop {
        let all = windows.list(Deadline::after(SOON)).map_err(sent)?;
        let done = there(&all)?;
        let after = all.iter().find(|one| one.id == window.id).cloned();
        if let Some(after) = after.as_ref().filter(|after| after.frame != last.frame) {
            (still, last) = (Deadline::after(SETTLED), after.clone());
        }
        let rests = after.as_ref().is_none_or(|after| Some(after.frame) == seen);
        let settled = still.passed() && last.frame != window.frame;
        if (done && rests) || by.passed() || settled {
            return Ok(Changed { way: words(asked), all, after, there: done });
        }
        seen = after.map(|after| after.frame);
        std::thread::sleep(pause);
        pause = if done { FIRST_PAUSE } else { (pause * 2).min(LONGEST_PAUSE) };
    }
}

/// An error that came after something was sent.
pub fn sent(error: deskhand_platform::Error) -> Error {
    Error::Lost { error, delivery: Delivery::Sent }
}

/// The same, with what could be done instead of what nobody can do here.
fn unfit(error: deskhand_platform::Error, change: Arrange) -> Error {
    let deskhand_platform::Error::Unsupported { what, why } = error else { return in_doubt(error) };
    let instead = match change {
        Arrange::Close => "--force ends its program",
        Arrange::Maximize(_) | Arrange::FullScreen(_) => {
            "place it with `deskhand window move` and `deskhand window resize`"
        }
        Arrange::Focus
        | Arrange::MoveTo(..)
        | Arrange::Resize(..)
        | Arrange::Minimize
        | Arrange::Restore => "look at it with `deskhand window state`",
    };
    Error::Unfit { what, why, instead: instead.to_owned() }
}

/// An error that came while something was being sent.
pub fn in_doubt(error: deskhand_platform::Error) -> Error {
    use deskhand_platform::Error as E;
    match error {
        E::Timeout { .. } | E::Broken { .. } | E::Unexpected { .. } => {
            Error::Lost { error, delivery: Delivery::Unknown }
        }
        before @ (E::NoAccessibility { .. }
        | E::NoDisplay { .. }
        | E::Gone { .. }
        | E::TooLarge { .. }
        | E::Unsupported { .. }
        | E::Locked { .. }
        | E::NotAllowed { .. }
        | E::AppBlocked { .. }
        | E::WriteBlocked { .. }
        | E::Halted { .. }) => Error::Platform(before),
    }
}

fn words(asked: Asked) -> &'static str {
    match asked {
        Asked::Manager => "window manager",
        Asked::System => "plain window requests, as no window manager runs",
        Asked::Program => "request to its program",
    }
}

impl Changed {
    /// The window as it is now; an error when it closed meanwhile.
    pub fn present(&self, before: &Window) -> Result<&Window> {
        let gone = || deskhand_platform::Error::Gone { what: format!("window {}", label(before)) };
        self.after.as_ref().ok_or_else(|| sent(gone()))
    }

    /// The answer about a window whose state is the whole question.
    pub fn answer(&self, before: &Window, evidence: Evidence) -> Done {
        let verdict = if self.there { Verdict::Confirmed } else { Verdict::NoEffect };
        Done { evidence: vec![evidence], ..Done::new(verdict, self.way) }.to(label(before))
    }
}

/// Evidence of where a window's frame begins.
pub fn corner(before: Rect, after: Rect) -> Evidence {
    let words = |rect: Rect| format!("{},{}", rect.x, rect.y);
    Evidence::change(Sign::Place, "corner of its frame", words(before), words(after))
}

/// Evidence of how large a window's frame is.
pub fn size(before: Rect, after: Rect) -> Evidence {
    let words = |rect: Rect| format!("{}x{}", rect.width, rect.height);
    Evidence::change(Sign::Place, "size of its frame", words(before), words(after))
}
