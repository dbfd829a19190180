//! `ax_is_accessible`: checks that accessibility is available.

use schemars::JsonSchema;
use serde::Serialize;

use super::{NoArguments, offer};
use crate::{Context, Effect, Offer, Result, Tool, ToolSpec, verbs::permission};

pub(crate) struct AxIsAccessible;

#[derive(Serialize, JsonSchema)]
pub(crate) struct AccessibilityResult {
    enabled: bool,
    process_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<String>,
}

impl Tool for AxIsAccessible {
    const SPEC: ToolSpec = ToolSpec {
        name: "ax_is_accessible",
        command: "",
        about: "Check that accessibility works. If it does not, no other tool works: follow the \
                suggestion.",
        effect: Effect::Observe,
        needs: &[],
    };
    const OFFER: Option<Offer> = offer("Check accessibility permissions");
    type Args = NoArguments;
    type Output = AccessibilityResult;

    fn run(cx: &Context<'_>, _: NoArguments) -> Result<AccessibilityResult> {
        let suggestion = permission::missing_permission(cx)?.as_ref().map(super::spell);
        let process_name = permission::responsible_program(cx);
        Ok(AccessibilityResult { enabled: suggestion.is_none(), process_name, suggestion })
    }
}
