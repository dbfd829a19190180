//! All questions of Deskhand, as data. The verbs and the engine decide when to ask them.

use super::{AnswerMethod, Choice, FieldType, FormField, Question};
use crate::{Instance, RiskCause};

/// Asks which of several running apps is meant.
pub fn which_app(wanted: &str, matching: &[Instance]) -> Question {
    let choice = |one: &Instance| Choice::new(one.pid.to_string(), one.to_string());
    let choices = FieldType::OneOf(matching.iter().map(choice).collect());
    let message = format!("Several running apps match \"{wanted}\". Which one is meant?");
    Question::form("app", message, vec![FormField::new("app", "App", choices)])
}

/// Asks for a description of an element that a query does not match.
pub fn which_element(query: &str) -> Question {
    let message =
        format!("No element matches \"{query}\". What is it called, or what does it look like?");
    Question::form(
        "clarify",
        message,
        vec![FormField::new("description", "Description", FieldType::Text)],
    )
}

/// Like [`which_element`], with the option to have a model inspect the app.
pub fn which_element_or_inspect(query: &str) -> Question {
    let mut question = which_element(query);
    if let AnswerMethod::Form(fields) = &mut question.method {
        let look = FormField::new(
            "use_visual",
            "Let a model inspect the app as well",
            FieldType::Boolean(true),
        );
        fields.push(look.optional());
    }
    question
}

/// Asks for consent to a risky action.
pub fn confirm_risk(action: &str, target: &str, cause: &RiskCause) -> Question {
    let cause = match cause {
        RiskCause::Word(word) => format!("It says \"{word}\""),
        RiskCause::Icon(icon) => format!("Its icon is \"{icon}\""),
        RiskCause::Key(_) => "This key closes or deletes".to_owned(),
    };
    confirm(format!("{action} {target}? {cause}, so something may be lost."))
}

/// Asks for consent to end something with possibly unsaved work.
pub fn confirm_end(tool: &str, arguments: &str) -> Question {
    let message = format!("{tool} {arguments}? What is not saved there may be lost.");
    Question::form("confirm", message, vec![go_ahead()]).for_consent()
}

/// Asks for consent to a change after an app has shown invisible text to the agent.
pub fn confirm_after_hidden_text(tool: &str, arguments: &str, flags: &str) -> Question {
    let message = format!(
        "{tool} {arguments}? An app has shown the agent text that users cannot see ({flags}): it \
         may have been told to do this."
    );
    let fields = vec![FormField::new("proceed", "Go ahead", FieldType::Boolean(false))];
    Question::form("flagged", message, fields).for_consent()
}

fn confirm(message: String) -> Question {
    let remember = FormField::new(
        "remember",
        "Do not ask again for this app and tool",
        FieldType::Boolean(false),
    );
    Question::form("confirm", message, vec![go_ahead(), remember.optional()]).for_consent()
}

fn go_ahead() -> FormField {
    FormField::new("confirm", "Go ahead", FieldType::Boolean(false))
}

/// Asks the user to enable accessibility.
pub fn enable_accessibility() -> Question {
    let choices = vec![
        Choice::new("open_settings", "Enable it now"),
        Choice::new("show_instructions", "Show me how"),
        Choice::new("cancel", "Continue without it"),
    ];
    let fields = vec![FormField::new("action", "What to do", FieldType::OneOf(choices))];
    Question::form("permission", "Apps cannot be read: accessibility is disabled.", fields)
}

/// The largest number of script characters that a user is asked to read.
pub const MAX_SCRIPT_CHARS: usize = 16_000;

/// The key of the question about a script.
pub const REVIEW_KEY: &str = "review";

/// Asks for the review of a script. `seconds` is the default timeout.
pub fn review_script(language: &str, script: &str, seconds: i64) -> Question {
    let fields = vec![
        FormField::new("approve", "Run it", FieldType::Boolean(false)),
        FormField::new(
            "timeout_seconds",
            "Timeout in seconds",
            FieldType::Integer { default: seconds.clamp(1, 60), min: 1, max: 60 },
        )
        .optional(),
    ];
    Question::form(REVIEW_KEY, format!("Run this {language} script?\n\n{script}"), fields)
        .for_consent()
}

/// Asks for consent to use administrator rights.
pub fn elevation(what: &str) -> Question {
    let fields = vec![FormField::new("proceed", "Continue", FieldType::Boolean(false))];
    Question::form("elevation", format!("{what} needs administrator rights. Continue?"), fields)
        .for_consent()
}

/// Asks for the API key of a vision service.
pub fn service_key(service: &str, url: &str) -> Question {
    Question::url(
        "service_key",
        format!("{service} needs an API key: create one at {}", host(url)),
        url,
    )
}

/// Asks if a client may have access.
pub fn client_access(client: &str, url: &str) -> Question {
    Question::url("consent", format!("{client} asks for access: decide at {}", host(url)), url)
}

/// Asks the user to sign in to an app.
pub fn sign_in(app: &str, url: &str) -> Question {
    Question::url("sign_in", format!("{app} wants you to sign in at {}", host(url)), url)
}

/// Returns the host of an address, so that the user sees it before opening the page.
fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    authority.rsplit_once('@').map_or(authority, |(_, host)| host)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn keys_are_unique_and_each_form_has_a_schema() {
        let editor = Instance { name: "editor".to_owned(), pid: 7 };
        let url = "https://example.org/a?b";
        let all = [
            which_app("ed", &[editor]),
            which_element("Save"),
            confirm_risk("Click", "button \"Delete\"", &RiskCause::Word("delete".to_owned())),
            enable_accessibility(),
            review_script("shell", "beep", 10),
            elevation("The installer"),
            service_key("Vision", url),
            client_access("Agent", url),
            sign_in("Mail", url),
        ];
        let keys: HashSet<&str> = all.iter().map(|one| one.key).collect();
        assert_eq!(keys.len(), 9);
        for one in &all {
            assert_eq!(
                one.schema().is_some(),
                matches!(one.method, AnswerMethod::Form(_)),
                "{}",
                one.key
            );
        }
    }

    #[test]
    fn messages_show_the_real_host() {
        assert_eq!(host("https://bank.example@evil.example/login"), "evil.example");
        assert_eq!(host("http://localhost:8080"), "localhost:8080");
        assert!(sign_in("Mail", "https://example.org/x").message.contains("at example.org"));
    }
}
