//! The two buses of a desktop: its session bus, and the accessibility bus with its registry.

use std::collections::HashMap;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use zbus::{Connection, DynamicType, Type, Variant, block_on, connection};

use super::crew::{Crew, PATIENCE};
use super::error::Result;
use super::info::Part;
use super::programs::Programs;

const DBUS: (&str, &str, &str) =
    ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus");
const LAUNCHER: (&str, &str, &str) = ("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus");
const LAUNCHER_PROPERTIES: (&str, &str, &str) =
    ("org.a11y.Bus", "/org/a11y/bus", "org.freedesktop.DBus.Properties");
const REGISTRY: &str = "org.a11y.atspi.Registry";

/// Starts the session bus and connects to it. It starts no service but the accessibility bus.
pub(super) fn start(crew: &Crew<'_>, programs: &Programs) -> Result<Connection> {
    let place = crew.place();
    let launcher = programs.at_spi_bus_launcher.display();
    place.write(
        &place.services().join("org.a11y.Bus.service"),
        format!(
            "[D-BUS Service]\nName=org.a11y.Bus\n\
             Exec={launcher} --launch-immediately --a11y=1 --screen-reader=0\n"
        )
        .as_bytes(),
    )?;
    let config = config(&place.session_bus(), &place.services());
    place.write(&place.bus_config(), config.as_bytes())?;
    let config = format!("--config-file={}", place.bus_config().display());
    let arguments = [&config, "--nofork", "--nopidfile", "--nosyslog", "--print-address=3"];
    let program = &programs.dbus_daemon;
    let mut started = crew.start(Part::SessionBus, program, &arguments, None)?;
    crew.first_line(program, &mut started.report)?;
    block_on(connect(&place.session_bus()))
        .map_err(|error| crew.failed(program, &error.to_string()))
}

/// Starts the accessibility bus and its registry, switches accessibility on, and returns the
/// address of the bus.
pub(super) fn start_a11y(
    crew: &Crew<'_>,
    programs: &Programs,
    session: &Connection,
    display: &str,
) -> Result<String> {
    block_on(async {
        // What the bus starts gets the environment of the bus, which is older than the display.
        let display = HashMap::from([("DISPLAY", display)]);
        call::<_, ()>(session, DBUS, "UpdateActivationEnvironment", &display).await?;
        let address: String = call(session, LAUNCHER, "GetAddress", &()).await?;
        // Qt 6, Firefox and Chromium look at this once, when they start. `ScreenReaderEnabled`
        // stays off: desktops start a screen reader when they see it.
        let enable = ("org.a11y.Status", "IsEnabled", Variant::from(true));
        call::<_, ()>(session, LAUNCHER_PROPERTIES, "Set", &enable).await?;
        let a11y = connect(&address).await?;
        let _: u32 = call(&a11y, DBUS, "StartServiceByName", &(REGISTRY, 0_u32)).await?;
        let launcher = pid(session, LAUNCHER.0).await?;
        Ok((address, launcher, pid(&a11y, DBUS.0).await?, pid(&a11y, REGISTRY).await?))
    })
    .map_err(|error: zbus::Error| {
        // What the launcher says is in the log of the bus that started it.
        let (program, log) = (&programs.at_spi_bus_launcher, &programs.dbus_daemon);
        crew.failed_as_logged_by(program, log, &error.to_string())
    })
    .and_then(|(address, launcher, bus, registry)| {
        crew.add(Part::A11yLauncher, "at-spi-bus-launcher", launcher)?;
        crew.add(Part::A11yBus, "dbus-daemon", bus)?;
        crew.add(Part::A11yRegistry, "at-spi2-registryd", registry)?;
        Ok(address)
    })
}

async fn connect(address: &str) -> zbus::Result<Connection> {
    connection::Builder::address(address).method_timeout(PATIENCE).build().await
}

async fn pid(bus: &Connection, name: &str) -> zbus::Result<u32> {
    call(bus, DBUS, "GetConnectionUnixProcessID", &name).await
}

async fn call<B, R>(
    bus: &Connection,
    (destination, path, interface): (&str, &str, &str),
    method: &str,
    body: &B,
) -> zbus::Result<R>
where
    B: Serialize + DynamicType,
    R: DeserializeOwned + Type,
{
    let reply = bus.call_method(Some(destination), path, Some(interface), method, body).await?;
    reply.body().deserialize()
}

/// The limits are those of a usual session bus; the defaults are made for a system bus.
fn config(address: &str, services: &Path) -> String {
    let services = services.display();
    format!(
        r#"<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <keep_umask/>
  <listen>{address}</listen>
  <auth>EXTERNAL</auth>
  <servicedir>{services}</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
  <limit name="max_incoming_bytes">1000000000</limit>
  <limit name="max_incoming_unix_fds">250000000</limit>
  <limit name="max_outgoing_bytes">1000000000</limit>
  <limit name="max_outgoing_unix_fds">250000000</limit>
  <limit name="max_message_size">1000000000</limit>
  <limit name="max_completed_connections">100000</limit>
  <limit name="max_incomplete_connections">10000</limit>
  <limit name="max_connections_per_user">100000</limit>
  <limit name="max_names_per_connection">50000</limit>
  <limit name="max_match_rules_per_connection">50000</limit>
  <limit name="max_replies_per_connection">50000</limit>
</busconfig>
"#
    )
}
