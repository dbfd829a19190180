//! The pointer moves, and its buttons are pressed and released.

use super::{
    AppUse, Capability, CheckResult, ConformanceCheck, Fixture, call_deadline, ensure, eventually,
};
use crate::{Button, OwnerQuery, Press};

pub(super) const CHECKS: &[ConformanceCheck] = &[
    ConformanceCheck {
        name: "the_pointer_moves_and_comes_back",
        covers: &[
            "Input::check_ready",
            "Input::pointer_position",
            "Input::move_pointer",
            "Screen::pointer_position",
        ],
        requires: &[Capability::Input, Capability::Screen, Capability::Windows],
        app: AppUse::Shared,
        run: moves,
    },
    ConformanceCheck {
        name: "a_button_is_down_until_it_is_released",
        covers: &["Input::send_button", "Input::is_button_down", "Input::release_all"],
        requires: &[Capability::Input, Capability::Windows],
        app: AppUse::Shared,
        run: buttons,
    },
];

fn moves(fixture: &Fixture<'_>) -> CheckResult {
    let (input, screen) = (fixture.input()?, fixture.screen()?);
    input.check_ready(call_deadline())?;
    let home = input.pointer_position(call_deadline())?;
    let (x, y) = fixture.focus_window()?.bounds.center();
    for (x, y) in [(x, y), (x + 11, y - 7), home] {
        input.move_pointer(x, y, call_deadline())?;
        eventually(|| {
            let (by_input, by_screen) = (
                input.pointer_position(call_deadline())?,
                screen.pointer_position(call_deadline())?,
            );
            let arrived = by_input == (x, y) && by_screen == (x, y);
            Ok((!arrived).then(|| format!("moved to ({x}, {y}); `Input` reports {by_input:?}, `Screen` reports {by_screen:?}")))
        })?;
    }
    Ok(())
}

fn buttons(fixture: &Fixture<'_>) -> CheckResult {
    let input = fixture.input()?;
    let home = input.pointer_position(call_deadline())?;
    let (x, y) = fixture.focus_window()?.bounds.center();
    input.move_pointer(x, y, call_deadline())?;
    let owners = fixture.windows()?.owners(OwnerQuery::Pointer, call_deadline())?;
    let ours = owners.iter().any(|owner| owner.pid == fixture.app.pid);
    ensure!(ours, "expected the app under the pointer, got {owners:?}");
    let wait_for_button = |expected: bool| {
        eventually(|| {
            let down = input.is_button_down(Button::Left, call_deadline())?;
            Ok((down != expected).then(|| format!("the left button is down: {down}")))
        })
    };
    wait_for_button(false)?;
    input.send_button(Button::Left, Press::Down, call_deadline())?;
    let pressed = wait_for_button(true);
    input.release_all(call_deadline())?;
    pressed?;
    wait_for_button(false)?;
    input.scroll(0, 1, call_deadline())?;
    input.scroll(0, -1, call_deadline())?;
    input.move_pointer(home.0, home.1, call_deadline())?;
    Ok(())
}
