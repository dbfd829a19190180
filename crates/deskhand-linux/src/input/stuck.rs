//! Releases keys and buttons that an ended program left pressed. The X server tracks keys pressed
//! through XTEST on separate devices, so keys that the user holds are not affected.

use x11rb::{
    connection::Connection,
    protocol::{
        xinput::{ConnectionExt as _, InputStateData},
        xproto::{BUTTON_RELEASE_EVENT, ConnectionExt as _, KEY_RELEASE_EVENT},
        xtest::ConnectionExt as _,
    },
    rust_connection::RustConnection,
};

use crate::{private, x11::X11Result};

/// The part of a device name that identifies XTEST devices.
const XTEST_DEVICE_MARK: &[u8] = b"XTEST";

/// Releases all keys and buttons held through XTEST on a display.
pub(crate) fn release_stuck_input(display: &str) -> X11Result<()> {
    let connection = connect(display)?;
    connection.xinput_xi_query_version(2, 2)?.reply()?;
    const ALL: u16 = 0;
    let devices = connection.xinput_xi_query_device(ALL)?.reply()?.infos;
    let pressed_by_programs = |name: &[u8]| name.windows(5).any(|part| part == XTEST_DEVICE_MARK);
    for device in devices.iter().filter(|device| pressed_by_programs(&device.name)) {
        let state =
            connection.xinput_query_device_state(u8::try_from(device.deviceid)?)?.reply()?;
        for class in state.classes {
            let (event_type, down) = match class.data {
                InputStateData::Key(keys) => (KEY_RELEASE_EVENT, keys.keys),
                InputStateData::Button(buttons) => (BUTTON_RELEASE_EVENT, buttons.buttons),
                InputStateData::Valuator(_) | InputStateData::InvalidValue(_) => continue,
            };
            let is_down = |code: &u8| down[usize::from(code / 8)] & (1 << (code % 8)) != 0;
            for code in (0..=u8::MAX).filter(is_down) {
                connection.xtest_fake_input(event_type, code, 0, x11rb::NONE, 0, 0, 0)?;
            }
        }
    }
    // When this reply arrives, the server has processed all earlier requests.
    connection.get_input_focus()?.reply()?;
    connection.flush()?;
    Ok(())
}

/// Connects to a display. A private desktop needs its own X authority, any other display the
/// user's.
fn connect(display: &str) -> X11Result<RustConnection> {
    let own = private::list()?.into_iter().find(|one| one.display == display);
    match own {
        Some(own) => Ok(own.connect_x11()?),
        None => Ok(x11rb::connect(Some(display))?.0),
    }
}
