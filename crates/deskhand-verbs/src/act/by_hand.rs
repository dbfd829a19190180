//! Real pointer and keyboard on an element: in front of everybody, or aside for its window alone.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use deskhand_model::{App, Delivery, Node, Rect, State, Window};
use deskhand_platform::{
    Act, Arrange, Aside, Button, Deadline, Error as PlatformError, Input, Key, Named, Press, Reply,
};

use super::{
    attempt::{Sent, sent, until},
    reveal,
    target::{self, Target, Wants},
};
use crate::{Context, Error, Result, error::Condition, windows};

/// How long a window manager may take to bring a window to the front.
const FORWARD: Duration = Duration::from_millis(1_000);

/// How long an app may take to give an element the focus.
const FOCUS: Duration = Duration::from_millis(250);

/// How long Firefox takes to wake up when its window gets a keyboard.
const WOKEN: Duration = Duration::from_millis(150);

/// How long a batch of input may take.
const INPUT: Duration = Duration::from_secs(20);

/// How long the pointer rests on an element before the button goes down: some toolkits must have
/// seen it come.
const REST: Duration = Duration::from_millis(15);

/// Pointer and keyboard of the desktop.
pub fn input<'a>(cx: &Context<'a>) -> Result<&'a dyn Input> {
    cx.desktop.input.as_deref().ok_or(Error::Absent { part: "pointer and keyboard" })
}

/// A series of things that are sent one after the other: whoever fails in the midst of it must not be
/// taken for one who sent nothing.
#[derive(Debug, Default)]
pub struct Series {
    begun: AtomicBool,
}

impl Series {
    /// Hears what became of one of them.
    pub fn of<T>(&self, one: deskhand_platform::Result<T>) -> deskhand_platform::Result<T> {
        if one.is_ok() {
            self.goes_on();
        }
        one
    }

    /// The same of a key; letting go of one that never went down is nothing.
    pub fn key(
        &self,
        press: Press,
        one: deskhand_platform::Result<()>,
    ) -> deskhand_platform::Result<()> {
        match press {
            Press::Down => self.of(one),
            Press::Up => one,
        }
    }

    fn has_begun(&self) -> bool {
        self.begun.load(Ordering::Relaxed)
    }

    /// Hears that one of them was sent.
    pub fn goes_on(&self) {
        self.begun.store(true, Ordering::Relaxed);
    }

    /// The failure of the one that was sent last.
    pub fn lost(&self, error: PlatformError) -> Error {
        if self.has_begun() { windows::sent(error) } else { lost(error) }
    }

    /// The same, where what the desktop cannot do at all was not sent either.
    pub fn in_doubt(&self, error: PlatformError) -> Error {
        if self.has_begun() { windows::sent(error) } else { windows::in_doubt(error) }
    }

    /// A failure of something that was done meanwhile.
    pub fn meanwhile(&self, error: Error) -> Error {
        if !self.has_begun() {
            return error;
        }
        if let Error::Platform(error) = error { windows::sent(error) } else { error }
    }
}

/// A keyboard whose keys are counted as a series.
struct Counted<'a> {
    keyboard: Box<dyn Aside>,
    series: &'a Series,
}

impl Aside for Counted<'_> {
    fn key(&mut self, key: &Key, press: Press, by: Deadline) -> deskhand_platform::Result<()> {
        self.series.key(press, self.keyboard.key(key, press, by))
    }

    fn write(
        &mut self,
        text: &str,
        pause: Duration,
        by: Deadline,
    ) -> deskhand_platform::Result<()> {
        self.series.of(self.keyboard.write(text, pause, by))
    }
}

/// A failure while input was being sent, and nothing before it.
pub fn lost(error: PlatformError) -> Error {
    use PlatformError::{AppBlocked, Locked, NotAllowed, WriteBlocked};
    if matches!(error, Locked { .. } | NotAllowed { .. } | AppBlocked { .. } | WriteBlocked { .. })
    {
        return Error::Platform(error);
    }
    Error::Lost { error, delivery: Delivery::Unknown }
}

/// The window an element stands in, as the window system has it.
pub fn window_of(cx: &Context<'_>, target: &Target) -> Option<Window> {
    let title = target.window().map(|window| window.name.clone()).unwrap_or_default();
    own_window(cx, &target.app, &title)
}

/// The window of an app with this title, else its frontmost.
pub fn own_window(cx: &Context<'_>, app: &App, title: &str) -> Option<Window> {
    // Without windows there is none to find, and the caller says so.
    let all = cx.desktop.windows.as_ref()?.list(Deadline::after(FOCUS)).ok()?;
    let own: Vec<Window> = all.into_iter().filter(|window| window.pid == app.pid).collect();
    own.iter().find(|window| window.title == title).or(own.first()).cloned()
}

/// Whether an app lets the tree of a minimized window grow old: browsers do with their pages.
pub fn sleeps_minimized(app: &App) -> bool {
    matches!(app.toolkit.name.as_str(), "Chromium" | "Gecko")
}

/// Whether what the tree tells of an element may be old.
pub fn is_stale(cx: &Context<'_>, target: &Target) -> bool {
    sleeps_minimized(&target.app) && window_of(cx, target).is_some_and(|window| window.minimized)
}

/// Brings the window of an element to the front and waits until the pointer can reach the element.
pub fn in_front(cx: &Context<'_>, app: &App, query: &str) -> Result<Target> {
    let there = target::ready(cx, app, query, Wants::THERE)?;
    bring_forward(cx, &there)?;
    let scrolled = reveal::into_view(cx, &there).map_err(unsure)?;
    let target = target::ready(cx, app, query, Wants::POINTER);
    if scrolled { target.map_err(unsure) } else { target }
}

/// A failure of the desktop after something may have been scrolled.
fn unsure(error: Error) -> Error {
    if let Error::Platform(error) = error { lost(error) } else { error }
}

/// Gives the window of an element the keyboard.
pub fn bring_forward(cx: &Context<'_>, target: &Target) -> Result<()> {
    let windows = cx.desktop.windows.as_deref().ok_or(Error::Absent { part: "window list" })?;
    // Nothing is rearranged behind a locked screen.
    input(cx)?.ready(cx.by)?;
    let Some(window) = window_of(cx, target) else { return Ok(()) };
    if window.focused && !window.minimized {
        return Ok(());
    }
    windows.arrange(window.id, Arrange::Focus, cx.by)?;
    let focused = || {
        let now = windows.list(Deadline::after(FOCUS)).unwrap_or_default();
        now.iter().any(|one| one.focused && one.pid == target.app.pid && !one.minimized)
    };
    if until(FORWARD, focused) {
        return Ok(());
    }
    Err(Error::NotReady {
        query: target.label(),
        condition: Condition::Focused,
        seen: format!("its window \"{}\" was not given the keyboard", window.title),
    })
}

/// Where in an element to click.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spot {
    /// In its middle.
    Middle,
    /// Where it begins, which is where an expander has its arrow.
    Start,
}

/// The point of an element to click: in the middle of what is on a display and in its window.
pub fn point_of(cx: &Context<'_>, target: &Target, node: &Node) -> Result<(i32, i32)> {
    spot_of(cx, target, node, Spot::Middle)
}

fn spot_of(cx: &Context<'_>, target: &Target, node: &Node, spot: Spot) -> Result<(i32, i32)> {
    let hidden = |condition: Condition, seen: String| Error::NotReady {
        query: target.label(),
        condition,
        seen,
    };
    let nowhere = || hidden(Condition::Visible, "it has no place on the screen".to_owned());
    let bounds = node.bounds.filter(|bounds| !bounds.is_empty()).ok_or_else(nowhere)?;
    let window = window_of(cx, target);
    let inside = match &window {
        Some(window) if window.bounds.overlaps(bounds) => bounds.meet(window.bounds),
        Some(_) | None => bounds,
    };
    // A list may say it is as long as all its rows, and a row where it would be without scrolling.
    let inside = reveal::rooms(cx, target, cx.by).into_iter().fold(inside, Rect::meet);
    let displays = match &cx.desktop.screen {
        Some(screen) => screen.displays(cx.by)?,
        None => Vec::new(),
    };
    let seen = displays.iter().map(|display| inside.meet(display.frame));
    let best = seen.max_by_key(|part| i64::from(part.width.max(0)) * i64::from(part.height.max(0)));
    let part = best.unwrap_or(inside);
    if part.is_empty() {
        return Err(nowhere());
    }
    let (middle, y) = part.center();
    let x = match spot {
        Spot::Middle => middle,
        Spot::Start => part.x + part.width.min(part.height) / 2,
    };
    if let Some(above) = covering(cx, &target.app, x, y) {
        let seen = format!("window \"{above}\" lies over {x},{y}");
        return Err(hidden(Condition::Uncovered, seen));
    }
    Ok((x, y))
}

/// The title of another app's window that lies over a point.
fn covering(cx: &Context<'_>, app: &App, x: i32, y: i32) -> Option<String> {
    // Without a list of windows nothing is known to lie over it.
    let all = cx.desktop.windows.as_ref()?.list(Deadline::after(FOCUS)).ok()?;
    let top = all.into_iter().find(|one| !one.minimized && one.frame.contains(x, y))?;
    (top.pid != app.pid).then_some(top.title)
}

/// Clicks an element with the pointer.
pub fn click(
    cx: &Context<'_>,
    target: &Target,
    spot: Spot,
    button: Button,
    count: usize,
) -> Result<Sent> {
    let (input, by) = (input(cx)?, Deadline::after(INPUT));
    let mut at = spot_of(cx, target, &target.node, spot)?;
    for _ in 0..3 {
        input.move_to(at.0, at.1, by).map_err(lost)?;
        std::thread::sleep(REST);
        // LibreOffice learns where its elements are only when the pointer moves.
        let node = target::fresh(cx, &target.app, &target.node.id)?;
        let now = spot_of(cx, target, &node, spot)?;
        if now == at {
            break;
        }
        at = now;
    }
    let series = Series::default();
    for _ in 0..count {
        for press in [Press::Down, Press::Up] {
            series.of(input.button(button, press, by)).map_err(|error| series.lost(error))?;
        }
    }
    Ok(Sent::Replied(Reply::Accepted))
}

/// What became of giving an element the focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focus {
    /// It has it.
    Has,
    /// It was asked for, and the element does not say that it has it.
    NotSeen,
    /// Nothing was sent.
    CannotAsk,
}

/// Gives an element the keyboard focus within its window.
pub fn focus(cx: &Context<'_>, target: &Target, act: &Act) -> Result<Focus> {
    if has_focus(cx, target) {
        return Ok(Focus::Has);
    }
    // A browser that is still busy with its page may take seconds; whoever gave the call longer gave it
    // to the app.
    let by = Deadline::after(FOCUS).max(cx.by);
    let reply = cx.desktop.tree.perform(&target.app, &target.node.id, act, by);
    match sent(reply)? {
        Sent::Replied(_) if until(FOCUS, || has_focus(cx, target)) => Ok(Focus::Has),
        // GTK 4.8 answers with an error, and then nothing has happened.
        Sent::Replied(Reply::Declined) | Sent::Impossible(_) => Ok(Focus::CannotAsk),
        Sent::Replied(Reply::Accepted | Reply::Unanswered) => Ok(Focus::NotSeen),
    }
}

/// Whether an element says that it has the keyboard focus.
pub fn has_focus(cx: &Context<'_>, target: &Target) -> bool {
    target::fresh(cx, &target.app, &target.node.id).is_ok_and(|now| now.states.has(State::Focused))
}

/// Types with a keyboard of our own into the window of an element, which gets the focus in it.
pub fn aside(
    cx: &Context<'_>,
    target: &Target,
    strike: impl FnOnce(&mut dyn Aside, Deadline) -> deskhand_platform::Result<()>,
) -> Result<Sent> {
    let cannot = |why: &str| Ok(Sent::Impossible(why.to_owned()));
    let Some(window) = window_of(cx, target) else { return cannot("its window was not found") };
    if window.minimized {
        return cannot("its window is minimized, so no key reaches it");
    }
    let by = Deadline::after(INPUT);
    let Some(input) = &cx.desktop.input else {
        return cannot("this desktop has no keyboard");
    };
    let series = Series::default();
    let mut keyboard = match input.aside(window.id, by) {
        Ok(keyboard) => Counted { keyboard, series: &series },
        Err(PlatformError::Unsupported { why, .. }) => return cannot(&why),
        Err(error @ PlatformError::Locked { .. }) => return cannot(&error.to_string()),
        Err(error) => return Err(Error::Platform(error)),
    };
    // Firefox goes on saying of an element that it has the focus while its window has none, and
    // takes keys only some time after the window has it again.
    let wakes = target.app.toolkit.name == "Gecko";
    if wakes && has_focus(cx, target) {
        sent(cx.desktop.tree.perform(&target.app, &target.node.id, &Act::FocusQuietly, by))?;
    }
    match focus(cx, target, &Act::FocusQuietly)? {
        Focus::Has if wakes => std::thread::sleep(WOKEN),
        Focus::Has => {}
        Focus::NotSeen => return Ok(Sent::Replied(Reply::Declined)),
        Focus::CannotAsk => {
            return cannot("the element cannot be given the focus without its window");
        }
    }
    strike(&mut keyboard, by).map_err(|error| series.lost(error))?;
    Ok(Sent::Replied(Reply::Accepted))
}

/// Strikes a key with the key held that makes shortcuts.
pub fn with_command(
    other: &Key,
    by: Deadline,
    mut key: impl FnMut(&Key, Press, Deadline) -> deskhand_platform::Result<()>,
) -> deskhand_platform::Result<()> {
    let command = Key::Named(Named::Command);
    key(&command, Press::Down, by)?;
    let struck = key(other, Press::Down, by).and_then(|()| key(other, Press::Up, by));
    // The modifier goes up whatever became of the letter.
    key(&command, Press::Up, by)?;
    struck
}

/// Strikes one key.
pub fn strike(
    named: Named,
    by: Deadline,
    mut key: impl FnMut(&Key, Press, Deadline) -> deskhand_platform::Result<()>,
) -> deskhand_platform::Result<()> {
    key(&Key::Named(named), Press::Down, by)?;
    key(&Key::Named(named), Press::Up, by)
}

#[cfg(test)]
mod tests {
    use deskhand_model::Explain;

    use super::*;

    #[test]
    fn a_refusal_in_the_midst_of_a_series_does_not_say_that_nothing_was_sent() {
        let blocked = || PlatformError::WriteBlocked { app: "vault".to_owned() };
        let series = Series::default();
        let refused: deskhand_platform::Result<()> = Err(blocked());
        assert!(series.of(refused).is_err());
        assert_eq!(series.lost(blocked()).delivery(), Delivery::NotSent);
        assert_eq!(series.in_doubt(blocked()).delivery(), Delivery::NotSent);
        assert_eq!(series.of(Ok(())), Ok(()));
        assert_eq!(series.lost(blocked()).delivery(), Delivery::Sent);
        assert_eq!(series.in_doubt(blocked()).delivery(), Delivery::Sent);
        assert_eq!(series.meanwhile(Error::Platform(blocked())).delivery(), Delivery::Sent);
    }

    #[test]
    fn a_failure_after_scrolling_does_not_say_that_nothing_was_sent() {
        let late = || Error::Platform(PlatformError::Timeout { what: "shop".to_owned() });
        assert_eq!(late().delivery(), Delivery::NotSent);
        assert_eq!(unsure(late()).delivery(), Delivery::Unknown);
        let unfound = Error::Absent { part: "window list" };
        assert_eq!(unsure(unfound).delivery(), Delivery::NotSent);
    }
}
