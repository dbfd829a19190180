//! Every question there is, as data. Which of them a call puts is decided where it is needed.

use super::{AnswerMethod, Choice, FieldType, FormField, Question};
use crate::{Instance, RiskCause};

/// Several running apps go by a name.
pub fn which_app(wanted: &str, matching: &[Instance]) -> Question {
    let choice = |one: &Instance| Choice::new(one.pid.to_string(), one.to_string());
    let choices = FieldType::OneOf(matching.iter().map(choice).collect());
    let message = format!("Several running apps match \"{wanted}\". Which one is meant?");
    Question::form("app", message, vec![FormField::new("app", "App", choices)])
}

/// Nothing matches a query.
pub fn which_element(query: &str) -> Question {
    let message =
        format!("No element matches \"{query}\". What is it called, or what does it look like?");
    Question::form(
        "clarify",
        message,
        vec![FormField::new("description", "Description", FieldType::Text)],
    )
}

/// The same, where a model can be asked to look when the answer finds nothing either.
pub fn which_element_or_inspect(query: &str) -> Question {
    let mut question = which_element(query);
    if let AnswerMethod::Form(fields) = &mut question.method {
        let look = FormField::new(
            "use_visual",
            "Have a model look at the app, too",
            FieldType::Boolean(true),
        );
        fields.push(look.optional());
    }
    question
}

/// Doing this to an element may lose something.
pub fn confirm_risk(doing: &str, what: &str, cause: &RiskCause) -> Question {
    let cause = match cause {
        RiskCause::Word(word) => format!("It says \"{word}\""),
        RiskCause::Icon(icon) => format!("Its icon is \"{icon}\""),
        RiskCause::Key(_) => "This key closes or deletes".to_owned(),
    };
    confirm(format!("{doing} {what}? {cause}, so something may be lost."))
}

/// A tool ends something, and what was not saved may be lost.
pub fn confirm_end(tool: &str, arguments: &str) -> Question {
    let message = format!("{tool} {arguments}? What is not saved there may be lost.");
    Question::form("confirm", message, vec![go_ahead()]).for_consent()
}

/// An app has shown text that no person could see, and now something is to be changed.
pub fn confirm_after_hidden_text(tool: &str, arguments: &str, flags: &str) -> Question {
    let message = format!(
        "{tool} {arguments}? An app has shown the agent text that no person could see ({flags}): it \
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

/// Accessibility is switched off.
pub fn enable_accessibility() -> Question {
    let choices = vec![
        Choice::new("open_settings", "I switch it on now"),
        Choice::new("show_instructions", "Show me how"),
        Choice::new("cancel", "Go on without"),
    ];
    let fields = vec![FormField::new("action", "What to do", FieldType::OneOf(choices))];
    Question::form("permission", "Apps cannot be seen: accessibility is switched off.", fields)
}

/// The most characters of a script a person can be asked to read.
pub const MAX_SCRIPT_CHARS: usize = 16_000;

/// The word the question about a script goes by.
pub const REVIEW_KEY: &str = "review";

/// A script is to be run; `seconds` is how long unless the person says otherwise.
pub fn review_script(language: &str, script: &str, seconds: i64) -> Question {
    let fields = vec![
        FormField::new("approve", "Run it", FieldType::Boolean(false)),
        FormField::new(
            "timeout_seconds",
            "Stop it after so many seconds",
            FieldType::Integer { default: seconds.clamp(1, 60), min: 1, max: 60 },
        )
        .optional(),
    ];
    Question::form(REVIEW_KEY, format!("Run this {language} script?\n\n{script}"), fields)
        .for_consent()
}

/// The system asks for an administrator.
pub fn elevation(what: &str) -> Question {
    let fields = vec![FormField::new("proceed", "Go on", FieldType::Boolean(false))];
    Question::form("elevation", format!("{what} needs an administrator. Go on?"), fields)
        .for_consent()
}

/// A service for looking at pictures wants a key.
pub fn service_key(service: &str, url: &str) -> Question {
    Question::url("service_key", format!("{service} needs a key: make one at {}", host(url)), url)
}

/// A client wants to be let in.
pub fn client_access(client: &str, url: &str) -> Question {
    Question::url("consent", format!("{client} asks for access: decide at {}", host(url)), url)
}

/// An app wants its user to sign in.
pub fn sign_in(app: &str, url: &str) -> Question {
    Question::url("sign_in", format!("{app} wants you to sign in at {}", host(url)), url)
}

/// Where an address leads, so that the person knows before going there.
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
    fn no_two_share_a_key_and_each_form_has_a_schema() {
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
    fn a_person_reads_the_real_host() {
        assert_eq!(host("https://bank.example@evil.example/login"), "evil.example");
        assert_eq!(host("http://localhost:8080"), "localhost:8080");
        assert!(sign_in("Mail", "https://example.org/x").message.contains("at example.org"));
    }
}
