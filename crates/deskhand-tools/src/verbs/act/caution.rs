//! Asking before a click that may lose something.

use std::time::Duration;

use deskhand_model::Node;
use deskhand_platform::Deadline;

use super::target::Target;
use crate::{
    Asked, Context, Door, Error, Result, Said, questions,
    verbs::effect::{Done, Tried, Verdict},
};

/// Words on things that lose something when they are clicked.
const WORDS: &[&str] = &["delete", "remove", "erase", "quit", "close", "format", "reset"];

/// How long an element may take to be ready once a person has answered.
const AGAIN: Duration = Duration::from_secs(5);

/// Whether a click may go on.
pub(crate) enum Leave {
    /// Nobody need be asked, or there is nobody to ask.
    Free,
    /// A person said yes, and took time for it: the element must be found again.
    Given,
    /// A person said no.
    Refused,
}

/// Asks the person behind a call before an element is clicked whose name is a warning.
pub(crate) fn leave(cx: &Context<'_>, target: &Target) -> Result<Leave> {
    let Some(word) = warning(&target.node).filter(|_| cx.door == Door::Mcp) else {
        return Ok(Leave::Free);
    };
    let what = format!("{} in {}", target.label(), target.app.name);
    let question = questions::may_lose(&what, word);
    match cx.ask.ask(&question) {
        Asked::Given(answer) if answer["confirm"] == true => Ok(Leave::Given),
        Asked::Given(_) | Asked::Declined | Asked::Cancelled => Ok(Leave::Refused),
        Asked::Later => Err(Error::Asks { question: Box::new(question) }),
        Asked::Nobody => {
            // Whether anybody hears it changes nothing.
            let _heard = (cx.listener)(Said::warning(format!(
                "{what} is clicked without asking: this client cannot ask"
            )));
            Ok(Leave::Free)
        }
    }
}

/// The same call, with time to find the element again.
pub(crate) fn later<'a>(cx: &Context<'a>) -> Context<'a> {
    Context { by: Deadline::after(AGAIN), ..*cx }
}

/// The answer when a person said no.
pub(crate) fn refused(target: &Target) -> Done {
    let tried = vec![Tried { way: "question".to_owned(), why: "the person declined".to_owned() }];
    let done = Done { tried, ..Done::new(Verdict::Refused, "none") };
    Done { element_ref: Some(target.reference.clone()), ..done.to(target.label()) }
}

/// The word of warning in what an element is called.
fn warning(node: &Node) -> Option<&'static str> {
    let text = format!("{} {}", node.name, node.description).to_lowercase();
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    words.find_map(|word| WORDS.iter().copied().find(|known| *known == word))
}

#[cfg(test)]
mod tests {
    use deskhand_model::{NodeId, Role};

    use super::*;

    fn of(name: &str, description: &str) -> Option<&'static str> {
        let mut node = Node::new(NodeId::new("n"), Role::Button);
        (node.name, node.description) = (name.to_owned(), description.to_owned());
        warning(&node)
    }

    #[test]
    fn only_whole_words_warn() {
        assert_eq!(of("Delete file…", ""), Some("delete"));
        assert_eq!(of("X", "CLOSE this tab"), Some("close"));
        assert_eq!(of("Information", "Disclosed formats"), None);
    }
}
