//! `ax_is_accessible`: checks that accessibility is available.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Nothing, offer};
use crate::{Context, Effect, Offer, Result, Spec, Tool, verbs::permission};

pub(crate) struct IsAccessible;

#[derive(Serialize, JsonSchema)]
pub(crate) struct Access {
    enabled: bool,
    process_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<String>,
}

impl Tool for IsAccessible {
    const SPEC: Spec = Spec {
        name: "ax_is_accessible",
        command: "",
        about: "Check that accessibility works. If it does not, no other tool works: follow the \
                suggestion.",
        effect: Effect::Observe,
        needs: &[],
    };
    const OFFER: Option<Offer> = offer("Check accessibility permissions");
    type Args = Nothing;
    type Output = Access;

    fn run(cx: &Context<'_>, _: Nothing) -> Result<Access> {
        let suggestion = permission::lacking(cx)?.map(|why| super::for_tools(&why));
        let process_name = permission::process_name(cx);
        Ok(Access { enabled: suggestion.is_none(), process_name, suggestion })
    }
}
