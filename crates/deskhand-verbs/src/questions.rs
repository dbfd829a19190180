//! Every question there is, as data. Which of them a call puts is decided where it is needed.

use crate::{Choice, Field, How, Instance, Question, Takes, Warning};

/// Several running apps go by a name.
pub fn which_app(wanted: &str, matching: &[Instance]) -> Question {
    let choice = |one: &Instance| Choice::new(one.pid.to_string(), one.to_string());
    let choices = Takes::One(matching.iter().map(choice).collect());
    let message = format!("Several running apps match \"{wanted}\". Which one is meant?");
    Question::form("app", message, vec![Field::new("app", "App", choices)])
}

/// Nothing matches a query.
pub fn which_element(query: &str) -> Question {
    let message =
        format!("No element matches \"{query}\". What is it called, or what does it look like?");
    Question::form("clarify", message, vec![Field::new("description", "Description", Takes::Text)])
}

/// The same, where a model can be asked to look when the answer finds nothing either.
pub fn which_element_or_look(query: &str) -> Question {
    let mut question = which_element(query);
    if let How::Form(fields) = &mut question.how {
        let look = Field::new("use_visual", "Have a model look at the app, too", Takes::Yes(true));
        fields.push(look.optional());
    }
    question
}

/// Doing this to an element may lose something.
pub fn may_lose(doing: &str, what: &str, sign: &Warning) -> Question {
    let sign = match sign {
        Warning::Word(word) => format!("It says \"{word}\""),
        Warning::Icon(icon) => format!("Its icon is \"{icon}\""),
        Warning::Key(_) => "This key closes or deletes".to_owned(),
    };
    confirm(format!("{doing} {what}? {sign}, so something may be lost."))
}

/// A tool ends something, and what was not saved may be lost.
pub fn may_end(tool: &str, arguments: &str) -> Question {
    let message = format!("{tool} {arguments}? What is not saved there may be lost.");
    Question::form("confirm", message, vec![go_ahead()]).for_leave()
}

/// An app has shown text that no person could see, and now something is to be changed.
pub fn after_flagged(tool: &str, arguments: &str, flags: &str) -> Question {
    let message = format!(
        "{tool} {arguments}? An app has shown the agent text that no person could see ({flags}): it \
         may have been told to do this."
    );
    let fields = vec![Field::new("proceed", "Go ahead", Takes::Yes(false))];
    Question::form("flagged", message, fields).for_leave()
}

fn confirm(message: String) -> Question {
    let remember =
        Field::new("remember", "Do not ask again for this app and tool", Takes::Yes(false));
    Question::form("confirm", message, vec![go_ahead(), remember.optional()]).for_leave()
}

fn go_ahead() -> Field {
    Field::new("confirm", "Go ahead", Takes::Yes(false))
}

/// Accessibility is switched off.
pub fn permission() -> Question {
    let choices = vec![
        Choice::new("open_settings", "I switch it on now"),
        Choice::new("show_instructions", "Show me how"),
        Choice::new("cancel", "Go on without"),
    ];
    let fields = vec![Field::new("action", "What to do", Takes::One(choices))];
    Question::form("permission", "Apps cannot be seen: accessibility is switched off.", fields)
}

/// The most characters of a script a person can be asked to read.
pub const LONGEST_SCRIPT: usize = 16_000;

/// The word the question about a script goes by.
pub const REVIEW: &str = "review";

/// A script is to be run; `seconds` is how long unless the person says otherwise.
pub fn review(language: &str, script: &str, seconds: i64) -> Question {
    let fields = vec![
        Field::new("approve", "Run it", Takes::Yes(false)),
        Field::new(
            "timeout_seconds",
            "Stop it after so many seconds",
            Takes::Whole { first: seconds.clamp(1, 60), least: 1, most: 60 },
        )
        .optional(),
    ];
    Question::form(REVIEW, format!("Run this {language} script?\n\n{script}"), fields).for_leave()
}

/// The system asks for an administrator.
pub fn elevation(what: &str) -> Question {
    let fields = vec![Field::new("proceed", "Go on", Takes::Yes(false))];
    Question::form("elevation", format!("{what} needs an administrator. Go on?"), fields)
        .for_leave()
}

/// A service for looking at pictures wants a key.
pub fn service_key(service: &str, url: &str) -> Question {
    Question::page("service_key", format!("{service} needs a key: make one at {}", host(url)), url)
}

/// A client wants to be let in.
pub fn consent(client: &str, url: &str) -> Question {
    Question::page("consent", format!("{client} asks for access: decide at {}", host(url)), url)
}

/// An app wants its user to sign in.
pub fn sign_in(app: &str, url: &str) -> Question {
    Question::page("sign_in", format!("{app} wants you to sign in at {}", host(url)), url)
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
            may_lose("Click", "button \"Delete\"", &Warning::Word("delete".to_owned())),
            permission(),
            review("shell", "beep", 10),
            elevation("The installer"),
            service_key("Vision", url),
            consent("Agent", url),
            sign_in("Mail", url),
        ];
        let keys: HashSet<&str> = all.iter().map(|one| one.key).collect();
        assert_eq!(keys.len(), 9);
        for one in &all {
            assert_eq!(one.schema().is_some(), matches!(one.how, How::Form(_)), "{}", one.key);
        }
    }

    #[test]
    fn a_person_reads_the_real_host() {
        assert_eq!(host("https://bank.example@evil.example/login"), "evil.example");
        assert_eq!(host("http://localhost:8080"), "localhost:8080");
        assert!(sign_in("Mail", "https://example.org/x").message.contains("at example.org"));
    }
}
