//! Keys and buttons a program that is gone has left down: the server holds those that were pressed by
//! programs on devices of their own, so that nothing a person holds is let go of.

use x11rb::{
    connection::Connection,
    protocol::{
        xinput::{ConnectionExt as _, InputStateData},
        xproto::{BUTTON_RELEASE_EVENT, ConnectionExt as _, KEY_RELEASE_EVENT},
        xtest::ConnectionExt as _,
    },
    rust_connection::RustConnection,
};

use crate::{private, x11::Trouble};

/// What the devices that programs press keys on have in their names.
const BY_PROGRAMS: &[u8] = b"XTEST";

/// Lets go of everything programs hold down on a display.
pub(crate) fn release(display: &str) -> Result<(), Trouble> {
    let connection = open(display)?;
    connection.xinput_xi_query_version(2, 2)?.reply()?;
    const ALL: u16 = 0;
    let devices = connection.xinput_xi_query_device(ALL)?.reply()?.infos;
    let pressed_by_programs = |name: &[u8]| name.windows(5).any(|part| part == BY_PROGRAMS);
    for device in devices.iter().filter(|device| pressed_by_programs(&device.name)) {
        let state =
            connection.xinput_query_device_state(u8::try_from(device.deviceid)?)?.reply()?;
        for class in state.classes {
            let (kind, down) = match class.data {
                InputStateData::Key(keys) => (KEY_RELEASE_EVENT, keys.keys),
                InputStateData::Button(buttons) => (BUTTON_RELEASE_EVENT, buttons.buttons),
                InputStateData::Valuator(_) | InputStateData::InvalidValue(_) => continue,
            };
            let is_down = |code: &u8| down[usize::from(code / 8)] & (1 << (code % 8)) != 0;
            for code in (0..=u8::MAX).filter(is_down) {
                connection.xtest_fake_input(kind, code, 0, x11rb::NONE, 0, 0, 0)?;
            }
        }
    }
    // Whatever was sent before has been done when this is answered.
    connection.get_input_focus()?.reply()?;
    connection.flush()?;
    Ok(())
}

/// Private desktops have a key of their own; the person's desktop lets in whoever has theirs.
fn open(display: &str) -> Result<RustConnection, Trouble> {
    let own = private::list()?.into_iter().find(|one| one.display == display);
    match own {
        Some(own) => Ok(own.connect_x11()?),
        None => Ok(x11rb::connect(Some(display))?.0),
    }
}
