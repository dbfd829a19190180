//! Windows are listed with their real state, and change on request.

use deskhand_model::{Rect, Window};

use super::{
    AppUse, Capability, CheckError, CheckResult, ConformanceCheck, Fixture, call_deadline, ensure,
    eventually,
};
use crate::{Error, OwnerQuery, WindowChange};

/// A window id that no window system assigns.
pub(super) const NO_WINDOW: u64 = u32::MAX as u64 - 5;

pub(super) const CHECKS: &[ConformanceCheck] = &[
    ConformanceCheck {
        name: "the_window_of_an_app_is_listed",
        covers: &["Windows::list", "Windows::state", "Windows::owners", "Windows::visible"],
        requires: &[Capability::Windows],
        app: AppUse::Shared,
        run: listed,
    },
    ConformanceCheck {
        name: "a_window_takes_the_focus",
        covers: &["Windows::arrange", "Windows::list", "Windows::owners"],
        requires: &[Capability::Windows],
        app: AppUse::Shared,
        run: front,
    },
    ConformanceCheck {
        name: "a_window_moves",
        covers: &["Windows::arrange", "Windows::list"],
        requires: &[Capability::Windows],
        app: AppUse::Shared,
        run: moves,
    },
    ConformanceCheck {
        name: "a_window_is_resized",
        covers: &["Windows::arrange", "Windows::state", "Windows::list"],
        requires: &[Capability::Windows],
        app: AppUse::Shared,
        run: resizes,
    },
    ConformanceCheck {
        name: "a_window_is_minimized_and_restored",
        covers: &["Windows::arrange", "Windows::list"],
        requires: &[Capability::Windows],
        app: AppUse::Shared,
        run: minimizes,
    },
    ConformanceCheck {
        name: "a_window_is_maximized_and_restored",
        covers: &["Windows::arrange", "Windows::list", "Screen::displays"],
        requires: &[Capability::Windows, Capability::Screen],
        app: AppUse::Shared,
        run: |fixture| fills(fixture, WindowChange::Maximize(true), WindowChange::Maximize(false)),
    },
    ConformanceCheck {
        name: "a_window_enters_and_leaves_full_screen",
        covers: &["Windows::arrange", "Windows::list", "Screen::displays"],
        requires: &[Capability::Windows, Capability::Screen],
        app: AppUse::Shared,
        run: |fixture| {
            fills(fixture, WindowChange::FullScreen(true), WindowChange::FullScreen(false))
        },
    },
    ConformanceCheck {
        name: "an_unknown_window_is_gone",
        covers: &["Windows::state", "Windows::arrange"],
        requires: &[Capability::Windows],
        app: AppUse::Shared,
        run: unknown,
    },
    ConformanceCheck {
        name: "a_closed_window_is_gone",
        covers: &["Windows::arrange", "Windows::list", "Windows::state"],
        requires: &[Capability::Windows],
        app: AppUse::Exclusive,
        run: closes,
    },
];

fn listed(fixture: &Fixture<'_>) -> CheckResult {
    let windows = fixture.windows()?;
    let all = windows.list(call_deadline())?;
    let in_order = all.iter().is_sorted_by_key(|window| window.z);
    ensure!(in_order, "the list is not ordered from front to back: {all:?}");
    let focused = all.iter().filter(|window| window.focused).count();
    ensure!(focused <= 1, "{focused} windows have the focus");
    let window = fixture.window()?;
    let inside = window.frame.clipped_to(window.bounds) == window.bounds;
    ensure!(inside && !window.bounds.is_empty(), "the content is not inside the frame: {window:?}");
    ensure!(window.app.is_some(), "{window:?} has no app");
    let state = windows.state(window.id, call_deadline())?;
    ensure!(state.closable, "the window cannot be closed: {state:?}");
    let owners = windows.owners(OwnerQuery::Window(window.id), call_deadline())?;
    let ours = owners.iter().any(|owner| owner.pid == fixture.app.pid);
    let pid = fixture.app.pid;
    ensure!(ours, "expected pid {pid} among the owners of {window:?}, got {owners:?}");
    let visible = windows.visible(call_deadline())?;
    let is_visible =
        visible.iter().any(|one| one.id == window.id && one.rect.overlaps(window.frame));
    ensure!(is_visible, "{window:?} is not among the visible windows {visible:?}");
    Ok(())
}

/// Requests a change and waits until the window list shows it.
fn change(
    fixture: &Fixture<'_>,
    window: &Window,
    change: WindowChange,
    done: impl Fn(&Window) -> bool,
) -> CheckResult {
    fixture.windows()?.arrange(window.id, change, call_deadline())?;
    eventually(|| {
        let all = fixture.own_windows()?;
        let now = all.iter().find(|one| one.id == window.id);
        let message = || format!("expected the window after {change:?}, got {now:?}");
        Ok((!now.is_some_and(&done)).then(message))
    })
}

fn front(fixture: &Fixture<'_>) -> CheckResult {
    let window = fixture.window()?;
    change(fixture, &window, WindowChange::Focus, |now| now.focused)?;
    let owners = fixture.windows()?.owners(OwnerQuery::Keyboard, call_deadline())?;
    let ours = owners.iter().any(|owner| owner.pid == fixture.app.pid);
    ensure!(ours, "expected the app to own the focused window, got {owners:?}");
    let now = fixture.window()?;
    let (x, y) = now.bounds.center();
    let owners = fixture.windows()?.owners(OwnerQuery::Point(x, y), call_deadline())?;
    let ours = owners.iter().any(|owner| owner.pid == fixture.app.pid);
    ensure!(ours, "expected the app at the center ({x}, {y}), got {owners:?}");
    Ok(())
}

fn moves(fixture: &Fixture<'_>) -> CheckResult {
    let window = fixture.window()?;
    let (x, y) = (window.frame.x, window.frame.y);
    let at = |x: i32, y: i32| move |now: &Window| (now.frame.x, now.frame.y) == (x, y);
    change(fixture, &window, WindowChange::MoveTo(x + 37, y + 23), at(x + 37, y + 23))?;
    let size = |rect: Rect| (rect.width, rect.height);
    let now = fixture.window()?;
    ensure!(
        size(now.frame) == size(window.frame),
        "it moved, but its frame became {:?}",
        now.frame
    );
    change(fixture, &window, WindowChange::MoveTo(x, y), at(x, y))
}

fn resizes(fixture: &Fixture<'_>) -> CheckResult {
    if !fixture.test_app.resizable {
        return Err(CheckError::NotInApp("resizable window"));
    }
    let window = fixture.window()?;
    let state = fixture.windows()?.state(window.id, call_deadline())?;
    // A window with a resize increment takes the nearest possible size.
    let step = state.resize_increment.unwrap_or((1, 1));
    let (width, height) = (window.frame.width + 64, window.frame.height + 48);
    let near = move |now: &Window| {
        now.frame.width.abs_diff(width) < step.0 && now.frame.height.abs_diff(height) < step.1
    };
    let wanted = WindowChange::Resize(width.unsigned_abs(), height.unsigned_abs());
    change(fixture, &window, wanted, near)
}

fn minimizes(fixture: &Fixture<'_>) -> CheckResult {
    let window = fixture.window()?;
    change(fixture, &window, WindowChange::Minimize, |now| now.minimized)?;
    change(fixture, &window, WindowChange::Restore, |now| !now.minimized)?;
    fixture.focus_window().map(drop)
}

fn fills(fixture: &Fixture<'_>, on: WindowChange, off: WindowChange) -> CheckResult {
    if !fixture.test_app.resizable {
        return Err(CheckError::NotInApp("resizable window"));
    }
    let before = fixture.window()?;
    let displays = fixture.screen()?.displays(call_deadline())?;
    let (x, y) = before.frame.center();
    let display = displays.iter().find(|display| display.frame.contains(x, y));
    let Some(display) = display else {
        return Err(CheckError::Failed(format!(
            "{before:?} is on none of the displays {displays:?}"
        )));
    };
    let target =
        if matches!(on, WindowChange::Maximize(_)) { display.work_area } else { display.frame };
    let area = |rect: Rect| i64::from(rect.width) * i64::from(rect.height);
    // A window with a resize increment may leave a small gap.
    let fills = move |now: &Window| area(now.frame.clipped_to(target)) * 10 >= area(target) * 9;
    change(fixture, &before, on, fills)?;
    change(fixture, &before, off, |now| !fills(now))
}

fn unknown(fixture: &Fixture<'_>) -> CheckResult {
    let windows = fixture.windows()?;
    let state = windows.state(NO_WINDOW, call_deadline());
    ensure!(
        matches!(state, Err(Error::Gone { .. })),
        "expected `Gone` for the state of an unknown window, got {state:?}"
    );
    let result = windows.arrange(NO_WINDOW, WindowChange::Minimize, call_deadline());
    ensure!(
        matches!(result, Err(Error::Gone { .. })),
        "expected `Gone` for a change of an unknown window, got {result:?}"
    );
    Ok(())
}

fn closes(fixture: &Fixture<'_>) -> CheckResult {
    let window = fixture.window()?;
    let windows = fixture.windows()?;
    windows.arrange(window.id, WindowChange::Close, call_deadline())?;
    eventually(|| {
        let is_listed = windows.list(call_deadline())?.iter().any(|one| one.id == window.id);
        Ok(is_listed.then(|| format!("{window:?} is still listed")))
    })?;
    let state = windows.state(window.id, call_deadline());
    ensure!(
        matches!(state, Err(Error::Gone { .. })),
        "expected `Gone` for the state of the closed window, got {state:?}"
    );
    let result = windows.arrange(window.id, WindowChange::Restore, call_deadline());
    ensure!(
        matches!(result, Err(Error::Gone { .. })),
        "expected `Gone` for a change of the closed window, got {result:?}"
    );
    Ok(())
}
