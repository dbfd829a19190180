//! `ax_assert`: checks the state of an element.

use deskhand_locate::{Query, Strategy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::offer;
use crate::{
    Context, Effect, Error, Offer, PrivateArg, Render, Requirement, Result, StyledText, Tool,
    ToolSpec,
    verbs::{
        self,
        tree::assertions::{self, ElementAssertions, FailedAssertion},
    },
};

pub(crate) struct AxAssert;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Name, alias or pid
    app: String,
    /// Ref or query
    query: String,
    /// Conditions that must hold
    assertions: Assertions,
}

/// The expected state.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Assertions {
    exists: Option<bool>,
    enabled: Option<bool>,
    focused: Option<bool>,
    value: Option<String>,
    title: Option<String>,
    role: Option<String>,
    visible: Option<bool>,
    contains_text: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct AssertResult {
    passed: bool,
    failures: Vec<FailedCondition>,
}

/// A condition that does not hold.
#[derive(Serialize, JsonSchema)]
struct FailedCondition {
    property: &'static str,
    expected: String,
    actual: String,
}

impl Render for AssertResult {
    fn render(&self) -> StyledText {
        super::as_data(self)
    }
}

impl Tool for AxAssert {
    const SPEC: ToolSpec = ToolSpec {
        name: "ax_assert",
        command: "",
        about: "Assert the state of an element. Waits briefly until it holds.",
        effect: Effect::Observe,
        needs: &[Requirement::Tree],
    };
    const OFFER: Option<Offer> = offer("Assert element state");
    const PRIVATE: &'static [PrivateArg] = &[PrivateArg::Text("assertions")];
    type Args = Args;
    type Output = AssertResult;

    fn run(cx: &Context<'_>, args: Args) -> Result<AssertResult> {
        let a = args.assertions;
        let expected = ElementAssertions {
            exists: a.exists,
            enabled: a.enabled,
            focused: a.focused,
            visible: a.visible,
            value: a.value,
            title: a.title,
            role: a.role,
            contains_text: a.contains_text,
        };
        if expected.is_empty() {
            let why = "assertions: expected at least one of exists, enabled, focused, value, \
                       title, role, visible, contains_text";
            return Err(Error::BadArguments { tool: Self::SPEC.name, why: why.to_owned() });
        }
        let query = Query::parse(&args.query, Strategy::Auto)?;
        let app = verbs::app::resolve_app(cx, Some(&args.app))?;
        let unmet = assertions::check(cx, &app, &query, &expected)?;
        let failure = |one: FailedAssertion| FailedCondition {
            property: one.property,
            expected: one.expected,
            actual: one.actual,
        };
        Ok(AssertResult {
            passed: unmet.is_empty(),
            failures: unmet.into_iter().map(failure).collect(),
        })
    }
}
