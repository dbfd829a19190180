//! The pointer: where it is, moves, buttons, wheel.

use deskhand_platform::{Button, Press};
use x11rb::protocol::{
    xinput::ConnectionExt as _,
    xproto::{BUTTON_PRESS_EVENT, BUTTON_RELEASE_EVENT, ConnectionExt as _, MOTION_NOTIFY_EVENT},
    xtest::ConnectionExt as _,
};

use crate::{
    screen,
    x11::{Server, Trouble},
};

type Asked<T> = std::result::Result<T, Trouble>;

/// The number every server gives the pointer of the person at the desk.
const CORE_POINTER: u16 = 2;

/// Where the pointer is, counted from the main monitor.
pub(super) fn position(server: &Server) -> Asked<(i32, i32)> {
    let found = server.connection.query_pointer(server.root)?.reply()?;
    let (left, top) = screen::origin(server)?;
    Ok((i32::from(found.root_x) - left, i32::from(found.root_y) - top))
}

/// Moves the pointer at once.
pub(super) fn move_to(server: &Server, x: i32, y: i32) -> Asked<()> {
    let (left, top) = screen::origin(server)?;
    let (x, y) = (i16::try_from(x + left)?, i16::try_from(y + top)?);
    let Server { connection, root, .. } = server;
    connection.xtest_fake_input(MOTION_NOTIFY_EVENT, 0, 0, *root, x, y, 0)?.check()?;
    Ok(())
}

/// Presses or releases a button.
pub(super) fn button(server: &Server, button: Button, press: Press) -> Asked<()> {
    turn(server, number(button), &[press])
}

/// Turns the wheel: each notch is a press of one of four buttons.
pub(super) fn wheel(server: &Server, right: i32, down: i32) -> Asked<()> {
    let axes = [(down, 5, 4), (right, 7, 6)];
    for (notches, forward, backward) in axes {
        let button = if notches > 0 { forward } else { backward };
        for _ in 0..notches.unsigned_abs() {
            turn(server, button, &[Press::Down, Press::Up])?;
        }
    }
    Ok(())
}

/// Whether a button is down.
pub(super) fn is_down(server: &Server, button: Button) -> Asked<bool> {
    let Server { connection, root, .. } = server;
    // The core protocol tells of five buttons only.
    connection.xinput_xi_query_version(2, 2)?.reply()?;
    let buttons = connection.xinput_xi_query_pointer(*root, CORE_POINTER)?.reply()?.buttons;
    let number = usize::from(number(button));
    Ok(buttons.get(number / 32).is_some_and(|word| word & (1 << (number % 32)) != 0))
}

fn turn(server: &Server, wanted: u8, presses: &[Press]) -> Asked<()> {
    let Server { connection, root, .. } = server;
    // A left-handed person has swapped the buttons; the server swaps ours along.
    let order = connection.get_pointer_mapping()?.reply()?.map;
    let place = order.iter().position(|meant| *meant == wanted);
    let physical = place.and_then(|place| u8::try_from(place + 1).ok()).unwrap_or(wanted);
    for press in presses {
        let kind = match press {
            Press::Down => BUTTON_PRESS_EVENT,
            Press::Up => BUTTON_RELEASE_EVENT,
        };
        connection.xtest_fake_input(kind, physical, 0, *root, 0, 0, 0)?.check()?;
    }
    Ok(())
}

fn number(button: Button) -> u8 {
    match button {
        Button::Left => 1,
        Button::Middle => 2,
        Button::Right => 3,
        Button::Back => 8,
        Button::Forward => 9,
    }
}
