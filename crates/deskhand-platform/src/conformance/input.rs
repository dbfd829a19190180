//! The pointer goes where it is sent, and its buttons go up again.

use super::{AppUse, Check, Outcome, Part, Scene, ensure, eventually, soon};
use crate::{Button, Press, Whose};

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "the_pointer_moves_and_comes_back",
        covers: &["Input::ready", "Input::pointer", "Input::move_to", "Screen::cursor"],
        needs: &[Part::Input, Part::Screen, Part::Windows],
        app: AppUse::Shared,
        run: moves,
    },
    Check {
        name: "a_button_is_down_until_it_is_let_go",
        covers: &["Input::button", "Input::is_down", "Input::let_go"],
        needs: &[Part::Input, Part::Windows],
        app: AppUse::Shared,
        run: buttons,
    },
];

fn moves(scene: &Scene<'_>) -> Outcome {
    let (input, screen) = (scene.input()?, scene.screen()?);
    input.ready(soon())?;
    let home = input.pointer(soon())?;
    let (x, y) = scene.to_front()?.bounds.center();
    for (x, y) in [(x, y), (x + 11, y - 7), home] {
        input.move_to(x, y, soon())?;
        eventually(|| {
            let (says, seen) = (input.pointer(soon())?, screen.cursor(soon())?);
            let there = says == (x, y) && seen == (x, y);
            Ok((!there).then(|| format!("sent to ({x}, {y}), at {says:?}, seen at {seen:?}")))
        })?;
    }
    Ok(())
}

fn buttons(scene: &Scene<'_>) -> Outcome {
    let input = scene.input()?;
    let home = input.pointer(soon())?;
    let (x, y) = scene.to_front()?.bounds.center();
    input.move_to(x, y, soon())?;
    let owners = scene.windows()?.owners(Whose::Pointer, soon())?;
    let ours = owners.iter().any(|owner| owner.pid == scene.app.pid);
    ensure!(ours, "what lies under the pointer belongs to {owners:?}");
    let is_down = |wanted: bool| {
        eventually(|| {
            let down = input.is_down(Button::Left, soon())?;
            Ok((down != wanted).then(|| format!("the left button is down: {down}")))
        })
    };
    is_down(false)?;
    input.button(Button::Left, Press::Down, soon())?;
    let seen = is_down(true);
    input.let_go(soon())?;
    seen?;
    is_down(false)?;
    input.wheel(0, 1, soon())?;
    input.wheel(0, -1, soon())?;
    input.move_to(home.0, home.1, soon())?;
    Ok(())
}
