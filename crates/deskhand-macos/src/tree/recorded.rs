//! A system held in memory: programs with hand-written trees, as Apple's documentation describes
//! them, that note what they are asked.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use deskhand_platform::Deadline;

use super::{Answer, Ax, Ear, Fault, Heard, Presence, Program, Value};

/// An element of the recorded system.
pub(super) type Thing = u32;

#[derive(Default)]
struct Element {
    pid: u32,
    parent: Option<Thing>,
    children: Vec<Thing>,
    attributes: HashMap<String, Value<Thing>>,
    settable: HashSet<String>,
    actions: Vec<String>,
    fault: Option<Fault>,
}

/// What the system holds.
#[derive(Default)]
pub(super) struct State {
    elements: Vec<Element>,
    programs: HashMap<u32, (u64, Program, Thing)>,
    /// Processes that are no programs.
    pub(super) services: Vec<u32>,
    /// Every message, as `verb element name`.
    pub(super) log: Vec<String>,
    pub(super) untrusted: bool,
    pub(super) heard: VecDeque<Heard<Thing>>,
    pub(super) deaf: Option<Fault>,
    /// How long every message takes.
    pub(super) slow: Duration,
    /// Whether every element has the same mark.
    pub(super) one_mark: bool,
    /// Whether a list refuses to be asked for more than it has.
    pub(super) strict: bool,
}

/// The recorded system; copies share it.
#[derive(Clone, Default)]
pub(super) struct Recorded(Arc<Mutex<State>>);

/// A text value.
pub(super) fn text(text: &str) -> Value<Thing> {
    Value::Text(text.to_owned())
}

impl Recorded {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// A regular app, and its root element.
    pub(super) fn app(&self, name: &str, pid: u32) -> Thing {
        self.program(name, pid, Presence::Regular, &[])
    }

    pub(super) fn program(
        &self,
        name: &str,
        pid: u32,
        presence: Presence,
        frameworks: &[&str],
    ) -> Thing {
        let root = self.add_to(None, pid, "AXApplication", &[("AXTitle", text(name))]);
        let program = Program {
            name: name.to_owned(),
            bundle_id: Some(format!("com.example.{name}")),
            executable: Some(format!("/Applications/{name}.app/Contents/MacOS/{name}")),
            presence,
            frameworks: frameworks.iter().map(|one| (*one).to_owned()).collect(),
        };
        self.state().programs.insert(pid, (u64::from(pid) * 1_000, program, root));
        root
    }

    /// An element within another.
    pub(super) fn add(
        &self,
        parent: Thing,
        role: &str,
        attributes: &[(&str, Value<Thing>)],
    ) -> Thing {
        let pid = self.state().elements[parent as usize].pid;
        self.add_to(Some(parent), pid, role, attributes)
    }

    fn add_to(
        &self,
        parent: Option<Thing>,
        pid: u32,
        role: &str,
        attributes: &[(&str, Value<Thing>)],
    ) -> Thing {
        let mut state = self.state();
        let thing = Thing::try_from(state.elements.len()).unwrap();
        let mut element = Element { pid, parent, ..Element::default() };
        element.attributes.insert("AXRole".to_owned(), text(role));
        for (name, value) in attributes {
            element.attributes.insert((*name).to_owned(), value.clone());
        }
        state.elements.push(element);
        if let Some(parent) = parent {
            state.elements[parent as usize].children.push(thing);
        }
        thing
    }

    /// A window with a place, in an app.
    pub(super) fn window(&self, app: Thing, title: &str) -> Thing {
        let frame = Value::Rect(0.0, 0.0, 800.0, 600.0);
        self.add(app, "AXWindow", &[("AXTitle", text(title)), ("AXFrame", frame)])
    }

    pub(super) fn put(&self, thing: Thing, name: &str, value: Value<Thing>) {
        self.state().elements[thing as usize].attributes.insert(name.to_owned(), value);
    }

    /// What an attribute holds now.
    pub(super) fn value(&self, thing: Thing, name: &str) -> Option<Value<Thing>> {
        self.state().elements[thing as usize].attributes.get(name).cloned()
    }

    pub(super) fn settable(&self, thing: Thing, names: &[&str]) {
        let names = names.iter().map(|name| (*name).to_owned());
        self.state().elements[thing as usize].settable.extend(names);
    }

    pub(super) fn actions(&self, thing: Thing, names: &[&str]) {
        self.state().elements[thing as usize].actions =
            names.iter().map(|name| (*name).to_owned()).collect();
    }

    /// Lets every message to an element fail.
    pub(super) fn fail(&self, thing: Thing, fault: Fault) {
        self.state().elements[thing as usize].fault = Some(fault);
    }

    /// Ends a program.
    pub(super) fn quit(&self, pid: u32) {
        self.state().programs.remove(&pid);
    }

    /// How many messages of a kind were sent.
    pub(super) fn count(&self, start: &str) -> usize {
        self.state().log.iter().filter(|line| line.starts_with(start)).count()
    }

    fn message(
        &self,
        verb: &str,
        of: Thing,
        name: &str,
        by: Deadline,
    ) -> Answer<MutexGuard<'_, State>> {
        let mut state = self.state();
        state.log.push(format!("{verb} {of} {name}"));
        let slow = state.slow;
        if !slow.is_zero() {
            std::thread::sleep(slow.min(by.left()));
        }
        if by.passed() {
            return Err(Fault::CannotComplete);
        }
        match state.elements[of as usize].fault {
            Some(fault) => Err(fault),
            None => Ok(state),
        }
    }
}

impl State {
    fn read(&self, of: Thing, name: &str) -> Answer<Value<Thing>> {
        let element = &self.elements[of as usize];
        if let Some(value) = element.attributes.get(name) {
            return if let Value::Fault(fault) = value { Err(*fault) } else { Ok(value.clone()) };
        }
        let is_row =
            |thing: &&Thing| self.elements[**thing as usize].attributes["AXRole"] == text("AXRow");
        let role = element.attributes["AXRole"].text().unwrap_or_default().to_owned();
        let list =
            |things: Vec<Thing>| Value::List(things.into_iter().map(Value::Element).collect());
        match name {
            "AXParent" => element.parent.map(Value::Element).ok_or(Fault::NoValue),
            "AXChildren" => Ok(list(element.children.clone())),
            "AXRows" if matches!(role.as_str(), "AXTable" | "AXOutline") => {
                Ok(list(element.children.iter().filter(is_row).copied().collect()))
            }
            "AXWindows" if role == "AXApplication" => {
                let window = |thing: &&Thing| {
                    self.elements[**thing as usize].attributes["AXRole"] == text("AXWindow")
                };
                Ok(list(element.children.iter().filter(window).copied().collect()))
            }
            _other => Err(Fault::AttributeUnsupported),
        }
    }

    fn list(&self, of: Thing, name: &str) -> Answer<Vec<Value<Thing>>> {
        let value = self.read(of, name)?;
        if let Value::List(values) = value { Ok(values) } else { Err(Fault::IllegalArgument) }
    }
}

impl Ax for Recorded {
    type Element = Thing;
    type Ear = Listening;

    fn is_trusted(&self) -> bool {
        !self.state().untrusted
    }

    fn who(&self) -> String {
        "Terminal".to_owned()
    }

    fn pids(&self) -> Vec<u32> {
        let state = self.state();
        state.programs.keys().copied().chain(state.services.iter().copied()).collect()
    }

    fn program(&self, pid: u32) -> Option<Program> {
        let mut state = self.state();
        state.log.push(format!("program {pid}"));
        state.programs.get(&pid).map(|(_, program, _)| program.clone())
    }

    fn started(&self, pid: u32) -> u64 {
        self.state().programs.get(&pid).map_or(0, |(started, ..)| *started)
    }

    fn application(&self, pid: u32) -> Option<Thing> {
        self.state().programs.get(&pid).map(|(.., root)| *root)
    }

    fn pid(&self, of: &Thing) -> Answer<u32> {
        Ok(self.state().elements[*of as usize].pid)
    }

    fn mark(&self, of: &Thing) -> u64 {
        if self.state().one_mark { 1 } else { u64::from(*of) + 0x100 }
    }

    fn get(&self, of: &Thing, name: &str, by: Deadline) -> Answer<Value<Thing>> {
        self.message("get", *of, name, by)?.read(*of, name)
    }

    fn get_all(&self, of: &Thing, names: &[&str], by: Deadline) -> Answer<Vec<Value<Thing>>> {
        let state = self.message("get_all", *of, &names.join(","), by)?;
        Ok(names.iter().map(|name| state.read(*of, name).unwrap_or_else(Value::Fault)).collect())
    }

    fn count(&self, of: &Thing, name: &str, by: Deadline) -> Answer<usize> {
        Ok(self.message("count", *of, name, by)?.list(*of, name)?.len())
    }

    fn page(
        &self,
        of: &Thing,
        name: &str,
        first: usize,
        most: usize,
        by: Deadline,
    ) -> Answer<Vec<Value<Thing>>> {
        let all =
            self.message("page", *of, &format!("{name} {first}+{most}"), by)?.list(*of, name)?;
        let strict = self.state().strict && first + most > all.len();
        if first >= all.len() || strict {
            return Err(Fault::IllegalArgument);
        }
        Ok(all.into_iter().skip(first).take(most).collect())
    }

    fn ask(
        &self,
        of: &Thing,
        name: &str,
        parameter: &Value<Thing>,
        by: Deadline,
    ) -> Answer<Value<Thing>> {
        let state = self.message("ask", *of, name, by)?;
        let (Some((start, length)), "AXStringForRange") = (parameter.range(), name) else {
            return Err(Fault::ParameterizedUnsupported);
        };
        let Value::Text(whole) = state.read(*of, "AXValue")? else {
            return Err(Fault::ParameterizedUnsupported);
        };
        let units: Vec<u16> = whole.encode_utf16().skip(start).take(length).collect();
        Ok(Value::Text(String::from_utf16_lossy(&units)))
    }

    fn names(&self, of: &Thing, by: Deadline) -> Answer<Vec<String>> {
        let state = self.message("names", *of, "", by)?;
        let mut names: Vec<String> =
            state.elements[*of as usize].attributes.keys().cloned().collect();
        names.extend(["AXChildren", "AXParent"].map(str::to_owned));
        Ok(names)
    }

    fn parameterized(&self, of: &Thing, by: Deadline) -> Answer<Vec<String>> {
        let state = self.message("parameterized", *of, "", by)?;
        let text = state.elements[*of as usize].attributes["AXRole"] == text("AXTextArea");
        Ok(if text { vec!["AXStringForRange".to_owned()] } else { Vec::new() })
    }

    fn actions(&self, of: &Thing, by: Deadline) -> Answer<Vec<String>> {
        Ok(self.message("actions", *of, "", by)?.elements[*of as usize].actions.clone())
    }

    fn perform(&self, on: &Thing, action: &str, by: Deadline) -> Answer<()> {
        let state = self.message("perform", *on, action, by)?;
        let known = state.elements[*on as usize].actions.iter().any(|one| one == action);
        if known { Ok(()) } else { Err(Fault::ActionUnsupported) }
    }

    fn set(&self, on: &Thing, name: &str, to: &Value<Thing>, by: Deadline) -> Answer<()> {
        let mut state = self.message("set", *on, name, by)?;
        let element = &mut state.elements[*on as usize];
        if !element.settable.contains(name) {
            return Err(Fault::AttributeUnsupported);
        }
        element.attributes.insert(name.to_owned(), to.clone());
        Ok(())
    }

    fn is_settable(&self, on: &Thing, name: &str, by: Deadline) -> Answer<bool> {
        let state = self.message("settable", *on, name, by)?;
        Ok(state.elements[*on as usize].settable.contains(name))
    }

    fn listen(&self, names: &[&'static str]) -> Answer<Listening> {
        self.state().log.push(format!("listen {}", names.join(",")));
        Ok(Listening(self.clone()))
    }
}

/// What listens to the recorded system.
pub(super) struct Listening(Recorded);

impl Ear<Thing> for Listening {
    fn add(&mut self, pid: u32, _: Deadline) -> Answer<()> {
        let mut state = self.0.state();
        state.log.push(format!("add {pid}"));
        state.deaf.map_or(Ok(()), Err)
    }

    fn follow(&mut self, element: &Thing, name: &'static str, _: Deadline) -> Answer<()> {
        self.0.state().log.push(format!("follow {element} {name}"));
        Ok(())
    }

    fn next(&mut self, wait: Duration) -> Answer<Option<Heard<Thing>>> {
        let mut state = self.0.state();
        if let Some(fault) = state.deaf {
            return Err(fault);
        }
        let heard = state.heard.pop_front();
        drop(state);
        if heard.is_none() {
            std::thread::sleep(wait);
        }
        Ok(heard)
    }
}
