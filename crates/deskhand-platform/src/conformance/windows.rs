//! Windows are listed as they are, and change when they are asked to.

use deskhand_model::{Rect, Window};

use super::{AppUse, Check, Fault, Outcome, Part, Scene, ensure, eventually, soon};
use crate::{Arrange, Error, Whose};

/// No window system gives this number.
pub(super) const NO_WINDOW: u64 = u32::MAX as u64 - 5;

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "the_window_of_an_app_is_listed",
        covers: &["Windows::list", "Windows::state", "Windows::owners", "Windows::shown"],
        needs: &[Part::Windows],
        app: AppUse::Shared,
        run: listed,
    },
    Check {
        name: "a_window_comes_to_the_front",
        covers: &["Windows::arrange", "Windows::list", "Windows::owners"],
        needs: &[Part::Windows],
        app: AppUse::Shared,
        run: front,
    },
    Check {
        name: "a_window_moves",
        covers: &["Windows::arrange", "Windows::list"],
        needs: &[Part::Windows],
        app: AppUse::Shared,
        run: moves,
    },
    Check {
        name: "a_window_takes_another_size",
        covers: &["Windows::arrange", "Windows::state", "Windows::list"],
        needs: &[Part::Windows],
        app: AppUse::Shared,
        run: resizes,
    },
    Check {
        name: "a_window_is_minimized_and_restored",
        covers: &["Windows::arrange", "Windows::list"],
        needs: &[Part::Windows],
        app: AppUse::Shared,
        run: minimizes,
    },
    Check {
        name: "a_window_fills_the_work_area_and_no_longer",
        covers: &["Windows::arrange", "Windows::list", "Screen::displays"],
        needs: &[Part::Windows, Part::Screen],
        app: AppUse::Shared,
        run: |scene| fills(scene, Arrange::Maximize(true), Arrange::Maximize(false)),
    },
    Check {
        name: "a_window_fills_the_screen_and_no_longer",
        covers: &["Windows::arrange", "Windows::list", "Screen::displays"],
        needs: &[Part::Windows, Part::Screen],
        app: AppUse::Shared,
        run: |scene| fills(scene, Arrange::FullScreen(true), Arrange::FullScreen(false)),
    },
    Check {
        name: "a_window_that_is_not_there_is_gone",
        covers: &["Windows::state", "Windows::arrange"],
        needs: &[Part::Windows],
        app: AppUse::Shared,
        run: unknown,
    },
    Check {
        name: "a_window_that_is_closed_is_gone",
        covers: &["Windows::arrange", "Windows::list", "Windows::state"],
        needs: &[Part::Windows],
        app: AppUse::Own,
        run: closes,
    },
];

fn listed(scene: &Scene<'_>) -> Outcome {
    let windows = scene.windows()?;
    let all = windows.list(soon())?;
    let in_order = all.iter().is_sorted_by_key(|window| window.z);
    ensure!(in_order, "the frontmost does not stand first: {all:?}");
    let focused = all.iter().filter(|window| window.focused).count();
    ensure!(focused <= 1, "{focused} windows have the keyboard");
    let window = scene.window()?;
    let inside = window.frame.meet(window.bounds) == window.bounds;
    ensure!(inside && !window.bounds.is_empty(), "the content is not within the frame: {window:?}");
    ensure!(window.app.is_some(), "{window:?} does not tell its program");
    let state = windows.state(window.id, soon())?;
    ensure!(state.closable, "{state:?} cannot be closed");
    let owners = windows.owners(Whose::Window(window.id), soon())?;
    let ours = owners.iter().any(|owner| owner.pid == scene.app.pid);
    ensure!(ours, "{window:?} belongs to {owners:?}");
    let shown = windows.shown(soon())?;
    let drawn = shown.iter().any(|one| one.id == window.id && one.room.overlaps(window.frame));
    ensure!(drawn, "{window:?} is not among what is drawn: {shown:?}");
    Ok(())
}

/// Asks for a change, and waits until the list shows it.
fn change(
    scene: &Scene<'_>,
    window: &Window,
    change: Arrange,
    done: impl Fn(&Window) -> bool,
) -> Outcome {
    scene.windows()?.arrange(window.id, change, soon())?;
    eventually(|| {
        let all = scene.own_windows()?;
        let now = all.iter().find(|one| one.id == window.id);
        let seen = || format!("{change:?} was asked for, and the window is {now:?}");
        Ok((!now.is_some_and(&done)).then(seen))
    })
}

fn front(scene: &Scene<'_>) -> Outcome {
    let window = scene.window()?;
    change(scene, &window, Arrange::Focus, |now| now.focused)?;
    let owners = scene.windows()?.owners(Whose::Keyboard, soon())?;
    let ours = owners.iter().any(|owner| owner.pid == scene.app.pid);
    ensure!(ours, "the window has the keyboard, which belongs to {owners:?}");
    let now = scene.window()?;
    let (x, y) = now.bounds.center();
    let owners = scene.windows()?.owners(Whose::At(x, y), soon())?;
    let ours = owners.iter().any(|owner| owner.pid == scene.app.pid);
    ensure!(ours, "its middle ({x}, {y}) belongs to {owners:?}");
    Ok(())
}

fn moves(scene: &Scene<'_>) -> Outcome {
    let window = scene.window()?;
    let (x, y) = (window.frame.x, window.frame.y);
    let at = |x: i32, y: i32| move |now: &Window| (now.frame.x, now.frame.y) == (x, y);
    change(scene, &window, Arrange::MoveTo(x + 37, y + 23), at(x + 37, y + 23))?;
    let size = |rect: Rect| (rect.width, rect.height);
    let now = scene.window()?;
    ensure!(size(now.frame) == size(window.frame), "it moved, and became {:?}", now.frame);
    change(scene, &window, Arrange::MoveTo(x, y), at(x, y))
}

fn resizes(scene: &Scene<'_>) -> Outcome {
    if !scene.subject.resizable {
        return Err(Fault::NotInSubject("window of another size"));
    }
    let window = scene.window()?;
    let state = scene.windows()?.state(window.id, soon())?;
    // Windows that grow in steps take the next size they know.
    let step = state.step.unwrap_or((1, 1));
    let (width, height) = (window.frame.width + 64, window.frame.height + 48);
    let near = move |now: &Window| {
        now.frame.width.abs_diff(width) < step.0 && now.frame.height.abs_diff(height) < step.1
    };
    let wanted = Arrange::Resize(width.unsigned_abs(), height.unsigned_abs());
    change(scene, &window, wanted, near)
}

fn minimizes(scene: &Scene<'_>) -> Outcome {
    let window = scene.window()?;
    change(scene, &window, Arrange::Minimize, |now| now.minimized)?;
    change(scene, &window, Arrange::Restore, |now| !now.minimized)?;
    scene.to_front().map(drop)
}

fn fills(scene: &Scene<'_>, on: Arrange, off: Arrange) -> Outcome {
    if !scene.subject.resizable {
        return Err(Fault::NotInSubject("window of another size"));
    }
    let before = scene.window()?;
    let displays = scene.screen()?.displays(soon())?;
    let (x, y) = before.frame.center();
    let display = displays.iter().find(|display| display.frame.contains(x, y));
    let Some(display) = display else {
        return Err(Fault::Failed(format!("{before:?} is on none of {displays:?}")));
    };
    let goal = if matches!(on, Arrange::Maximize(_)) { display.work_area } else { display.frame };
    let area = |rect: Rect| i64::from(rect.width) * i64::from(rect.height);
    // Windows that grow in steps leave a little room.
    let fills = move |now: &Window| area(now.frame.meet(goal)) * 10 >= area(goal) * 9;
    change(scene, &before, on, fills)?;
    change(scene, &before, off, |now| !fills(now))
}

fn unknown(scene: &Scene<'_>) -> Outcome {
    let windows = scene.windows()?;
    let state = windows.state(NO_WINDOW, soon());
    ensure!(matches!(state, Err(Error::Gone { .. })), "its state is {state:?}");
    let asked = windows.arrange(NO_WINDOW, Arrange::Minimize, soon());
    ensure!(matches!(asked, Err(Error::Gone { .. })), "it can be asked: {asked:?}");
    Ok(())
}

fn closes(scene: &Scene<'_>) -> Outcome {
    let window = scene.window()?;
    let windows = scene.windows()?;
    windows.arrange(window.id, Arrange::Close, soon())?;
    eventually(|| {
        let there = windows.list(soon())?.iter().any(|one| one.id == window.id);
        Ok(there.then(|| format!("{window:?} is still listed")))
    })?;
    let state = windows.state(window.id, soon());
    ensure!(matches!(state, Err(Error::Gone { .. })), "the closed window is {state:?}");
    let asked = windows.arrange(window.id, Arrange::Restore, soon());
    ensure!(
        matches!(asked, Err(Error::Gone { .. })),
        "the closed window is brought back: {asked:?}"
    );
    Ok(())
}
