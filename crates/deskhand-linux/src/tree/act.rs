//! Actions on elements. An app's reply is passed on, but callers verify the effect themselves.

use deskhand_model::{App, NodeId, State};
use deskhand_platform::{ActionReply, Deadline, Error, NodeAction, Result};
use serde::Serialize;
use zbus::{DynamicType, Message, OwnedVariant, Variant};

use super::{
    app_connection::AppConnection,
    atspi,
    bus::platform_error,
    dbus::{CallError, CallResult, DbusClient, Peer, body, method_call},
    facts,
    main_loop::MainLoopProbe,
    quirks::Quirks,
    state, texts,
    timing::{ACTION_REPLY_TIMEOUT, MAIN_LOOP_INTERVAL},
};

/// Number of ancestors of an item to search for the container that manages its selection.
const MAX_CONTAINER_LEVELS: usize = 3;

/// An element and the connection to reach it.
pub(crate) struct ElementProxy<'a> {
    pub(crate) client: &'a mut DbusClient,
    pub(crate) peer: Peer,
    pub(crate) path: String,
    pub(crate) deadline: Deadline,
    /// The element belongs to another process than its window, such as a page of WebKit.
    pub(crate) is_embedded: bool,
    main_loop: MainLoopProbe,
}

impl<'a> ElementProxy<'a> {
    /// Returns a proxy for the element with this id.
    pub(crate) fn new(
        connection: &'a mut AppConnection,
        id: &NodeId,
        deadline: Deadline,
    ) -> Result<Self> {
        let (bus, path) = atspi::split_node_id(id);
        let path = path.to_owned();
        let peer = connection.peer();
        let main_loop = connection.main_loop_probe(bus);
        if bus == connection.name() {
            let client = connection.client();
            return Ok(Self { client, peer, path, deadline, is_embedded: false, main_loop });
        }
        let peer = Peer::Named(bus.to_owned());
        let client = connection.bus(deadline)?;
        Ok(Self { client, peer, path, deadline, is_embedded: true, main_loop })
    }

    /// Calls a method and waits for the reply until the deadline.
    pub(crate) fn call<B: Serialize + DynamicType>(
        &mut self,
        interface: &str,
        method: &str,
        arguments: &B,
    ) -> CallResult {
        let message = method_call(&self.peer, &self.path, interface, method, arguments)?;
        self.client.call(message, self.deadline)
    }

    /// Calls a method that performs an action, and waits only briefly for the reply: Qt replies
    /// only after the dialog that the action opened is closed. If the main loop answers other calls
    /// in the meantime, it is that of a dialog, and there is nothing to wait for.
    pub(crate) fn call_action<B: Serialize + DynamicType>(
        &mut self,
        interface: &str,
        method: &str,
        arguments: &B,
    ) -> CallResult {
        let message = method_call(&self.peer, &self.path, interface, method, arguments)?;
        let deadline = self.deadline.at_most(ACTION_REPLY_TIMEOUT);
        let main_loop = &mut self.main_loop;
        self.client.call_while(message, deadline, MAIN_LOOP_INTERVAL, || !main_loop.has_run())
    }

    /// Reads a property.
    pub(crate) fn get_property(&mut self, interface: &str, property: &str) -> CallResult {
        let message = atspi::property_call(&self.peer, &self.path, interface, property)?;
        self.client.call(message, self.deadline)
    }

    /// Returns `true` if the element implements an interface.
    fn has_interface(&mut self, interface: &str) -> Result<bool> {
        let result = self.call(atspi::ACCESSIBLE, "GetInterfaces", &());
        let all: Vec<String> = result.and_then(|m| body(&m)).map_err(element_error)?;
        Ok(all.iter().any(|one| one == interface))
    }

    fn require_interface(&mut self, interface: &str, what: &str) -> Result<()> {
        if self.has_interface(interface)? {
            return Ok(());
        }
        let short_name = interface.rsplit('.').next().unwrap_or(interface);
        Err(unsupported(what, &format!("the element does not implement `{short_name}`")))
    }
}

/// Converts the error of a call to an element.
pub(crate) fn element_error(error: CallError) -> Error {
    let unknown = matches!(&error, CallError::Refused(name) if name.ends_with("UnknownObject"));
    if unknown {
        Error::Gone { what: "the element".to_owned() }
    } else {
        platform_error("the app", error)
    }
}

fn unsupported(what: &str, why: &str) -> Error {
    Error::Unsupported { what: what.to_owned(), why: why.to_owned() }
}

/// Converts the result of an action call into the app's reply.
fn reply_of(result: CallResult) -> Result<ActionReply> {
    match result {
        Ok(message) => Ok(match body::<bool>(&message) {
            Ok(false) => ActionReply::Declined,
            // Setting a property returns no value.
            Ok(true) | Err(_) => ActionReply::Accepted,
        }),
        Err(CallError::TimedOut) => Ok(ActionReply::Unanswered),
        Err(CallError::Refused(name)) if !name.ends_with("UnknownObject") => {
            Ok(ActionReply::Declined)
        }
        Err(error) => Err(element_error(error)),
    }
}

/// Performs one action on one element.
pub(crate) fn perform(
    connection: &mut AppConnection,
    app: &App,
    id: &NodeId,
    act: &NodeAction,
    deadline: Deadline,
) -> Result<ActionReply> {
    let mut element = ElementProxy::new(connection, id, deadline)?;
    match act {
        NodeAction::Invoke(name) => do_action(&mut element, name),
        NodeAction::FocusWithoutRaise if Quirks::of(app).raises_window_on_focus => Err(
            unsupported("focus", "this toolkit raises the window when an element gets the focus"),
        ),
        NodeAction::Focus | NodeAction::FocusWithoutRaise => {
            element.require_interface(atspi::COMPONENT, "focus")?;
            reply_of(element.call_action(atspi::COMPONENT, "GrabFocus", &()))
        }
        NodeAction::SetText(text) => {
            element.require_interface(atspi::EDITABLE_TEXT, "set text")?;
            reply_of(element.call_action(atspi::EDITABLE_TEXT, "SetTextContents", &text.as_str()))
        }
        NodeAction::Insert(text) => {
            element.require_interface(atspi::EDITABLE_TEXT, "type")?;
            texts::insert(&mut element, app, text).and_then(reply_of)
        }
        NodeAction::SetCaret(at) => {
            element.require_interface(atspi::TEXT, "move the caret")?;
            let at = texts::to_app_offset(&mut element, app, *at)?;
            reply_of(element.call_action(atspi::TEXT, "SetCaretOffset", &at))
        }
        NodeAction::SetNumber(number) => {
            element.require_interface(atspi::VALUE, "set value")?;
            let new = Variant::from(*number);
            reply_of(element.call_action(
                atspi::PROPERTIES,
                "Set",
                &(atspi::VALUE, "CurrentValue", new),
            ))
        }
        NodeAction::Select => {
            let index = enter_container(&mut element)?;
            add_to_selection(&mut element, index)
        }
        NodeAction::Deselect => {
            let index = enter_container(&mut element)?;
            reply_of(element.call_action(atspi::SELECTION, "DeselectChild", &index))
        }
        NodeAction::SelectOnly => select_only(element),
        NodeAction::SelectItem(index) => {
            element.require_interface(atspi::SELECTION, "select")?;
            add_to_selection(&mut element, i32::try_from(*index).unwrap_or(i32::MAX))
        }
        NodeAction::SelectNone => {
            element.require_interface(atspi::SELECTION, "select")?;
            reply_of(element.call_action(atspi::SELECTION, "ClearSelection", &()))
        }
        NodeAction::Reveal => {
            const SCROLL_ANYWHERE: u32 = 6;
            element.require_interface(atspi::COMPONENT, "scroll into view")?;
            reply_of(element.call_action(atspi::COMPONENT, "ScrollTo", &SCROLL_ANYWHERE))
        }
    }
}

fn do_action(element: &mut ElementProxy<'_>, name: &str) -> Result<ActionReply> {
    element.require_interface(atspi::ACTION, name)?;
    let names = action_names(element)?;
    let Some(at) = names.iter().position(|one| one.eq_ignore_ascii_case(name)) else {
        let why = format!("the element offers only: {}", names.join(", "));
        return Err(unsupported(name, &why));
    };
    let at = i32::try_from(at).unwrap_or(i32::MAX);
    reply_of(element.call_action(atspi::ACTION, "DoAction", &at))
}

/// Returns the names of the element's actions in order.
fn action_names(element: &mut ElementProxy<'_>) -> Result<Vec<String>> {
    let translated: Vec<(String, String, String)> = if element.is_embedded {
        // WebKit never replies to `GetActions`. Its elements have one action at most.
        vec![Default::default()]
    } else {
        let result = element.call(atspi::ACTION, "GetActions", &());
        result.and_then(|m| body(&m)).map_err(element_error)?
    };
    let mut names = Vec::with_capacity(translated.len());
    for (index, (translated, ..)) in (0_i32..).zip(translated) {
        let own = element.call(atspi::ACTION, "GetName", &index).and_then(|m| body::<String>(&m));
        names.push(own.ok().filter(|name| !name.is_empty()).unwrap_or(translated));
    }
    Ok(names)
}

/// Moves the proxy to the container that manages the item's selection, and returns the item's index
/// in it.
fn enter_container(element: &mut ElementProxy<'_>) -> Result<i32> {
    for _ in 0..MAX_CONTAINER_LEVELS {
        let index = element.call(atspi::ACCESSIBLE, "GetIndexInParent", &());
        let index: i32 = index.and_then(|m| body(&m)).map_err(element_error)?;
        let parent = element.get_property(atspi::ACCESSIBLE, "Parent").map_err(element_error)?;
        let Some(path) = parent_path(&parent) else { break };
        element.path = path;
        if element.has_interface(atspi::SELECTION)? {
            return Ok(index);
        }
    }
    Err(unsupported("select", "no container of the element supports selection"))
}

/// Returns the selected items of an element, or `None` if it does not report them.
pub(crate) fn selected(
    connection: &mut AppConnection,
    app: &App,
    id: &NodeId,
    deadline: Deadline,
) -> Result<Option<Vec<NodeId>>> {
    const MAX_ITEMS: i64 = 100;
    let mut element = ElementProxy::new(connection, id, deadline)?;
    if !element.has_interface(atspi::SELECTION)? {
        let quirks = Quirks::of(app);
        // The `selected` state of items is reliable only in browsers.
        return if quirks.chromium || quirks.gecko {
            marked_items(element).map(Some)
        } else {
            Ok(None)
        };
    }
    let count =
        element.get_property(atspi::SELECTION, "NSelectedChildren").map_err(element_error)?;
    let mut items = Vec::new();
    for at in 0..facts::integer(&count).unwrap_or(0).clamp(0, MAX_ITEMS) {
        let result = element.call(atspi::SELECTION, "GetSelectedChild", &(at as i32));
        let (bus, path): atspi::ObjectRef = result.and_then(|m| body(&m)).map_err(element_error)?;
        if path.as_str() != atspi::NULL_PATH {
            items.push(atspi::node_id(&bus, path.as_str()));
        }
    }
    Ok(Some(items))
}

/// Returns the items of a closed list whose state is `selected`.
fn marked_items(mut element: ElementProxy<'_>) -> Result<Vec<NodeId>> {
    const MAX_ITEMS: usize = 300;
    const MAX_DEPTH: usize = 2;
    let mut found = Vec::new();
    let mut open = vec![(element.path.clone(), 0)];
    let mut inspected = 0;
    while let Some((path, depth)) = open.pop() {
        element.path = path;
        let children = element.call(atspi::ACCESSIBLE, "GetChildren", &());
        let children: Vec<atspi::ObjectRef> =
            children.and_then(|m| body(&m)).map_err(element_error)?;
        for (bus, path) in children {
            inspected += 1;
            if inspected > MAX_ITEMS {
                return Ok(found);
            }
            path.as_str().clone_into(&mut element.path);
            let states = element.call(atspi::ACCESSIBLE, "GetState", &());
            let words: Vec<u32> = states.and_then(|m| body(&m)).map_err(element_error)?;
            if state::from_words(&words).has(State::Selected) {
                found.push(atspi::node_id(&bus, path.as_str()));
            } else if depth < MAX_DEPTH {
                open.push((path.as_str().to_owned(), depth + 1));
            }
        }
    }
    Ok(found)
}

fn parent_path(message: &Message) -> Option<String> {
    let variant: OwnedVariant = body(message).ok()?;
    let (_, path) = atspi::ObjectRef::try_from(variant).ok()?;
    (path.as_str() != atspi::NULL_PATH).then(|| path.as_str().to_owned())
}

/// Selects one item and nothing else. If the container refuses, the earlier selection is restored.
fn select_only(mut element: ElementProxy<'_>) -> Result<ActionReply> {
    let index = enter_container(&mut element)?;
    let before = selected_indexes(&mut element);
    // Containers that always have a selected item refuse to clear it; selecting the new item then
    // suffices.
    let _refused = element.call(atspi::SELECTION, "ClearSelection", &());
    let reply = add_to_selection(&mut element, index)?;
    if reply == ActionReply::Declined {
        for earlier in before {
            // The reply of the new item is reported; callers read the selection themselves.
            let _restored = add_to_selection(&mut element, earlier);
        }
    }
    Ok(reply)
}

/// Adds an item to the selection of its container, or the row of the item in a table: GTK 3 selects no
/// cells in tables with several columns.
fn add_to_selection(element: &mut ElementProxy<'_>, index: i32) -> Result<ActionReply> {
    let reply = reply_of(element.call_action(atspi::SELECTION, "SelectChild", &index))?;
    if reply != ActionReply::Declined || !element.has_interface(atspi::TABLE)? {
        return Ok(reply);
    }
    let row = element.call(atspi::TABLE, "GetRowAtIndex", &index).and_then(|m| body::<i32>(&m));
    match row {
        Ok(row) if row >= 0 => reply_of(element.call_action(atspi::TABLE, "AddRowSelection", &row)),
        Ok(_) | Err(_) => Ok(reply),
    }
}

/// Returns the indexes of the selected items in a container, as far as it reports them.
fn selected_indexes(element: &mut ElementProxy<'_>) -> Vec<i32> {
    const MAX_ITEMS: i64 = 50;
    let count = element.get_property(atspi::SELECTION, "NSelectedChildren");
    let count = count.ok().and_then(|m| facts::integer(&m)).unwrap_or(0).clamp(0, MAX_ITEMS);
    let container = element.path.clone();
    let mut indexes = Vec::new();
    for at in 0..count {
        let selected = element.call(atspi::SELECTION, "GetSelectedChild", &(at as i32));
        let Ok((_, path)) = selected.and_then(|m| body::<atspi::ObjectRef>(&m)) else { break };
        path.as_str().clone_into(&mut element.path);
        let index = element.call(atspi::ACCESSIBLE, "GetIndexInParent", &());
        indexes.extend(index.and_then(|m| body::<i32>(&m)).ok().filter(|index| *index >= 0));
        element.path.clone_from(&container);
    }
    indexes
}
