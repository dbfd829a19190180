//! Why a query finds nothing: what the model behind the call makes of what the app shows. Where there
//! is none, a picture and the words to go with it, for whoever reads the answer.

use std::time::Duration;

use deskhand_locate::{Query, Strategy};
use deskhand_model::{
    App, Index,
    outline::{Options, Outline},
};
use deskhand_platform::{Deadline, Extent, Facets};
use deskhand_vision::{Format, Limits};

use super::{
    aim::Named,
    element::describe,
    look::{self, Look},
    picture::{self, Wanted},
    sift::Sift,
    windows::{self, Prefer},
};
use crate::{
    Asked, Context, Error, Image, Question, Result,
    talk::{Came, Lent, Piece, Spoken, Talk, Turn, Use, Weighs},
};

/// How long each look may take; the model takes its own time in between.
const LOOK: Duration = Duration::from_secs(5);

/// How many tokens the outline may cost.
const OUTLINE: usize = 1_500;

/// What a model sees best: the longer side in pixels, and bytes.
const LONGEST: u32 = 1_568;
const BYTES: usize = 700_000;

/// The names of the questions a conversation takes, one a turn.
const TURNS: [&str; 5] = ["locate", "locate_2", "locate_3", "locate_4", "locate_5"];

const LOCATES: &str = "You help to find an element of a desktop app. Look at elements with \
                       describe_element and try queries with suggest_locator before you answer. Answer \
                       in at most three sentences: why the query finds nothing, and the query that does.";

const READS: &str =
    "You read a picture of a desktop app so that it can be worked without seeing it.";

const PLANS: &str = "You plan how a desktop app is worked. Suggest the one action to take next.";

const TOOLS: [Lent; 2] = [
    Lent {
        name: DESCRIBE,
        about: "Everything known of one element",
        takes: "ref: the ref of an element in the outline, such as e12",
    },
    Lent {
        name: SUGGEST,
        about: "Tries a query and tells what it matches",
        takes: "query: title text, role:button title:Save, /regex/ or XPath",
    },
];
const DESCRIBE: &str = "describe_element";
const SUGGEST: &str = "suggest_locator";

/// What is made of it.
#[derive(Debug, Default)]
pub struct Explained {
    /// In words.
    pub words: String,
    /// Queries that were tried on the way and match one element.
    pub queries: Vec<String>,
    /// What the app looks like, where nobody looked at it for the caller.
    pub picture: Option<Image>,
}

/// Explains why a query finds nothing in an app.
///
/// # Errors
///
/// When the model must be asked first, or the app cannot be looked at.
pub fn missing(cx: &Context<'_>, app: &App, query: &str) -> Result<Explained> {
    let outline = outline(&again(cx), app)?;
    if let Some(explained) = with_tools(cx, app, query, &outline)? {
        return Ok(explained);
    }
    // A screen that cannot be had does not keep the model from reading the outline.
    let picture = picture(&again(cx), app).ok();
    if let Some(words) = without_tools(cx, app, query, &outline, picture.as_ref())? {
        return Ok(Explained { words, ..Explained::default() });
    }
    let words = format!(
        "Look at the picture of {}: is \"{query}\" on it, under another name, or behind something \
         that must be opened first?",
        app.name
    );
    Ok(Explained { words, picture, ..Explained::default() })
}

/// A conversation in which the model may look and try for itself; `None` where it cannot be had.
fn with_tools(
    cx: &Context<'_>,
    app: &App,
    query: &str,
    outline: &str,
) -> Result<Option<Explained>> {
    let asks = format!("The query \"{query}\" matches nothing in {}.\n\n{outline}", app.name);
    let mut talk = Talk {
        part: LOCATES,
        turns: vec![Turn::Asked(vec![Piece::Words(asks)])],
        most_tokens: 2_000,
        weighs: None,
        tools: TOOLS.to_vec(),
    };
    let mut queries = Vec::new();
    let mut words = None;
    for key in TURNS {
        let Some(said) = ask(cx, key, &talk)? else { break };
        words = Some(said.words.clone());
        if said.uses.is_empty() {
            break;
        }
        let came = said.uses.iter().map(|one| used(&again(cx), app, one, &mut queries)).collect();
        talk.turns.push(Turn::Said(said));
        talk.turns.push(Turn::Came(came));
    }
    Ok(words.map(|words| Explained { words, queries, picture: None }))
}

/// What came of a tool the model used.
fn used(cx: &Context<'_>, app: &App, used: &Use, queries: &mut Vec<String>) -> Came {
    let given = |name: &str| used.input[name].as_str().unwrap_or_default().to_owned();
    let came = match used.name.as_str() {
        DESCRIBE => described(cx, app, &given("ref")),
        SUGGEST => {
            let query = given("query");
            let matched = described(cx, app, &query);
            if matched.is_ok() && !queries.contains(&query) {
                queries.push(query);
            }
            matched
        }
        other => Ok(format!("there is no tool {other}")),
    };
    Came { id: used.id.clone(), words: came.unwrap_or_else(|error| error.to_string()) }
}

/// The one element a query means, with everything known of it.
fn described(cx: &Context<'_>, app: &App, query: &str) -> Result<String> {
    let query = Query::parse(query, Strategy::Auto)?;
    let mut sought = look::one(cx, app, &query)?;
    let element = describe(cx, app, &mut sought.look, &[sought.found.index])?.remove(0);
    serde_json::to_string(&element).map_err(|error| Error::Unwritable { why: error.to_string() })
}

/// What the model reads on the picture and what it would do next; `None` where it cannot be had.
fn without_tools(
    cx: &Context<'_>,
    app: &App,
    query: &str,
    outline: &str,
    picture: Option<&Image>,
) -> Result<Option<String>> {
    let screen = picture.map(|picture| Talk {
        part: READS,
        turns: vec![Turn::Asked(vec![
            Piece::Picture(picture.clone()),
            Piece::Words(format!(
                "What does this window of {} show? List what can be seen and used. Is \"{query}\" \
                 among it?",
                app.name
            )),
        ])],
        most_tokens: 1_000,
        weighs: Some(Weighs { intelligence: 0.8, cost: 0.3, speed: 0.5 }),
        tools: Vec::new(),
    });
    let history = cx.session.recent().join("; ");
    let history = if history.is_empty() { "none".to_owned() } else { history };
    let asks = format!(
        "What {} shows now:\n{outline}\n\nGoal: find \"{query}\", which nothing matches.\n\
         Actions so far: {history}\n\nWhich action comes next?",
        app.name
    );
    let next = Talk {
        part: PLANS,
        turns: vec![Turn::Asked(vec![Piece::Words(asks)])],
        most_tokens: 500,
        weighs: None,
        tools: Vec::new(),
    };
    // Both are put before either is waited for: a door that must be called again asks once.
    // One picture too many is refused before the model works for nothing.
    let read = match screen.map(|screen| ask(cx, "screen", &screen)).transpose() {
        Err(refused) if !matches!(refused, Error::Asks { .. }) => return Err(refused),
        asked => asked,
    };
    let planned = ask(cx, "next", &next);
    let read = read?.flatten().map(|said| format!("On the screen: {}", said.words));
    let planned = planned?.map(|said| format!("Next: {}", said.words));
    let words: Vec<String> = read.into_iter().chain(planned).collect();
    Ok((!words.is_empty()).then(|| words.join("\n\n")))
}

/// Asks the model; `None` when there is none or it says nothing.
fn ask(cx: &Context<'_>, key: &'static str, talk: &Talk) -> Result<Option<Spoken>> {
    let is_picture = |piece: &Piece| matches!(piece, Piece::Picture(_));
    let shows = |turn: &Turn| matches!(turn, Turn::Asked(all) if all.iter().any(is_picture));
    // A call that comes back with what the model said shows it nothing again.
    if talk.turns.iter().any(shows) && cx.ask.has_model() && !cx.ask.knows(key) {
        cx.warden.show_model()?;
    }
    let question = Question::model(key, talk.clone());
    match cx.ask.ask(&question) {
        Asked::Given(answer) => Ok(Spoken::read(&answer)),
        Asked::Later => Err(Error::Asks { question: Box::new(question) }),
        Asked::Declined | Asked::Cancelled | Asked::Nobody => {
            cx.stop.check()?;
            Ok(None)
        }
    }
}

/// The same call, with time for another look.
fn again<'a>(cx: &Context<'a>) -> Context<'a> {
    Context { by: Deadline::after(LOOK), ..*cx }
}

fn outline(cx: &Context<'_>, app: &App) -> Result<String> {
    let mut look = Look::at(cx, app, &Extent::of(Facets::LOOK))?;
    look.sift(cx, app, Sift::LeaveOut);
    let options = Options { max_tokens: Some(OUTLINE), include_invisible: false, depth: None };
    let Look { snapshot, refs, .. } = &mut look;
    let outline = Outline::of(snapshot, Index::ROOT, &options, &mut |seen, at| {
        refs.assign(seen, at).to_string()
    });
    let text: Vec<String> = outline.lines().iter().map(ToString::to_string).collect();
    look.keep()?;
    Ok(text.join("\n"))
}

fn picture(cx: &Context<'_>, app: &App) -> Result<Image> {
    let window = windows::meant(cx, &app.pid.to_string(), None, Prefer::Shown)?;
    let window = format!("{:#x}", window.id);
    let named = Named { window: Some(&window), ..Named::default() };
    let limits = Limits { width: Some(LONGEST), height: Some(LONGEST), bytes: Some(BYTES) };
    let format = Format::default();
    let wanted = Wanted { named, annotate: false, format, quality: 85, limits };
    let fitted = picture::take(cx, &wanted)?.fitted;
    Ok(Image { bytes: fitted.bytes, mime: format.mime(), extension: format.word() })
}
