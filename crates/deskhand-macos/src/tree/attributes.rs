//! All attributes of one element, under the names macOS gives them.

use std::collections::HashMap;

use deskhand_model::{App, NodeId, Role};
use deskhand_platform::{Deadline, Result};

use super::{
    AxError, Value, action,
    ax_api::{AxApi, AxResult},
    session::{AxSession, element_error},
};
use crate::timing::MESSAGE_TIMEOUT;

/// The attributes that reveal the content of a field.
const CONTENT_ATTRIBUTES: [&str; 6] = [
    "AXValue",
    "AXSelectedText",
    "AXValueDescription",
    "AXAttributedValue",
    "AXSelectedTextRange",
    "AXSharedCharacterRange",
];
/// The attributes that reveal the content of an element inside a field.
const LABEL_ATTRIBUTES: [&str; 3] = ["AXTitle", "AXDescription", "AXHelp"];
/// The attributes with lists of elements. They are counted, not read.
const LIST_ATTRIBUTES: [&str; 8] = [
    "AXChildren",
    "AXRows",
    "AXColumns",
    "AXVisibleRows",
    "AXVisibleChildren",
    "AXVisibleCells",
    "AXContents",
    "AXChildrenInNavigationOrder",
];
/// Upper limit of characters shown of a value.
const MAX_PRINTED: usize = 2_000;

impl<A: AxApi> AxSession<A> {
    /// Reads all attributes of an element.
    pub(crate) fn attributes(
        &self,
        app: &App,
        id: &NodeId,
        deadline: Deadline,
    ) -> Result<Vec<(String, String)>> {
        let element = self.resolve_element(app, id, deadline)?;
        self.attributes_of(&element, id, deadline).map_err(|error| element_error(error, app))
    }

    fn attributes_of(
        &self,
        of: &A::Element,
        id: &NodeId,
        deadline: Deadline,
    ) -> AxResult<Vec<(String, String)>> {
        let attributes = self.read_basics(of, deadline)?;
        let role = attributes.role(Role::Unknown);
        let in_secret_field = self.visibility_of(of, &mut HashMap::new(), deadline)?.0.secret;
        let secret =
            self.is_secret(role, id, &attributes, &self.accessible_name(&attributes, deadline));
        let mut names = self.ax.attribute_names(of, deadline.at_most(MESSAGE_TIMEOUT))?;
        names.sort();
        let mut out = Vec::with_capacity(names.len());
        for name in names {
            let content = CONTENT_ATTRIBUTES.contains(&name.as_str());
            let label = LABEL_ATTRIBUTES.contains(&name.as_str());
            let printed = if (secret && content) || (in_secret_field && (content || label)) {
                Some("(a secret)".to_owned())
            } else if LIST_ATTRIBUTES.contains(&name.as_str()) {
                self.ax
                    .value_count(of, &name, deadline.at_most(MESSAGE_TIMEOUT))
                    .ok()
                    .map(|count| format!("{count} elements"))
            } else {
                self.attribute_text(of, &name, deadline)?
            };
            out.extend(printed.filter(|text| !text.is_empty()).map(|text| (name, text)));
        }
        let mut list = |title: &str, names: AxResult<Vec<String>>| -> AxResult<()> {
            match names {
                Ok(names) if names.is_empty() => {}
                Ok(names) => out.push((title.to_owned(), names.join(", "))),
                Err(error) if error.is_absent() => {}
                Err(error) => return Err(error),
            }
            Ok(())
        };
        list(
            "parameterized attributes",
            self.ax.parameterized_attribute_names(of, deadline.at_most(MESSAGE_TIMEOUT)),
        )?;
        let actions = self.ax.action_names(of, deadline.at_most(MESSAGE_TIMEOUT));
        list(
            "actions",
            actions.map(|all| all.iter().map(|one| action::display_name(one)).collect()),
        )?;
        Ok(out)
    }

    /// One attribute as text, or `None` if it has no value. A failed read shows the error's name.
    fn attribute_text(
        &self,
        of: &A::Element,
        name: &str,
        deadline: Deadline,
    ) -> AxResult<Option<String>> {
        match self.ax.attribute(of, name, deadline.at_most(MESSAGE_TIMEOUT)) {
            Ok(Value::Element(other)) => Ok(Some(self.node_id(&other).as_str().to_owned())),
            Ok(value) => Ok(Some(truncated(value.to_display_string()))),
            Err(error @ (AxError::InvalidElement | AxError::ApiDisabled)) => Err(error),
            Err(error) if error.is_absent() => Ok(None),
            // Some apps list attributes that they cannot read. The others are still worth showing.
            Err(error) => Ok(Some(format!("({})", error.name()))),
        }
    }
}

fn truncated(text: String) -> String {
    let length = text.chars().count();
    if length <= MAX_PRINTED {
        return text;
    }
    let start: String = text.chars().take(MAX_PRINTED).collect();
    format!("{start}… ({length} characters in total)")
}
