//! A fake accessibility API: apps with hand-written trees in memory, and a log of all messages.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::Arc,
    time::Duration,
};

use deskhand_platform::Deadline;

use parking_lot::{Mutex, MutexGuard};

use super::{
    ActivationPolicy, AxApi, AxElements, AxError, AxResult, Notification, Observer, RunningApp,
    Value,
};

/// The index of an element of the fake API.
pub(super) type ElementIndex = u32;

#[derive(Default)]
struct FakeElement {
    pid: u32,
    parent: Option<ElementIndex>,
    children: Vec<ElementIndex>,
    attributes: HashMap<String, Value<ElementIndex>>,
    settable: HashSet<String>,
    actions: Vec<String>,
    error: Option<AxError>,
}

/// The content of the fake API, and its misbehaviour.
#[derive(Default)]
pub(super) struct FakeAxState {
    elements: Vec<FakeElement>,
    programs: HashMap<u32, (u64, RunningApp, ElementIndex)>,
    /// Processes that are not apps.
    pub(super) services: Vec<u32>,
    /// Every message, as `verb element name`.
    pub(super) log: Vec<String>,
    pub(super) untrusted: bool,
    pub(super) notifications: VecDeque<Notification<ElementIndex>>,
    /// The error of all observers.
    pub(super) observer_error: Option<AxError>,
    /// The duration of every message.
    pub(super) delay: Duration,
    /// All elements have the same hash.
    pub(super) same_hash: bool,
    /// A list rejects a request for more values than it has.
    pub(super) strict: bool,
}

/// A fake accessibility API. Clones share their content.
#[derive(Clone, Default)]
pub(super) struct FakeAx(Arc<Mutex<FakeAxState>>);

/// A text value.
pub(super) fn text(text: &str) -> Value<ElementIndex> {
    Value::Text(text.to_owned())
}

impl FakeAx {
    pub(super) fn state(&self) -> MutexGuard<'_, FakeAxState> {
        self.0.lock()
    }

    /// Adds a regular app and returns its root element.
    pub(super) fn app(&self, name: &str, pid: u32) -> ElementIndex {
        self.program(name, pid, ActivationPolicy::Regular, &[])
    }

    pub(super) fn program(
        &self,
        name: &str,
        pid: u32,
        activation_policy: ActivationPolicy,
        frameworks: &[&str],
    ) -> ElementIndex {
        let root = self.add_to(None, pid, "AXApplication", &[("AXTitle", text(name))]);
        let program = RunningApp {
            name: name.to_owned(),
            bundle_id: Some(format!("com.example.{name}")),
            executable: Some(format!("/Applications/{name}.app/Contents/MacOS/{name}")),
            activation_policy,
            frameworks: frameworks.iter().map(|one| (*one).to_owned()).collect(),
        };
        self.state().programs.insert(pid, (u64::from(pid) * 1_000, program, root));
        root
    }

    /// Adds an element.
    pub(super) fn add(
        &self,
        parent: ElementIndex,
        role: &str,
        attributes: &[(&str, Value<ElementIndex>)],
    ) -> ElementIndex {
        let pid = self.state().elements[parent as usize].pid;
        self.add_to(Some(parent), pid, role, attributes)
    }

    fn add_to(
        &self,
        parent: Option<ElementIndex>,
        pid: u32,
        role: &str,
        attributes: &[(&str, Value<ElementIndex>)],
    ) -> ElementIndex {
        let mut state = self.state();
        let index = ElementIndex::try_from(state.elements.len()).unwrap();
        let mut element = FakeElement { pid, parent, ..FakeElement::default() };
        element.attributes.insert("AXRole".to_owned(), text(role));
        for (name, value) in attributes {
            element.attributes.insert((*name).to_owned(), value.clone());
        }
        state.elements.push(element);
        if let Some(parent) = parent {
            state.elements[parent as usize].children.push(index);
        }
        index
    }

    /// Adds a window with bounds.
    pub(super) fn window(&self, app: ElementIndex, title: &str) -> ElementIndex {
        let frame = Value::Rect(0.0, 0.0, 800.0, 600.0);
        self.add(app, "AXWindow", &[("AXTitle", text(title)), ("AXFrame", frame)])
    }

    pub(super) fn put(&self, element: ElementIndex, name: &str, value: Value<ElementIndex>) {
        self.state().elements[element as usize].attributes.insert(name.to_owned(), value);
    }

    /// The current value of an attribute.
    pub(super) fn value(&self, element: ElementIndex, name: &str) -> Option<Value<ElementIndex>> {
        self.state().elements[element as usize].attributes.get(name).cloned()
    }

    pub(super) fn settable(&self, element: ElementIndex, names: &[&str]) {
        let names = names.iter().map(|name| (*name).to_owned());
        self.state().elements[element as usize].settable.extend(names);
    }

    pub(super) fn actions(&self, element: ElementIndex, names: &[&str]) {
        self.state().elements[element as usize].actions =
            names.iter().map(|name| (*name).to_owned()).collect();
    }

    /// Makes every message to an element fail.
    pub(super) fn fail(&self, element: ElementIndex, error: AxError) {
        self.state().elements[element as usize].error = Some(error);
    }

    /// Removes an app.
    pub(super) fn quit(&self, pid: u32) {
        self.state().programs.remove(&pid);
    }

    /// The number of messages whose log line begins with `start`.
    pub(super) fn count(&self, start: &str) -> usize {
        self.state().log.iter().filter(|line| line.starts_with(start)).count()
    }

    fn message(
        &self,
        verb: &str,
        of: ElementIndex,
        name: &str,
        deadline: Deadline,
    ) -> AxResult<MutexGuard<'_, FakeAxState>> {
        let mut state = self.state();
        state.log.push(format!("{verb} {of} {name}"));
        let delay = state.delay;
        if !delay.is_zero() {
            std::thread::sleep(delay.min(deadline.remaining()));
        }
        if deadline.has_passed() {
            return Err(AxError::CannotComplete);
        }
        match state.elements[of as usize].error {
            Some(error) => Err(error),
            None => Ok(state),
        }
    }
}

impl FakeAxState {
    fn read(&self, of: ElementIndex, name: &str) -> AxResult<Value<ElementIndex>> {
        let element = &self.elements[of as usize];
        if let Some(value) = element.attributes.get(name) {
            return if let Value::Error(error) = value { Err(*error) } else { Ok(value.clone()) };
        }
        let is_row = |element: &&ElementIndex| {
            self.elements[**element as usize].attributes["AXRole"] == text("AXRow")
        };
        let role = element.attributes["AXRole"].text().unwrap_or_default().to_owned();
        let list = |elements: Vec<ElementIndex>| {
            Value::List(elements.into_iter().map(Value::Element).collect())
        };
        match name {
            "AXParent" => element.parent.map(Value::Element).ok_or(AxError::NoValue),
            "AXChildren" => Ok(list(element.children.clone())),
            "AXRows" if matches!(role.as_str(), "AXTable" | "AXOutline") => {
                Ok(list(element.children.iter().filter(is_row).copied().collect()))
            }
            "AXWindows" if role == "AXApplication" => {
                let window = |element: &&ElementIndex| {
                    self.elements[**element as usize].attributes["AXRole"] == text("AXWindow")
                };
                Ok(list(element.children.iter().filter(window).copied().collect()))
            }
            _other => Err(AxError::AttributeUnsupported),
        }
    }

    fn list(&self, of: ElementIndex, name: &str) -> AxResult<Vec<Value<ElementIndex>>> {
        let value = self.read(of, name)?;
        if let Value::List(values) = value { Ok(values) } else { Err(AxError::IllegalArgument) }
    }
}

impl AxElements for FakeAx {
    type Element = ElementIndex;

    fn app_element(&self, pid: u32) -> Option<ElementIndex> {
        self.state().programs.get(&pid).map(|(.., root)| *root)
    }

    fn pid_of(&self, of: &ElementIndex) -> AxResult<u32> {
        Ok(self.state().elements[*of as usize].pid)
    }

    fn attribute(
        &self,
        of: &ElementIndex,
        name: &str,
        deadline: Deadline,
    ) -> AxResult<Value<ElementIndex>> {
        self.message("get", *of, name, deadline)?.read(*of, name)
    }

    fn attributes(
        &self,
        of: &ElementIndex,
        names: &[&str],
        deadline: Deadline,
    ) -> AxResult<Vec<Value<ElementIndex>>> {
        let state = self.message("get_all", *of, &names.join(","), deadline)?;
        Ok(names.iter().map(|name| state.read(*of, name).unwrap_or_else(Value::Error)).collect())
    }

    fn action_names(&self, of: &ElementIndex, deadline: Deadline) -> AxResult<Vec<String>> {
        Ok(self.message("actions", *of, "", deadline)?.elements[*of as usize].actions.clone())
    }

    fn perform_action(&self, on: &ElementIndex, action: &str, deadline: Deadline) -> AxResult<()> {
        let state = self.message("perform", *on, action, deadline)?;
        let known = state.elements[*on as usize].actions.iter().any(|one| one == action);
        if known { Ok(()) } else { Err(AxError::ActionUnsupported) }
    }

    fn set_attribute(
        &self,
        on: &ElementIndex,
        name: &str,
        to: &Value<ElementIndex>,
        deadline: Deadline,
    ) -> AxResult<()> {
        let mut state = self.message("set", *on, name, deadline)?;
        let element = &mut state.elements[*on as usize];
        if !element.settable.contains(name) {
            return Err(AxError::AttributeUnsupported);
        }
        element.attributes.insert(name.to_owned(), to.clone());
        Ok(())
    }
}

impl AxApi for FakeAx {
    type Observer = FakeObserver;

    fn is_trusted(&self) -> bool {
        !self.state().untrusted
    }

    fn program_to_allow(&self) -> String {
        "Terminal".to_owned()
    }

    fn list_pids(&self) -> Vec<u32> {
        let state = self.state();
        state.programs.keys().copied().chain(state.services.iter().copied()).collect()
    }

    fn running_app(&self, pid: u32) -> Option<RunningApp> {
        let mut state = self.state();
        state.log.push(format!("program {pid}"));
        state.programs.get(&pid).map(|(_, program, _)| program.clone())
    }

    fn start_time(&self, pid: u32) -> u64 {
        self.state().programs.get(&pid).map_or(0, |(started, ..)| *started)
    }

    fn element_hash(&self, of: &ElementIndex) -> u64 {
        if self.state().same_hash { 1 } else { u64::from(*of) + 0x100 }
    }

    fn value_count(&self, of: &ElementIndex, name: &str, deadline: Deadline) -> AxResult<usize> {
        Ok(self.message("count", *of, name, deadline)?.list(*of, name)?.len())
    }

    fn values(
        &self,
        of: &ElementIndex,
        name: &str,
        first: usize,
        limit: usize,
        deadline: Deadline,
    ) -> AxResult<Vec<Value<ElementIndex>>> {
        let all = self
            .message("page", *of, &format!("{name} {first}+{limit}"), deadline)?
            .list(*of, name)?;
        let strict = self.state().strict && first + limit > all.len();
        if first >= all.len() || strict {
            return Err(AxError::IllegalArgument);
        }
        Ok(all.into_iter().skip(first).take(limit).collect())
    }

    fn parameterized_attribute(
        &self,
        of: &ElementIndex,
        name: &str,
        parameter: &Value<ElementIndex>,
        deadline: Deadline,
    ) -> AxResult<Value<ElementIndex>> {
        let state = self.message("ask", *of, name, deadline)?;
        let (Some((start, length)), "AXStringForRange") = (parameter.range(), name) else {
            return Err(AxError::ParameterizedUnsupported);
        };
        let Value::Text(whole) = state.read(*of, "AXValue")? else {
            return Err(AxError::ParameterizedUnsupported);
        };
        let units: Vec<u16> = whole.encode_utf16().skip(start).take(length).collect();
        Ok(Value::Text(String::from_utf16_lossy(&units)))
    }

    fn attribute_names(&self, of: &ElementIndex, deadline: Deadline) -> AxResult<Vec<String>> {
        let state = self.message("names", *of, "", deadline)?;
        let mut names: Vec<String> =
            state.elements[*of as usize].attributes.keys().cloned().collect();
        names.extend(["AXChildren", "AXParent"].map(str::to_owned));
        Ok(names)
    }

    fn parameterized_attribute_names(
        &self,
        of: &ElementIndex,
        deadline: Deadline,
    ) -> AxResult<Vec<String>> {
        let state = self.message("parameterized", *of, "", deadline)?;
        let text = state.elements[*of as usize].attributes["AXRole"] == text("AXTextArea");
        Ok(if text { vec!["AXStringForRange".to_owned()] } else { Vec::new() })
    }

    fn is_settable(&self, on: &ElementIndex, name: &str, deadline: Deadline) -> AxResult<bool> {
        let state = self.message("settable", *on, name, deadline)?;
        Ok(state.elements[*on as usize].settable.contains(name))
    }

    fn observe(&self, names: &[&'static str]) -> AxResult<FakeObserver> {
        self.state().log.push(format!("observe {}", names.join(",")));
        Ok(FakeObserver(self.clone()))
    }
}

/// An observer of the fake API.
pub(super) struct FakeObserver(FakeAx);

impl Observer<ElementIndex> for FakeObserver {
    fn add(&mut self, pid: u32, _: Deadline) -> AxResult<()> {
        let mut state = self.0.state();
        state.log.push(format!("add {pid}"));
        state.observer_error.map_or(Ok(()), Err)
    }

    fn add_element(
        &mut self,
        element: &ElementIndex,
        name: &'static str,
        _: Deadline,
    ) -> AxResult<()> {
        self.0.state().log.push(format!("add_element {element} {name}"));
        Ok(())
    }

    fn next(&mut self, wait: Duration) -> AxResult<Option<Notification<ElementIndex>>> {
        let mut state = self.0.state();
        if let Some(error) = state.observer_error {
            return Err(error);
        }
        let notification = state.notifications.pop_front();
        drop(state);
        if notification.is_none() {
            std::thread::sleep(wait);
        }
        Ok(notification)
    }
}
