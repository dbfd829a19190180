//! What is said after a call was answered: cleaned like an answer, and the end of what went on in the
//! background recorded like one.

use std::sync::Arc;

use deskhand_tools::{Door, Hears, Said, Session, Sink, Weight};
use serde_json::json;

use crate::{
    Call, Journal, content,
    journal::{Begun, Ended, Target},
};

/// Who hears what a call says later: its caller, where there still is one, and the journal.
pub(crate) fn sink(
    call: &Call,
    caller: &Arc<Session>,
    journal: &Journal,
    told: Option<&Sink>,
) -> Sink {
    let (caller, journal, told) = (Arc::clone(caller), journal.clone(), told.cloned());
    let (tool, principal) = (call.tool.clone(), call.principal.clone());
    let session = call.session.clone();
    let door = call.door;
    // The journal has beginnings and ends.
    let hears = told.as_ref().map_or(Hears::Ends, Sink::hears);
    Sink::new(hears, move |mut said: Said| {
        caller.flag(&content::said(&mut said));
        if said.weight == Weight::News {
            let begun = Begun {
                principal: principal.as_deref(),
                session: session.word(),
                door: word(door),
                tool: &tool,
                args: &json!({ "operation_id": said.data["operation_id"] }),
                target: Target::default(),
            };
            let ended = Ended {
                result: "ok",
                effect: said.data["status"].as_str(),
                delivery: None,
                target: Target::default(),
                flags: &[],
            };
            // It is over whether or not that can be recorded; that it began is on record.
            let _ = journal.begin(begun).and_then(|open| open.end(ended));
        }
        told.as_ref().is_none_or(|told| told.say(said))
    })
}

/// The word records have for a door.
pub(crate) fn word(door: Door) -> &'static str {
    match door {
        Door::CommandLine => "cli",
        Door::Mcp => "mcp",
        Door::Own => "own",
    }
}
