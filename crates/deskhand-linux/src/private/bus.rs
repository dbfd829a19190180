//! The two buses of a desktop: the session bus, and the accessibility bus with its registry.

use std::collections::HashMap;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use zbus::{Connection, DynamicType, Type, Variant, block_on, connection};

use super::components::ComponentStarter;
use super::error::Result;
use super::info::ComponentKind;
use super::programs::Programs;
use super::timing::START_TIMEOUT;

const DBUS: (&str, &str, &str) =
    ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus");
const A11Y_BUS: (&str, &str, &str) = ("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus");
const A11Y_BUS_PROPERTIES: (&str, &str, &str) =
    ("org.a11y.Bus", "/org/a11y/bus", "org.freedesktop.DBus.Properties");
const REGISTRY: &str = "org.a11y.atspi.Registry";

/// Starts the session bus and connects to it. The accessibility bus is the only service it can
/// start.
pub(super) fn start(starter: &ComponentStarter<'_>, programs: &Programs) -> Result<Connection> {
    let dir = starter.dir();
    let launcher = programs.at_spi_bus_launcher.display();
    dir.write(
        &dir.services().join("org.a11y.Bus.service"),
        format!(
            "[D-BUS Service]\nName=org.a11y.Bus\n\
             Exec={launcher} --launch-immediately --a11y=1 --screen-reader=0\n"
        )
        .as_bytes(),
    )?;
    let config = config(&dir.session_bus(), &dir.services());
    dir.write(&dir.bus_config(), config.as_bytes())?;
    let config = format!("--config-file={}", dir.bus_config().display());
    let arguments = [&config, "--nofork", "--nopidfile", "--nosyslog", "--print-address=3"];
    let program = &programs.dbus_daemon;
    let mut started = starter.start(ComponentKind::SessionBus, program, &arguments, None)?;
    starter.first_line(program, &mut started.report)?;
    block_on(connect(&dir.session_bus()))
        .map_err(|error| starter.failed(program, &error.to_string()))
}

/// Starts the accessibility bus and its registry, enables accessibility, and returns the bus
/// address.
pub(super) fn start_a11y(
    starter: &ComponentStarter<'_>,
    programs: &Programs,
    session: &Connection,
    display: &str,
) -> Result<String> {
    block_on(async {
        // Services inherit the environment of the bus, which was started before the display.
        let display = HashMap::from([("DISPLAY", display)]);
        call::<_, ()>(session, DBUS, "UpdateActivationEnvironment", &display).await?;
        let address: String = call(session, A11Y_BUS, "GetAddress", &()).await?;
        // Qt 6, Firefox and Chromium read this once at their start. `ScreenReaderEnabled` stays
        // off: desktops would start a screen reader.
        let enable = ("org.a11y.Status", "IsEnabled", Variant::from(true));
        call::<_, ()>(session, A11Y_BUS_PROPERTIES, "Set", &enable).await?;
        let a11y = connect(&address).await?;
        let _: u32 = call(&a11y, DBUS, "StartServiceByName", &(REGISTRY, 0_u32)).await?;
        let launcher = pid(session, A11Y_BUS.0).await?;
        Ok((address, launcher, pid(&a11y, DBUS.0).await?, pid(&a11y, REGISTRY).await?))
    })
    .map_err(|error: zbus::Error| {
        // The launcher writes to the log of the bus that started it.
        let (program, log) = (&programs.at_spi_bus_launcher, &programs.dbus_daemon);
        starter.failed_with_log_of(program, log, &error.to_string())
    })
    .and_then(|(address, launcher, bus, registry)| {
        starter.add(ComponentKind::A11yLauncher, "at-spi-bus-launcher", launcher)?;
        starter.add(ComponentKind::A11yBus, "dbus-daemon", bus)?;
        starter.add(ComponentKind::A11yRegistry, "at-spi2-registryd", registry)?;
        Ok(address)
    })
}

async fn connect(address: &str) -> zbus::Result<Connection> {
    connection::Builder::address(address).method_timeout(START_TIMEOUT).build().await
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

/// Returns the configuration of the session bus. Its limits are those of a usual session bus; the
/// defaults are meant for a system bus.
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
