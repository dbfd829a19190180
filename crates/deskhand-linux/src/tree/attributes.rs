//! All raw attributes that AT-SPI reports for one element.

use std::collections::HashMap;

use deskhand_model::NodeId;
use deskhand_platform::{Deadline, Error, Result};
use zbus::OwnedVariant;

use super::{
    app_connection::AppConnection,
    atspi,
    bus::platform_error,
    dbus::{CallError, body, method_call},
    facts::Fact,
    role, state,
};

/// Reads the raw attributes of one element, with AT-SPI's names for them.
pub(crate) fn read(
    connection: &mut AppConnection,
    id: &NodeId,
    deadline: Deadline,
) -> Result<Vec<(String, String)>> {
    let peer = connection.peer();
    let (bus, path) = atspi::split_node_id(id);
    let (bus, path) = (bus.to_owned(), path.to_owned());
    let mut out = vec![("bus name".to_owned(), bus), ("object path".to_owned(), path.clone())];
    let client = connection.client();
    let mut call = |request: std::result::Result<zbus::Message, CallError>| match request
        .and_then(|message| client.call(message, deadline))
    {
        Ok(reply) => Ok(Some(reply)),
        Err(CallError::Refused(_)) => Ok(None),
        Err(error) => Err(platform_error("the app", error)),
    };
    let Some(number) = call(Fact::Role.request(&peer, &path))?.and_then(|m| body::<u32>(&m).ok())
    else {
        return Err(Error::Gone { what: "the element".to_owned() });
    };
    let states = call(Fact::States.request(&peer, &path))?
        .and_then(|m| body::<Vec<u32>>(&m).ok())
        .map(|words| state::from_words(&words))
        .unwrap_or_default();
    out.push((
        "role".to_owned(),
        format!("{number} ({})", role::from_number(number, states).atspi()),
    ));
    let interfaces: Vec<String> =
        call(method_call(&peer, &path, atspi::ACCESSIBLE, "GetInterfaces", &()))?
            .and_then(|m| body(&m).ok())
            .unwrap_or_default();
    let short = |name: &String| name.rsplit('.').next().unwrap_or(name).to_owned();
    out.push(("interfaces".to_owned(), interfaces.iter().map(short).collect::<Vec<_>>().join(" ")));
    let attributes: HashMap<String, String> = call(Fact::Attributes.request(&peer, &path))?
        .and_then(|m| body(&m).ok())
        .unwrap_or_default();
    let mut attributes: Vec<_> = attributes.into_iter().collect();
    attributes.sort();
    out.extend(attributes.into_iter().map(|(name, value)| (format!("attribute {name}"), value)));
    for property in ["HelpText", "Locale"] {
        let text = call(atspi::property_call(&peer, &path, atspi::ACCESSIBLE, property))?
            .and_then(|m| body::<OwnedVariant>(&m).ok())
            .and_then(|variant| String::try_from(variant).ok());
        out.extend(text.filter(|text| !text.is_empty()).map(|text| (property.to_owned(), text)));
    }
    Ok(out)
}
