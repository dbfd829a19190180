//! `get_focused_element`: returns the element with the keyboard focus.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{offer, role_name};
use crate::{
    Context, Effect, Offer, Render, Requirement, Result, StyledText, Tool, ToolSpec,
    verbs::tree::{element::ElementInfo, focus::read_focused_element},
};

pub(crate) struct GetFocusedElement;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Name or pid of an app; without it, the focus of the whole desktop is read
    app: Option<String>,
}

/// The focused element.
#[derive(Serialize, JsonSchema)]
pub(crate) struct FocusResult {
    /// The element, or null if no element has the focus.
    element: Option<InspectedElement>,
    /// `true` if an element has the focus.
    #[serde(rename = "hasFocus")]
    has_focus: bool,
}

#[derive(Serialize, JsonSchema)]
struct InspectedElement {
    /// Role, such as `TextArea`.
    role: &'static str,
    /// Name of the element.
    title: String,
    /// Value; null if there is none or it is secret.
    value: Option<String>,
    /// Path of the element in its app.
    path: String,
    /// Names of the available actions.
    actions: Vec<String>,
}

impl From<ElementInfo> for InspectedElement {
    fn from(element: ElementInfo) -> Self {
        Self {
            value: element.value_text(),
            role: role_name(element.role),
            title: element.title,
            path: element.path,
            actions: element.actions,
        }
    }
}

impl Render for FocusResult {
    fn render(&self) -> StyledText {
        crate::ax::as_data(self)
    }
}

impl Tool for GetFocusedElement {
    const SPEC: ToolSpec = ToolSpec {
        name: "get_focused_element",
        command: "",
        about: "Return the element that receives keyboard input, in one app or on the whole desktop.",
        effect: Effect::Observe,
        needs: &[Requirement::Tree],
    };
    const OFFER: Option<Offer> = offer("Get focused element");
    type Args = Args;
    type Output = FocusResult;

    fn run(cx: &Context<'_>, args: Args) -> Result<FocusResult> {
        let element = read_focused_element(cx, args.app.as_deref())?;
        Ok(FocusResult {
            has_focus: element.is_some(),
            element: element.map(InspectedElement::from),
        })
    }
}
