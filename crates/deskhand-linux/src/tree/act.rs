//! Acts on elements. What an app replies is passed on and believed by nobody.

use std::time::Duration;

use deskhand_model::{App, NodeId, State};
use deskhand_platform::{Act, Deadline, Error, Reply, Result};
use serde::Serialize;
use zbus::{DynamicType, Message, OwnedVariant, Variant};

use super::{
    bus::trouble,
    facts,
    link::Link,
    pipe::{Answer, Peer, Pipe, Silence, body, call},
    quirks::Quirks,
    spi, state, texts,
};

/// How far above an item the container is looked for that keeps its selection.
const CONTAINER: usize = 3;

/// How long an element may take to say what it did.
const REPLY: Duration = Duration::from_millis(150);

/// One element, and the way to it.
pub(crate) struct Object<'a> {
    pub(crate) pipe: &'a mut Pipe,
    pub(crate) peer: Peer,
    pub(crate) path: String,
    pub(crate) by: Deadline,
}

impl<'a> Object<'a> {
    /// The element of an id.
    pub(crate) fn of(link: &'a mut Link, id: &NodeId, by: Deadline) -> Result<Self> {
        let (bus, path) = spi::parts(id);
        let path = path.to_owned();
        let peer = link.peer();
        if bus == link.name() {
            return Ok(Self { pipe: link.pipe(), peer, path, by });
        }
        let peer = Peer::Named(bus.to_owned());
        Ok(Self { pipe: link.bus(by)?, peer, path, by })
    }

    /// Calls a method and waits for the answer.
    pub(crate) fn ask<B: Serialize + DynamicType>(
        &mut self,
        interface: &str,
        method: &str,
        arguments: &B,
    ) -> Answer {
        let ask = call(&self.peer, &self.path, interface, method, arguments)?;
        self.pipe.ask(ask, self.by)
    }

    /// Tells the element to do something, and waits no longer than a moment for what it says: Qt
    /// answers only when the dialog it opened is closed.
    pub(crate) fn tell<B: Serialize + DynamicType>(
        &mut self,
        interface: &str,
        method: &str,
        arguments: &B,
    ) -> Answer {
        let ask = call(&self.peer, &self.path, interface, method, arguments)?;
        self.pipe.ask(ask, self.by.or_after(REPLY))
    }

    /// Reads a property.
    pub(crate) fn get(&mut self, interface: &str, property: &str) -> Answer {
        let ask = spi::get(&self.peer, &self.path, interface, property)?;
        self.pipe.ask(ask, self.by)
    }

    /// Whether the element has an ability.
    fn has(&mut self, interface: &str) -> Result<bool> {
        let answer = self.ask(spi::ACCESSIBLE, "GetInterfaces", &());
        let all: Vec<String> = answer.and_then(|m| body(&m)).map_err(lost)?;
        Ok(all.iter().any(|one| one == interface))
    }

    fn must_have(&mut self, interface: &str, what: &str) -> Result<()> {
        if self.has(interface)? {
            return Ok(());
        }
        let ability = interface.rsplit('.').next().unwrap_or(interface);
        Err(unsupported(what, &format!("the element does not offer `{ability}`")))
    }
}

/// What a failed question about an element means.
pub(crate) fn lost(silence: Silence) -> Error {
    let unknown = matches!(&silence, Silence::Refused(name) if name.ends_with("UnknownObject"));
    if unknown {
        Error::Gone { what: "the element".to_owned() }
    } else {
        trouble("the app", silence)
    }
}

fn unsupported(what: &str, why: &str) -> Error {
    Error::Unsupported { what: what.to_owned(), why: why.to_owned() }
}

/// What an app said to something it was told to do.
fn said(answer: Answer) -> Result<Reply> {
    match answer {
        Ok(message) => Ok(match body::<bool>(&message) {
            Ok(false) => Reply::Declined,
            // Setting a property is answered with nothing.
            Ok(true) | Err(_) => Reply::Accepted,
        }),
        Err(Silence::Late) => Ok(Reply::Unanswered),
        Err(Silence::Refused(name)) if !name.ends_with("UnknownObject") => Ok(Reply::Declined),
        Err(silence) => Err(lost(silence)),
    }
}

/// Does one thing to one element.
pub(crate) fn perform(
    link: &mut Link,
    app: &App,
    id: &NodeId,
    act: &Act,
    by: Deadline,
) -> Result<Reply> {
    let mut object = Object::of(link, id, by)?;
    match act {
        Act::Do(name) => do_action(&mut object, name),
        Act::FocusQuietly if Quirks::of(app).presents => {
            Err(unsupported("focus", "its toolkit brings the window forward for it"))
        }
        Act::Focus | Act::FocusQuietly => {
            object.must_have(spi::COMPONENT, "focus")?;
            said(object.tell(spi::COMPONENT, "GrabFocus", &()))
        }
        Act::SetText(text) => {
            object.must_have(spi::EDITABLE_TEXT, "set text")?;
            said(object.tell(spi::EDITABLE_TEXT, "SetTextContents", &text.as_str()))
        }
        Act::Insert(text) => {
            object.must_have(spi::EDITABLE_TEXT, "type")?;
            texts::insert(&mut object, app, text).and_then(said)
        }
        Act::SetCaret(at) => {
            object.must_have(spi::TEXT, "move the caret")?;
            let at = texts::offset(&mut object, app, *at)?;
            said(object.tell(spi::TEXT, "SetCaretOffset", &at))
        }
        Act::SetNumber(number) => {
            object.must_have(spi::VALUE, "set value")?;
            let new = Variant::from(*number);
            said(object.tell(spi::PROPERTIES, "Set", &(spi::VALUE, "CurrentValue", new)))
        }
        Act::Select => select(object, "SelectChild"),
        Act::Deselect => select(object, "DeselectChild"),
        Act::SelectOnly => select_only(object),
        Act::SelectItem(index) => {
            object.must_have(spi::SELECTION, "select")?;
            let index = i32::try_from(*index).unwrap_or(i32::MAX);
            said(object.tell(spi::SELECTION, "SelectChild", &index))
        }
        Act::SelectNone => {
            object.must_have(spi::SELECTION, "select")?;
            said(object.tell(spi::SELECTION, "ClearSelection", &()))
        }
        Act::Reveal => {
            const ANYWHERE: u32 = 6;
            object.must_have(spi::COMPONENT, "scroll into view")?;
            said(object.tell(spi::COMPONENT, "ScrollTo", &ANYWHERE))
        }
    }
}

fn do_action(object: &mut Object<'_>, name: &str) -> Result<Reply> {
    object.must_have(spi::ACTION, name)?;
    let answer = object.ask(spi::ACTION, "GetActions", &());
    let all: Vec<(String, String, String)> = answer.and_then(|m| body(&m)).map_err(lost)?;
    let mut names: Vec<String> = Vec::with_capacity(all.len());
    for (index, (translated, ..)) in (0_i32..).zip(all) {
        let own = object.ask(spi::ACTION, "GetName", &index).and_then(|m| body::<String>(&m));
        names.push(own.ok().filter(|name| !name.is_empty()).unwrap_or(translated));
    }
    let Some(at) = names.iter().position(|one| one.eq_ignore_ascii_case(name)) else {
        let why = format!("the element offers only: {}", names.join(", "));
        return Err(unsupported(name, &why));
    };
    let at = i32::try_from(at).unwrap_or(i32::MAX);
    said(object.tell(spi::ACTION, "DoAction", &at))
}

/// Finds the container that keeps an item's selection, and where the item stands in it.
fn container(object: &mut Object<'_>) -> Result<i32> {
    for _ in 0..CONTAINER {
        let index = object.ask(spi::ACCESSIBLE, "GetIndexInParent", &());
        let index: i32 = index.and_then(|m| body(&m)).map_err(lost)?;
        let parent = object.get(spi::ACCESSIBLE, "Parent").map_err(lost)?;
        let Some(path) = reference(&parent) else { break };
        object.path = path;
        if object.has(spi::SELECTION)? {
            return Ok(index);
        }
    }
    Err(unsupported("select", "nothing around the element keeps a selection"))
}

/// The items an element says are selected in it.
pub(crate) fn selected(
    link: &mut Link,
    app: &App,
    id: &NodeId,
    by: Deadline,
) -> Result<Option<Vec<NodeId>>> {
    const MOST: i64 = 100;
    let mut object = Object::of(link, id, by)?;
    if !object.has(spi::SELECTION)? {
        let quirks = Quirks::of(app);
        // What the items say of themselves is true in browsers alone.
        return if quirks.chromium || quirks.gecko { marked(object).map(Some) } else { Ok(None) };
    }
    let count = object.get(spi::SELECTION, "NSelectedChildren").map_err(lost)?;
    let mut items = Vec::new();
    for at in 0..facts::integer(&count).unwrap_or(0).clamp(0, MOST) {
        let answer = object.ask(spi::SELECTION, "GetSelectedChild", &(at as i32));
        let (bus, path): spi::Reference = answer.and_then(|m| body(&m)).map_err(lost)?;
        if path.as_str() != spi::NULL_PATH {
            items.push(spi::node_id(&bus, path.as_str()));
        }
    }
    Ok(Some(items))
}

/// The items in a closed list that say they are selected.
fn marked(mut object: Object<'_>) -> Result<Vec<NodeId>> {
    const MOST: usize = 300;
    const DEEP: usize = 2;
    let mut found = Vec::new();
    let mut open = vec![(object.path.clone(), 0)];
    let mut asked = 0;
    while let Some((path, depth)) = open.pop() {
        object.path = path;
        let children = object.ask(spi::ACCESSIBLE, "GetChildren", &());
        let children: Vec<spi::Reference> = children.and_then(|m| body(&m)).map_err(lost)?;
        for (bus, path) in children {
            asked += 1;
            if asked > MOST {
                return Ok(found);
            }
            path.as_str().clone_into(&mut object.path);
            let states = object.ask(spi::ACCESSIBLE, "GetState", &());
            let words: Vec<u32> = states.and_then(|m| body(&m)).map_err(lost)?;
            if state::from_words(&words).has(State::Selected) {
                found.push(spi::node_id(&bus, path.as_str()));
            } else if depth < DEEP {
                open.push((path.as_str().to_owned(), depth + 1));
            }
        }
    }
    Ok(found)
}

fn reference(message: &Message) -> Option<String> {
    let variant: OwnedVariant = body(message).ok()?;
    let (_, path) = spi::Reference::try_from(variant).ok()?;
    (path.as_str() != spi::NULL_PATH).then(|| path.as_str().to_owned())
}

fn select(mut object: Object<'_>, method: &str) -> Result<Reply> {
    let index = container(&mut object)?;
    said(object.tell(spi::SELECTION, method, &index))
}

fn select_only(mut object: Object<'_>) -> Result<Reply> {
    let index = container(&mut object)?;
    // Containers that always have one item selected refuse to have none: the next line tells.
    let _kept = object.ask(spi::SELECTION, "ClearSelection", &());
    said(object.tell(spi::SELECTION, "SelectChild", &index))
}
