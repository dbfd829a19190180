//! The state shared by all operations on the tree: the accessibility API, the node ids and caches.

use std::{
    collections::{HashMap, HashSet},
    time::Instant,
};

use deskhand_model::{App, AppId, NodeId, Role};
use deskhand_platform::{Deadline, Error, Result};
use parking_lot::Mutex;

use super::{
    AxError, Value,
    attribute_set::{AttributeSet, BASIC_ATTRIBUTES, is_single_line_field},
    ax_api::{AxApi, AxResult},
    chromium::AccessibilitySwitch,
    identity::{AppProcess, NodeIds, is_local},
    state::Visibility,
};
use crate::timing::{MESSAGE_TIMEOUT, SEARCH_RETRY_INTERVAL};

/// Upper limit of ancestors that are read to find the visibility of an element.
const MAX_ANCESTORS: usize = 60;
/// Upper limit of elements in a search for an id that another process made.
const MAX_SEARCHED: usize = 20_000;
/// Upper limit of children per element in such a search.
const MAX_CHILDREN: usize = 1_000;
/// Upper limit of remembered password fields. No form has that many.
const MAX_SECRET_FIELDS: usize = 10_000;

/// The accessibility API with caches.
pub(crate) struct AxSession<A: AxApi> {
    pub(crate) ax: A,
    pub(crate) ids: NodeIds<A::Element>,
    /// Fields that once were password fields. A "show password" button turns one into a plain field.
    secret_fields: Mutex<HashSet<NodeId>>,
    /// The last unsuccessful search for an element, by app.
    failed_searches: Mutex<HashMap<AppId, Instant>>,
    /// Processes that are not apps, by pid and start time.
    pub(crate) background_processes: Mutex<HashSet<(u32, u64)>>,
    /// The accessibility switches set here, by app.
    pub(crate) switches: Mutex<HashMap<AppId, AccessibilitySwitch>>,
}

impl<A: AxApi> AxSession<A> {
    /// Creates a session. Sends no message yet.
    pub(crate) fn new(ax: A) -> Self {
        Self {
            ax,
            ids: NodeIds::new(),
            secret_fields: Mutex::default(),
            failed_searches: Mutex::default(),
            background_processes: Mutex::default(),
            switches: Mutex::default(),
        }
    }

    /// The node id of an element.
    pub(crate) fn node_id(&self, of: &A::Element) -> NodeId {
        self.ids.id_for(of, self.ax.element_hash(of), || {
            // No message can be sent to an element without a process, so pid 0 is harmless.
            let pid = self.ax.pid_of(of).unwrap_or(0);
            AppProcess { pid, started: self.ax.start_time(pid) }
        })
    }

    /// The element with a node id. An id from another process is searched for in the app.
    pub(crate) fn resolve_element(
        &self,
        app: &App,
        id: &NodeId,
        deadline: Deadline,
    ) -> Result<A::Element> {
        if let Some(element) = self.ids.element(id) {
            return Ok(element);
        }
        let gone = || Error::Gone { what: "the element".to_owned() };
        let recent = |at: &Instant| at.elapsed() < SEARCH_RETRY_INTERVAL;
        let searched = self.failed_searches.lock().get(&app.id).is_some_and(recent);
        if is_local(id) || searched {
            return Err(gone());
        }
        let root = self.ax.app_element(app.pid).ok_or_else(gone)?;
        let found = self.find_by_id(app, root, id, deadline)?;
        if found.is_none() {
            let mut searches = self.failed_searches.lock();
            searches.retain(|_, at| recent(at));
            searches.insert(app.id.clone(), Instant::now());
        }
        found.ok_or_else(gone)
    }

    /// Searches an app for an element. All elements on the way get their ids.
    fn find_by_id(
        &self,
        app: &App,
        root: A::Element,
        id: &NodeId,
        deadline: Deadline,
    ) -> Result<Option<A::Element>> {
        let mut stack = vec![root];
        let mut seen = HashSet::new();
        while let Some(element) = stack.pop() {
            if deadline.has_passed() {
                return Err(Error::Timeout { what: describe_app(app) });
            }
            if self.node_id(&element) == *id {
                return Ok(Some(element));
            }
            if seen.len() > MAX_SEARCHED || !seen.insert(element.clone()) {
                continue;
            }
            match self.ax.values(
                &element,
                "AXChildren",
                0,
                MAX_CHILDREN,
                deadline.at_most(MESSAGE_TIMEOUT),
            ) {
                Ok(children) => {
                    stack.extend(children.iter().rev().filter_map(Value::element).cloned());
                }
                Err(AxError::ApiDisabled) => {
                    return Err(AxError::ApiDisabled.into_platform_error(&describe_app(app)));
                }
                // An element without children, or one that does not answer, has nothing to search.
                Err(_) => {}
            }
        }
        Ok(None)
    }

    /// Reads several attributes of an element in one message.
    pub(crate) fn read_attributes(
        &self,
        of: &A::Element,
        names: &[&'static str],
        deadline: Deadline,
    ) -> AxResult<AttributeSet<A::Element>> {
        if names.is_empty() {
            return Ok(AttributeSet::new(Vec::new(), Vec::new()));
        }
        let attributes = AttributeSet::new(
            names.to_vec(),
            self.ax.attributes(of, names, deadline.at_most(MESSAGE_TIMEOUT))?,
        );
        // The message may succeed and carry the same error for each attribute.
        attributes.common_error().filter(|error| !error.is_absent()).map_or(Ok(attributes), Err)
    }

    /// Reads the basic attributes of an element.
    pub(crate) fn read_basics(
        &self,
        of: &A::Element,
        deadline: Deadline,
    ) -> AxResult<AttributeSet<A::Element>> {
        self.read_attributes(of, BASIC_ATTRIBUTES, deadline)
    }

    /// The accessible name: the element's own name, else the text of its label element.
    pub(crate) fn accessible_name(
        &self,
        attributes: &AttributeSet<A::Element>,
        deadline: Deadline,
    ) -> String {
        const LABEL_ATTRIBUTES: [&str; 3] = ["AXTitle", "AXValue", "AXDescription"];
        let own = attributes.own_name();
        let label = attributes.get("AXTitleUIElement").and_then(Value::element);
        let Some(label) = label.filter(|_| own.is_empty()) else { return own };
        // If the label does not answer, the element has no name.
        let Ok(label) = self.read_attributes(label, &LABEL_ATTRIBUTES, deadline) else {
            return own;
        };
        LABEL_ATTRIBUTES
            .iter()
            .map(|name| label.text(name))
            .find(|text| !text.is_empty())
            .unwrap_or("")
            .to_owned()
    }

    /// Returns `true` if an attribute can be set. Returns `false` for an attribute that does not exist.
    pub(crate) fn can_set(
        &self,
        of: &A::Element,
        name: &str,
        deadline: Deadline,
    ) -> AxResult<bool> {
        match self.ax.is_settable(of, name, deadline.at_most(MESSAGE_TIMEOUT)) {
            Err(error) if error.is_absent() || error == AxError::IllegalArgument => Ok(false),
            answer => answer,
        }
    }

    /// The visibility that an element inherits from its ancestors, and the role of its parent. `known` caches
    /// both by ancestor.
    pub(crate) fn visibility_of(
        &self,
        of: &A::Element,
        known: &mut HashMap<A::Element, (Visibility, Role)>,
        deadline: Deadline,
    ) -> AxResult<(Visibility, Role)> {
        const ANCESTOR_ATTRIBUTES: &[&str] = &[
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
        let parent = |of: &A::Element| match self.ax.attribute(
            of,
            "AXParent",
            deadline.at_most(MESSAGE_TIMEOUT),
        ) {
            Ok(value) => Ok(value.element().cloned()),
            Err(error) if error.is_absent() => Ok(None),
            Err(error) => Err(error),
        };
        let mut chain = Vec::new();
        let mut next = parent(of)?;
        let mut base = (Visibility::UNRESTRICTED, Role::Unknown);
        while let Some(element) = next.take() {
            if let Some(found) = known.get(&element) {
                base = *found;
                break;
            }
            if chain.len() >= MAX_ANCESTORS {
                break;
            }
            let attributes = self.read_attributes(&element, ANCESTOR_ATTRIBUTES, deadline)?;
            next = attributes.get("AXParent").and_then(Value::element).cloned();
            chain.push((element, attributes));
        }
        let top = chain.last().map(|(element, _)| element.clone());
        for (element, attributes) in chain.into_iter().rev() {
            let role = attributes.role(base.1);
            if role == Role::MenuBar
                && let Some(app) = &top
                && self.extras_menu_bar(app, deadline)?.as_ref() == Some(&element)
            {
                base.0 = base.0.in_extras_menu_bar();
            }
            let secret = self.is_secret(role, &self.node_id(&element), &attributes, "");
            let role = if secret { Role::Password } else { role };
            base = (base.0.inside(role, &attributes), role);
            known.insert(element, base);
        }
        Ok(base)
    }

    /// Returns `true` if the content of an element is secret, judged by its role or its names. A field that
    /// was secret once stays secret.
    pub(crate) fn is_secret(
        &self,
        role: Role,
        id: &NodeId,
        attributes: &AttributeSet<A::Element>,
        name: &str,
    ) -> bool {
        let mut fields = self.secret_fields.lock();
        let known =
            is_single_line_field(role) && (fields.contains(id) || attributes.has_secret_name(name));
        let secret = role == Role::Password || known;
        if secret && fields.len() < MAX_SECRET_FIELDS {
            fields.insert(id.clone());
        }
        secret
    }
}

/// The name of an app in error messages.
pub(crate) fn describe_app(app: &App) -> String {
    format!("{} (pid {})", app.name, app.pid)
}

/// The platform error of a failed message to an element. If the element is invalid, the error names the
/// element, otherwise the app.
pub(crate) fn element_error(error: AxError, app: &App) -> Error {
    match error {
        AxError::InvalidElement | AxError::InvalidObserver => {
            error.into_platform_error("the element")
        }
        AxError::Failure
        | AxError::IllegalArgument
        | AxError::CannotComplete
        | AxError::AttributeUnsupported
        | AxError::ActionUnsupported
        | AxError::NotificationUnsupported
        | AxError::NotImplemented
        | AxError::AlreadyRegistered
        | AxError::NotRegistered
        | AxError::ApiDisabled
        | AxError::NoValue
        | AxError::ParameterizedUnsupported
        | AxError::NotEnoughPrecision
        | AxError::Unknown(_) => error.into_platform_error(&describe_app(app)),
    }
}
