//! The pointer: position, movement, buttons and wheel.

use deskhand_platform::{Button, Press};
use x11rb::protocol::{
    xinput::ConnectionExt as _,
    xproto::{BUTTON_PRESS_EVENT, BUTTON_RELEASE_EVENT, ConnectionExt as _, MOTION_NOTIFY_EVENT},
    xtest::ConnectionExt as _,
};

use crate::{
    screen,
    x11::{X11Result, XServer},
};
/// The device id that every X server gives the user's pointer.
const CORE_POINTER: u16 = 2;

/// Returns the pointer position, relative to the primary monitor.
pub(super) fn position(server: &XServer) -> X11Result<(i32, i32)> {
    let pointer = server.connection.query_pointer(server.root)?.reply()?;
    let (left, top) = screen::origin(server)?;
    Ok((i32::from(pointer.root_x) - left, i32::from(pointer.root_y) - top))
}

/// Moves the pointer without intermediate steps.
pub(super) fn move_to(server: &XServer, x: i32, y: i32) -> X11Result<()> {
    let (left, top) = screen::origin(server)?;
    let (x, y) = (i16::try_from(x + left)?, i16::try_from(y + top)?);
    let XServer { connection, root, .. } = server;
    connection.xtest_fake_input(MOTION_NOTIFY_EVENT, 0, 0, *root, x, y, 0)?.check()?;
    Ok(())
}

/// Presses or releases a button.
pub(super) fn button(server: &XServer, button: Button, press: Press) -> X11Result<()> {
    send_presses(server, button_number(button), &[press])
}

/// Turns the wheel. Each notch is a press and release of one of the buttons 4 to 7.
pub(super) fn wheel(server: &XServer, right: i32, down: i32) -> X11Result<()> {
    let axes = [(down, 5, 4), (right, 7, 6)];
    for (notches, forward, backward) in axes {
        let button = if notches > 0 { forward } else { backward };
        for _ in 0..notches.unsigned_abs() {
            send_presses(server, button, &[Press::Down, Press::Up])?;
        }
    }
    Ok(())
}

/// Returns `true` if the button is pressed.
pub(super) fn is_down(server: &XServer, button: Button) -> X11Result<bool> {
    let XServer { connection, root, .. } = server;
    // The core protocol reports only five buttons.
    connection.xinput_xi_query_version(2, 2)?.reply()?;
    let buttons = connection.xinput_xi_query_pointer(*root, CORE_POINTER)?.reply()?.buttons;
    let number = usize::from(button_number(button));
    Ok(buttons.get(number / 32).is_some_and(|word| word & (1 << (number % 32)) != 0))
}

fn send_presses(server: &XServer, wanted: u8, presses: &[Press]) -> X11Result<()> {
    let XServer { connection, root, .. } = server;
    // The server applies the user's button mapping to XTEST too, so the physical button is looked
    // up first.
    let order = connection.get_pointer_mapping()?.reply()?.map;
    let index = order.iter().position(|logical| *logical == wanted);
    let physical = index.and_then(|index| u8::try_from(index + 1).ok()).unwrap_or(wanted);
    for press in presses {
        let kind = match press {
            Press::Down => BUTTON_PRESS_EVENT,
            Press::Up => BUTTON_RELEASE_EVENT,
        };
        connection.xtest_fake_input(kind, physical, 0, *root, 0, 0, 0)?.check()?;
    }
    Ok(())
}

fn button_number(button: Button) -> u8 {
    match button {
        Button::Left => 1,
        Button::Middle => 2,
        Button::Right => 3,
        Button::Back => 8,
        Button::Forward => 9,
    }
}
