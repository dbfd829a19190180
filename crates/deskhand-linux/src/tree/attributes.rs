//! Everything AT-SPI knows about one element, for people who want to see it all.

use std::collections::HashMap;

use deskhand_model::NodeId;
use deskhand_platform::{Deadline, Error, Result};
use zbus::OwnedVariant;

use super::{
    bus::trouble,
    facts::Fact,
    link::Link,
    pipe::{Silence, body, call},
    role, spi, state,
};

/// Reads the raw facts of one element, under AT-SPI's own names.
pub(crate) fn read(link: &mut Link, id: &NodeId, by: Deadline) -> Result<Vec<(String, String)>> {
    let peer = link.peer();
    let (bus, path) = spi::parts(id);
    let (bus, path) = (bus.to_owned(), path.to_owned());
    let mut out = vec![("bus name".to_owned(), bus), ("object path".to_owned(), path.clone())];
    let pipe = link.pipe();
    let mut ask = |question: std::result::Result<zbus::Message, Silence>| match question
        .and_then(|message| pipe.ask(message, by))
    {
        Ok(answer) => Ok(Some(answer)),
        Err(Silence::Refused(_)) => Ok(None),
        Err(silence) => Err(trouble("the app", silence)),
    };
    let Some(number) = ask(Fact::Role.question(&peer, &path))?.and_then(|m| body::<u32>(&m).ok())
    else {
        return Err(Error::Gone { what: "the element".to_owned() });
    };
    let states = ask(Fact::States.question(&peer, &path))?
        .and_then(|m| body::<Vec<u32>>(&m).ok())
        .map(|words| state::from_words(&words))
        .unwrap_or_default();
    out.push((
        "role".to_owned(),
        format!("{number} ({})", role::from_number(number, states).atspi()),
    ));
    let interfaces: Vec<String> = ask(call(&peer, &path, spi::ACCESSIBLE, "GetInterfaces", &()))?
        .and_then(|m| body(&m).ok())
        .unwrap_or_default();
    let short = |name: &String| name.rsplit('.').next().unwrap_or(name).to_owned();
    out.push(("interfaces".to_owned(), interfaces.iter().map(short).collect::<Vec<_>>().join(" ")));
    let attributes: HashMap<String, String> = ask(Fact::Attributes.question(&peer, &path))?
        .and_then(|m| body(&m).ok())
        .unwrap_or_default();
    let mut attributes: Vec<_> = attributes.into_iter().collect();
    attributes.sort();
    out.extend(attributes.into_iter().map(|(name, value)| (format!("attribute {name}"), value)));
    for property in ["HelpText", "Locale"] {
        let text = ask(spi::get(&peer, &path, spi::ACCESSIBLE, property))?
            .and_then(|m| body::<OwnedVariant>(&m).ok())
            .and_then(|variant| String::try_from(variant).ok());
        out.extend(text.filter(|text| !text.is_empty()).map(|text| (property.to_owned(), text)));
    }
    Ok(out)
}
