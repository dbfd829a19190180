//! What the server says of itself.
#![expect(deprecated, reason = "logging is of the era of the handshake, which is served too")]

use rmcp::model::{Implementation, InitializeResult, ServerCapabilities};

use super::state::State;

/// How to work with these tools, for a model that sees nothing else.
const INSTRUCTIONS: &str = "\
Deskhand sees and works desktop apps through their accessibility trees.

Look before you act: `ax_list_apps` names what runs, `ax_get_tree` shows an app with a ref (e12) for \
each element, `ax_find` finds one. Pass a ref, or a query that matches exactly one element; an \
ambiguous one is refused with the candidates instead of guessed.

Every action says what came of it in `effect`: `confirmed` was seen to happen, `unverified` was sent \
and nothing tells whether it worked, `no_effect` provably did nothing, `refused` was not sent. Look \
again before you repeat anything that is not `no_effect` or `refused`.

Errors say what to do next. `not_sent` may be tried again as it is.";

/// The server's name, words and abilities.
pub(crate) fn info(state: &State) -> InitializeResult {
    let base = ServerCapabilities::builder().enable_tools().enable_logging();
    let capabilities = match &state.fixtures {
        Some(_) => base
            .enable_tool_list_changed()
            .enable_completions()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_resources_list_changed()
            .enable_tasks()
            .build(),
        None => base.enable_tasks().build(),
    };
    let mut about = Implementation::new("deskhand", env!("CARGO_PKG_VERSION"));
    about.title = Some("Deskhand".to_owned());
    InitializeResult::new(capabilities).with_server_info(about).with_instructions(INSTRUCTIONS)
}

#[cfg(test)]
mod tests {
    #[test]
    fn instructions_are_short() {
        assert!(super::INSTRUCTIONS.chars().count() < 2000);
    }
}
