//! Everything the system knows about one element, for people who want to see it all.

use std::collections::HashMap;

use deskhand_model::{App, NodeId, Role};
use deskhand_platform::{Deadline, Result};

use super::{
    Fault, Value, action,
    room::{MESSAGE, Room, lost},
    system::{Answer, Ax},
};

/// What tells the content of a field.
const HELD: [&str; 6] = [
    "AXValue",
    "AXSelectedText",
    "AXValueDescription",
    "AXAttributedValue",
    "AXSelectedTextRange",
    "AXSharedCharacterRange",
];
/// What tells the content of a part of a field.
const NAMED: [&str; 3] = ["AXTitle", "AXDescription", "AXHelp"];
/// Attributes that hold whole lists of elements, which are counted, not read.
const LISTS: [&str; 8] = [
    "AXChildren",
    "AXRows",
    "AXColumns",
    "AXVisibleRows",
    "AXVisibleChildren",
    "AXVisibleCells",
    "AXContents",
    "AXChildrenInNavigationOrder",
];
/// More of a printed value than this is left out, and said to be.
const PRINTED: usize = 2_000;

impl<G: Ax> Room<G> {
    /// Reads the raw facts of one element, under the system's own names.
    pub(crate) fn attributes(
        &self,
        app: &App,
        id: &NodeId,
        by: Deadline,
    ) -> Result<Vec<(String, String)>> {
        let element = self.element(app, id, by)?;
        self.attributes_of(&element, id, by).map_err(|fault| lost(fault, app))
    }

    fn attributes_of(
        &self,
        of: &G::Element,
        id: &NodeId,
        by: Deadline,
    ) -> Answer<Vec<(String, String)>> {
        let facts = self.basics(of, by)?;
        let role = facts.role(Role::Unknown);
        let part = self.sight(of, &mut HashMap::new(), by)?.0.secret;
        let secret = self.is_secret(role, id, &facts, &self.called(&facts, by));
        let mut names = self.ax.names(of, by.or_after(MESSAGE))?;
        names.sort();
        let mut out = Vec::with_capacity(names.len());
        for name in names {
            let held = HELD.contains(&name.as_str());
            let named = NAMED.contains(&name.as_str());
            let printed = if (secret && held) || (part && (held || named)) {
                Some("(a secret)".to_owned())
            } else if LISTS.contains(&name.as_str()) {
                self.ax
                    .count(of, &name, by.or_after(MESSAGE))
                    .ok()
                    .map(|count| format!("{count} elements"))
            } else {
                self.printed(of, &name, by)?
            };
            out.extend(printed.filter(|text| !text.is_empty()).map(|text| (name, text)));
        }
        let mut list = |title: &str, names: Answer<Vec<String>>| -> Answer<()> {
            match names {
                Ok(names) if names.is_empty() => {}
                Ok(names) => out.push((title.to_owned(), names.join(", "))),
                Err(fault) if fault.is_absence() => {}
                Err(fault) => return Err(fault),
            }
            Ok(())
        };
        list("parameterized attributes", self.ax.parameterized(of, by.or_after(MESSAGE)))?;
        let actions = self.ax.actions(of, by.or_after(MESSAGE));
        list("actions", actions.map(|all| all.iter().map(|one| action::shown(one)).collect()))?;
        Ok(out)
    }

    /// One attribute as text; `None` when it has no value, and the fault when it cannot be told.
    fn printed(&self, of: &G::Element, name: &str, by: Deadline) -> Answer<Option<String>> {
        match self.ax.get(of, name, by.or_after(MESSAGE)) {
            Ok(Value::Element(other)) => Ok(Some(self.name(&other).as_str().to_owned())),
            Ok(value) => Ok(Some(shortened(value.printed()))),
            Err(fault @ (Fault::InvalidElement | Fault::ApiDisabled)) => Err(fault),
            Err(fault) if fault.is_absence() => Ok(None),
            // An app may list what it cannot tell; the others are still worth reading.
            Err(fault) => Ok(Some(format!("({})", fault.word()))),
        }
    }
}

fn shortened(text: String) -> String {
    let length = text.chars().count();
    if length <= PRINTED {
        return text;
    }
    let start: String = text.chars().take(PRINTED).collect();
    format!("{start}… ({length} characters in all)")
}
