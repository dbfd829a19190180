//! What all parts of the tree share: the system, the names of elements, and the small questions
//! everybody asks.

use std::{
    collections::{HashMap, HashSet},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use deskhand_model::{App, AppId, NodeId, Role};
use deskhand_platform::{Deadline, Error, Result};

use super::{
    Fault, Value,
    facts::{BASICS, Facts, is_line},
    identity::{Host, Identities},
    state::Sight,
    system::{Answer, Ax},
    wake::Woken,
};

/// How long one message may take before its element counts as silent.
pub(crate) const MESSAGE: Duration = Duration::from_millis(1_000);
/// How far above an element the window is looked for that it stands in.
const ABOVE: usize = 60;
/// How many elements are looked at to find one that another process named, and how many of one list.
const SOUGHT: usize = 20_000;
const ROWS: usize = 1_000;
/// An app that was looked through for nothing is not looked through again so soon.
const AGAIN: Duration = Duration::from_secs(2);
/// More secrets than this are not remembered; a page with so many password fields is no form.
const SECRETS: usize = 10_000;

/// The system and what is remembered of it.
pub(crate) struct Room<G: Ax> {
    pub(crate) ax: G,
    pub(crate) ids: Identities<G::Element>,
    /// Fields that were seen to hold a secret: a button that shows a password makes a plain field
    /// of it.
    secrets: Mutex<HashSet<NodeId>>,
    /// Apps that were looked through for an element that was not there.
    sought: Mutex<HashMap<AppId, Instant>>,
    /// Processes that are no programs a person can meet.
    pub(crate) services: Mutex<HashSet<(u32, u64)>>,
    /// Apps whose accessibility was switched on from here.
    pub(crate) woken: Mutex<HashMap<AppId, Woken>>,
}

impl<G: Ax> Room<G> {
    /// Nothing is asked yet.
    pub(crate) fn new(ax: G) -> Self {
        Self {
            ax,
            ids: Identities::new(),
            secrets: Mutex::default(),
            sought: Mutex::default(),
            services: Mutex::default(),
            woken: Mutex::default(),
        }
    }

    /// The name of an element.
    pub(crate) fn name(&self, of: &G::Element) -> NodeId {
        self.ids.name(of, self.ax.mark(of), || {
            // A handle that names no process is one nobody can ask anything of.
            let pid = self.ax.pid(of).unwrap_or(0);
            Host { pid, started: self.ax.started(pid) }
        })
    }

    /// The element of a name; one that another process gave is looked for in the app.
    pub(crate) fn element(&self, app: &App, id: &NodeId, by: Deadline) -> Result<G::Element> {
        if let Some(element) = self.ids.element(id) {
            return Ok(element);
        }
        let gone = || Error::Gone { what: "the element".to_owned() };
        let lately = |at: &Instant| at.elapsed() < AGAIN;
        if self.ids.is_own(id) || lock(&self.sought).get(&app.id).is_some_and(lately) {
            return Err(gone());
        }
        let root = self.ax.application(app.pid).ok_or_else(gone)?;
        let found = self.seek(app, root, id, by)?;
        if found.is_none() {
            let mut sought = lock(&self.sought);
            sought.retain(|_, at| lately(at));
            sought.insert(app.id.clone(), Instant::now());
        }
        found.ok_or_else(gone)
    }

    /// Looks through an app for an element; all that are met get their names.
    fn seek(
        &self,
        app: &App,
        root: G::Element,
        id: &NodeId,
        by: Deadline,
    ) -> Result<Option<G::Element>> {
        let mut open = vec![root];
        let mut seen = HashSet::new();
        while let Some(element) = open.pop() {
            if by.passed() {
                return Err(Error::Timeout { what: described(app) });
            }
            if self.name(&element) == *id {
                return Ok(Some(element));
            }
            if seen.len() > SOUGHT || !seen.insert(element.clone()) {
                continue;
            }
            match self.ax.page(&element, "AXChildren", 0, ROWS, by.or_after(MESSAGE)) {
                Ok(children) => {
                    open.extend(children.iter().rev().filter_map(Value::element).cloned());
                }
                Err(Fault::ApiDisabled) => return Err(Fault::ApiDisabled.error(&described(app))),
                // What has no children, or does not say, is not where it is found.
                Err(_) => {}
            }
        }
        Ok(None)
    }

    /// Asks an element several things at once.
    pub(crate) fn facts(
        &self,
        of: &G::Element,
        names: &[&'static str],
        by: Deadline,
    ) -> Answer<Facts<G::Element>> {
        if names.is_empty() {
            return Ok(Facts::new(Vec::new(), Vec::new()));
        }
        let facts = Facts::new(names.to_vec(), self.ax.get_all(of, names, by.or_after(MESSAGE))?);
        // A message about several attributes may succeed and carry the same fault for each.
        facts.common_fault().filter(|fault| !fault.is_absence()).map_or(Ok(facts), Err)
    }

    /// The basic facts of an element.
    pub(crate) fn basics(&self, of: &G::Element, by: Deadline) -> Answer<Facts<G::Element>> {
        self.facts(of, BASICS, by)
    }

    /// What an element is called: by itself, or by the label that stands beside it.
    pub(crate) fn called(&self, facts: &Facts<G::Element>, by: Deadline) -> String {
        let own = facts.name();
        let label = facts.get("AXTitleUIElement").and_then(Value::element);
        let Some(label) = label.filter(|_| own.is_empty()) else { return own };
        const TOLD: [&str; 3] = ["AXTitle", "AXValue", "AXDescription"];
        // A label that does not answer leaves its element without a name.
        let Ok(told) = self.facts(label, &TOLD, by) else { return own };
        TOLD.iter()
            .map(|name| told.text(name))
            .find(|text| !text.is_empty())
            .unwrap_or("")
            .to_owned()
    }

    /// Whether a value may be changed; what cannot be asked may not.
    pub(crate) fn may_set(&self, of: &G::Element, name: &str, by: Deadline) -> Answer<bool> {
        match self.ax.is_settable(of, name, by.or_after(MESSAGE)) {
            Err(fault) if fault.is_absence() || fault == Fault::IllegalArgument => Ok(false),
            answer => answer,
        }
    }

    /// What can be seen at the place of an element, from what stands around it.
    pub(crate) fn sight(
        &self,
        of: &G::Element,
        known: &mut HashMap<G::Element, (Sight, Role)>,
        by: Deadline,
    ) -> Answer<(Sight, Role)> {
        const ASKED: &[&str] = &[
            "AXParent",
            "AXRole",
            "AXSubrole",
            "AXHidden",
            "AXMinimized",
            "AXFrontmost",
            "AXFrame",
            "AXPosition",
            "AXSize",
            "AXTitle",
            "AXDescription",
            "AXPlaceholderValue",
            "AXIdentifier",
            "AXDOMIdentifier",
        ];
        let parent = |of: &G::Element| match self.ax.get(of, "AXParent", by.or_after(MESSAGE)) {
            Ok(value) => Ok(value.element().cloned()),
            Err(fault) if fault.is_absence() => Ok(None),
            Err(fault) => Err(fault),
        };
        let mut chain = Vec::new();
        let mut next = parent(of)?;
        let mut base = (Sight::FREE, Role::Unknown);
        while let Some(element) = next.take() {
            if let Some(found) = known.get(&element) {
                base = *found;
                break;
            }
            if chain.len() >= ABOVE {
                break;
            }
            let facts = self.facts(&element, ASKED, by)?;
            next = facts.get("AXParent").and_then(Value::element).cloned();
            chain.push((element, facts));
        }
        let top = chain.last().map(|(element, _)| element.clone());
        for (element, facts) in chain.into_iter().rev() {
            let role = facts.role(base.1);
            if role == Role::MenuBar
                && let Some(app) = &top
                && self.extras(app, by)?.as_ref() == Some(&element)
            {
                base.0 = base.0.always();
            }
            let secret = self.is_secret(role, &self.name(&element), &facts, "");
            let role = if secret { Role::Password } else { role };
            base = (base.0.inside(role, &facts), role);
            known.insert(element, base);
        }
        Ok(base)
    }

    /// Whether what an element holds is a secret, by its kind or by what it is called; once it was one,
    /// it stays one.
    pub(crate) fn is_secret(
        &self,
        role: Role,
        id: &NodeId,
        facts: &Facts<G::Element>,
        name: &str,
    ) -> bool {
        let mut secrets = lock(&self.secrets);
        let known = is_line(role) && (secrets.contains(id) || facts.is_called_secret(name));
        let secret = role == Role::Password || known;
        if secret && secrets.len() < SECRETS {
            secrets.insert(id.clone());
        }
        secret
    }
}

/// A lock that outlives a panic of another thread: what it guards are only things remembered.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An app as errors name it.
pub(crate) fn described(app: &App) -> String {
    format!("{} (pid {})", app.name, app.pid)
}

/// The error of a question about one element of an app: only its own absence is the element's.
pub(crate) fn lost(fault: Fault, app: &App) -> Error {
    match fault {
        Fault::InvalidElement | Fault::InvalidObserver => fault.error("the element"),
        Fault::Failure
        | Fault::IllegalArgument
        | Fault::CannotComplete
        | Fault::AttributeUnsupported
        | Fault::ActionUnsupported
        | Fault::NotificationUnsupported
        | Fault::NotImplemented
        | Fault::AlreadyRegistered
        | Fault::NotRegistered
        | Fault::ApiDisabled
        | Fault::NoValue
        | Fault::ParameterizedUnsupported
        | Fault::NotEnoughPrecision
        | Fault::Unknown(_) => fault.error(&described(app)),
    }
}
