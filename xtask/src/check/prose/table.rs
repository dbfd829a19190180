//! The table of phrases. A phrase is listed only if it is wrong wherever it stands.

/// A phrase and its replacement.
#[derive(Debug)]
pub(super) struct Row {
    /// Words in lower case. A final colon must follow the last word in the text too.
    pub(super) phrase: &'static str,
    /// The words to write instead.
    pub(super) instead: &'static str,
    /// Words after which the phrase has another meaning.
    pub(super) not_before: &'static [&'static str],
}

/// Words that must not open a doc comment.
pub(super) const QUESTION_WORDS: [&str; 9] =
    ["What", "Whether", "How", "Who", "Whom", "Whose", "Where", "Why", "Which"];

const fn row(phrase: &'static str, instead: &'static str) -> Row {
    Row { phrase, instead, not_before: &[] }
}

const fn unless(
    phrase: &'static str,
    not_before: &'static [&'static str],
    instead: &'static str,
) -> Row {
    Row { phrase, instead, not_before }
}

const MISSING_SUBJECT: &str = "the subject: \"no client\", \"no process\", \"the user cannot\"";
const OTHER_SUBJECT: &str = "the subject: \"a user\", \"a client\", \"a caller\"";
const OWN: &str = "\"its own X\" or \"a separate X\"";
const APPROVES: &str = "\"approves\" or \"approval\"";
const DENIES: &str = "\"denies\" or \"denial\"";
const RELEASE: &str = "\"release\"";
const FIX: &str = "\"fix\" or \"correct\"";
const REQUESTED: &str = "\"requested\"";
const PENDING: &str = "\"in progress\" or \"pending\"";
const RESULT: &str = "\"result\"";
const PERMISSION: &str = "\"permission\"";
const HAPPENS: &str = "\"happens\" or \"is created\"";

pub(super) const ROWS: &[Row] = &[
    row("told of", "\"is reported\" or \"produces a warning\""),
    row("nobody", MISSING_SUBJECT),
    row("nobody's", MISSING_SUBJECT),
    row("somebody", OTHER_SUBJECT),
    row("somebody's", OTHER_SUBJECT),
    row("anybody", OTHER_SUBJECT),
    row("of its own", OWN),
    row("of our own", OWN),
    row("of their own", OWN),
    row("of one's own", OWN),
    row("by lot", "\"random\""),
    row("is held to", "\"is confined to\""),
    row("are held to", "\"are confined to\""),
    row("let go of", RELEASE),
    row("lets go of", RELEASE),
    row("letting go", RELEASE),
    row("puts right", FIX),
    row("mend", FIX),
    row("mends", FIX),
    row("mended", "\"fixed\""),
    row("for eyes", "\"as text\""),
    row("a person's yes", "\"the user's approval\""),
    unless("say yes", &["to"], APPROVES),
    unless("says yes", &["to"], APPROVES),
    unless("said yes", &["to"], APPROVES),
    unless("say no", &["such", "more"], DENIES),
    unless("says no", &["such", "more"], DENIES),
    unless("said no", &["such", "more"], DENIES),
    row("come to nothing", RESULT),
    row("comes to nothing", RESULT),
    row("came of", RESULT),
    row("comes of", RESULT),
    row("for leave", PERMISSION),
    row("without leave", PERMISSION),
    row("meanwhile", "\"while …\", \"during …\" or \"at the same time\""),
    row("once more", "\"again\""),
    unless("the other side", &["of"], "\"the peer\""),
    row("at hand", "\"available\""),
    unless("goes on", &["to", "the", "a", "an", "top", "disk"], "\"continues\""),
    unless("go on", &["to", "the", "a", "an", "top", "disk"], "\"continue\""),
    unless("went on", &["to", "the"], "\"continued\""),
    row("what is asked", REQUESTED),
    row("what was asked", REQUESTED),
    row("on its way", PENDING),
    row("under way", PENDING),
    row("sound:", "\"OK:\""),
    row("put in:", "\"installed:\""),
    row("as it was:", "\"backup:\""),
    row("as it were", "nothing: leave it out"),
    row("so to speak", "nothing: leave it out"),
    row("the house", "\"this repository\", \"the module\" or \"the crate\""),
    row("this room", "\"this module\" or \"this crate\""),
    row("errand", "\"operation\", \"task\" or \"cancel token\""),
    row("errands", "\"operations\" or \"tasks\""),
    row("warden", "\"consent gate\""),
    row("workshop", "\"command session\""),
    row("the journal", "\"the audit log\""),
    row("person at the desk", "\"user\""),
    row("is no good", "\"is invalid\""),
    row("come about", HAPPENS),
    row("comes about", HAPPENS),
    row("came about", HAPPENS),
    row("holds good", "\"is valid\""),
    row("takes its time", "\"is slow\""),
    row("clients of the handshake", "\"clients on protocol 2025-11-25 or older\""),
    row("that can be observed tells", "\"the result could not be verified\""),
];
