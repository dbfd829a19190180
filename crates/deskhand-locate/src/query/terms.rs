//! Field terms such as `role:button title:"Save as"`, which must all match.

use deskhand_model::{AccessibleName, Node, Role, State, Value};
use deskhand_platform::NodeFields;

use super::role;
use crate::{
    Error, Result,
    text::{
        MIN_BEGINNING, clip, contains_words, fold, fold_into, fold_label, fold_loose_into,
        separate_words,
    },
};

/// A field that a term can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TermField {
    Title,
    Value,
    Description,
    Identifier,
    Text,
    TextContains,
}

/// The text comparisons that a term allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextMatchMode {
    /// Exact, then regardless of letter case, then of spelling, then as a part. The first that
    /// matches anything wins.
    Any,
    Exact,
    Contains,
}

/// One kind of text comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextMatch {
    Exact,
    /// Equal except for letter case and whitespace.
    Insensitive,
    /// Equal except for details of spelling such as mnemonics, ellipses and quotes.
    Loose,
    /// A part that begins where a word begins, regardless of the same details.
    Part,
    /// Any part, regardless of the same details.
    Contains,
}

impl TextMatchMode {
    /// Returns the comparisons of whole texts to try, in order.
    pub(crate) fn whole(self) -> &'static [TextMatch] {
        match self {
            Self::Any => &[TextMatch::Exact, TextMatch::Insensitive, TextMatch::Loose],
            Self::Exact => &[TextMatch::Exact],
            Self::Contains => &[],
        }
    }

    /// Returns the comparison of parts, which is tried last.
    pub(crate) fn part(self) -> Option<TextMatch> {
        match self {
            Self::Any => Some(TextMatch::Part),
            Self::Exact => None,
            Self::Contains => Some(TextMatch::Contains),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Term {
    field: TermField,
    text: WantedText,
}

/// A text to find, folded for every kind of comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedText {
    text: String,
    folded: String,
    loose: String,
    /// The words, also those that markers or apostrophes join; `None` for a short text.
    words: Option<String>,
}

impl WantedText {
    pub(crate) fn new(text: &str) -> Self {
        let loose = fold_label(text);
        let is_long = loose.chars().nth(MIN_BEGINNING - 1).is_some();
        let words = || separate_words(text).map_or_else(|| loose.clone(), |text| fold_label(&text));
        let words = is_long.then(words);
        Self { text: text.to_owned(), folded: fold(text), loose, words }
    }

    /// Returns `true` if a text equals or contains the wanted text, by one kind of comparison. The
    /// buffer saves allocations.
    pub(crate) fn matches(&self, step: TextMatch, text: &str, buffer: &mut String) -> bool {
        match step {
            TextMatch::Exact => text == self.text,
            TextMatch::Insensitive => {
                first_char_matches(text, &self.folded) && {
                    fold_into(text, buffer);
                    *buffer == self.folded
                }
            }
            TextMatch::Loose => {
                !text.is_empty() && !self.loose.is_empty() && {
                    fold_loose_into(text, buffer);
                    *buffer == self.loose
                }
            }
            TextMatch::Part | TextMatch::Contains => {
                !text.is_empty() && !self.loose.is_empty() && {
                    fold_loose_into(text, buffer);
                    if step == TextMatch::Part {
                        contains_words(buffer, &self.loose) || self.is_among_words(text, buffer)
                    } else {
                        buffer.contains(&self.loose)
                    }
                }
            }
        }
    }

    /// Returns `true` if a text contains the wanted words between markers or apostrophes.
    fn is_among_words(&self, text: &str, buffer: &mut String) -> bool {
        let Some((wanted, separated)) = self.words.as_ref().zip(separate_words(text)) else {
            return false;
        };
        fold_loose_into(&separated, buffer);
        contains_words(buffer, wanted)
    }
}

/// Terms that must all match.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Terms {
    roles: Option<Vec<Role>>,
    terms: Vec<Term>,
}

impl Terms {
    pub(super) fn and(&mut self, field: TermField, text: String) {
        self.terms.push(Term { field, text: WantedText::new(&text) });
    }

    pub(super) fn and_roles(&mut self, roles: Vec<Role>) {
        match &mut self.roles {
            Some(known) => known.retain(|role| roles.contains(role)),
            None => self.roles = Some(roles),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.roles.is_none() && self.terms.is_empty()
    }

    /// Returns the requested roles, if any.
    pub(crate) fn roles(&self) -> Option<&[Role]> {
        self.roles.as_deref()
    }

    /// Returns the text that near misses should resemble.
    pub(crate) fn wanted(&self) -> Option<&str> {
        self.terms.first().map(|term| term.text.text.as_str())
    }

    /// Returns the most specific field, or `None` if there are only roles.
    pub(crate) fn leading_field(&self) -> Option<TermField> {
        let has = |field| self.terms.iter().any(|term| term.field == field);
        [
            TermField::Identifier,
            TermField::Title,
            TermField::Text,
            TermField::TextContains,
            TermField::Value,
            TermField::Description,
        ]
        .into_iter()
        .find(|field| has(*field))
    }

    /// Returns `true` if a term means the name of an element.
    pub(crate) fn has_name(&self) -> bool {
        self.terms.iter().any(|term| {
            matches!(term.field, TermField::Title | TermField::Text | TermField::TextContains)
        })
    }

    /// Returns the fields that the terms compare, without those that computed names need.
    pub(super) fn required_fields(&self) -> NodeFields {
        self.terms.iter().fold(NodeFields::MINIMAL, |needs, term| match term.field {
            TermField::Title | TermField::Description => needs,
            TermField::Value | TermField::Text | TermField::TextContains => {
                NodeFields { values: true, ..needs }
            }
            TermField::Identifier => NodeFields { identifiers: true, ..needs },
        })
    }

    /// Returns `true` if an element matches all terms. `names` are names beside its own.
    pub(crate) fn matches(
        &self,
        node: &Node,
        names: &[AccessibleName<'_>],
        step: TextMatch,
        buffer: &mut String,
    ) -> bool {
        // A modal window is a dialog, whatever role it has.
        let is_dialog = node.role == Role::Window && node.states.has(State::Modal);
        let role = self.roles.as_ref().is_none_or(|roles| {
            roles.contains(&node.role) || (is_dialog && roles.contains(&Role::Dialog))
        });
        role && self.terms.iter().all(|term| {
            let mut is = |text: &str, step| term.text.matches(step, text, buffer);
            let number;
            let value = match &node.value {
                Some(Value::Number { now, .. }) => {
                    number = now.to_string();
                    number.as_str()
                }
                Some(Value::Text { text, .. }) => text,
                Some(Value::Secret) | None => "",
            };
            let mut is_name =
                |step| is(&node.name, step) || names.iter().any(|name| is(name.text, step));
            match term.field {
                TermField::Title => is_name(step),
                TermField::Value => is(value, step),
                TermField::Description => is(&node.description, step),
                TermField::Identifier => is(&node.identifier, step),
                TermField::Text => is_name(step) || is(value, step) || is(&node.description, step),
                TermField::TextContains => {
                    let part = TextMatch::Contains;
                    is_name(part) || is(value, part) || is(&node.description, part)
                }
            }
        })
    }
}

/// Returns `false` if the first characters already differ. This avoids folding most texts.
fn first_char_matches(text: &str, folded: &str) -> bool {
    let mut chars = text.trim_start().chars();
    match (chars.next(), chars.next()) {
        // An accent may follow the first letter.
        (Some(first), None | Some('\0'..='\x7f')) if first.is_ascii() => {
            folded.starts_with(first.to_ascii_lowercase())
        }
        (Some(_), _) => true,
        (None, _) => folded.is_empty(),
    }
}

/// The prefixes of terms. `None` stands for a role.
const KEYS: [(&str, Option<TermField>); 9] = [
    ("role:", None),
    ("title:", Some(TermField::Title)),
    ("name:", Some(TermField::Title)),
    ("value:", Some(TermField::Value)),
    ("description:", Some(TermField::Description)),
    ("identifier:", Some(TermField::Identifier)),
    ("id:", Some(TermField::Identifier)),
    ("text:", Some(TermField::Text)),
    ("text_contains:", Some(TermField::TextContains)),
];

/// Parses terms. Returns `None` if the text contains none and is plain text.
pub(super) fn parse(text: &str) -> Result<Option<Terms>> {
    let mut terms = Terms::default();
    let mut bare: Vec<String> = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let keyed = KEYS.iter().find_map(|(key, field)| {
            let value = rest.strip_prefix(key)?;
            let has_value = value.chars().next().is_some_and(|first| !first.is_whitespace());
            has_value.then_some((field, value))
        });
        let Some((field, raw_value)) = keyed else {
            // Beside terms, quotes group words. An unclosed quote is an ordinary character.
            let phrase = rest.starts_with('"').then(|| quoted(rest, '"')).flatten();
            let (word, after) = phrase.unwrap_or_else(|| {
                let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                (rest[..end].to_owned(), &rest[end..])
            });
            bare.push(word);
            rest = after.trim_start();
            continue;
        };
        let (value, after) = value(text, raw_value)?;
        match field {
            Some(field) => terms.and(*field, value),
            None => terms.and_roles(role::roles(&value)?),
        }
        rest = after.trim_start();
    }
    if terms.is_empty() {
        return Ok(None);
    }
    if !bare.is_empty() {
        terms.and(TermField::Title, bare.join(" "));
    }
    Ok(Some(terms))
}

/// Parses one value, quoted or up to the next whitespace, and returns it with the rest.
fn value<'a>(all: &str, rest: &'a str) -> Result<(String, &'a str)> {
    let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        return Ok((rest[..end].to_owned(), &rest[end..]));
    };
    quoted(rest, quote).ok_or_else(|| {
        let start = all.len() - rest.len();
        Error::BadQuery {
            query: clip(all, 120),
            form: "query",
            why: format!("the {quote} is not closed"),
            at: Some(all[..start].chars().count()),
            fix: format!("add a closing {quote}; write \\{quote} for a {quote} inside the text"),
        }
    })
}

/// Parses a quoted text and returns it with the rest.
fn quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            c if c == quote => return Some((value, &text[at + c.len_utf8()..])),
            '\\' => match chars.next()?.1 {
                'n' => value.push('\n'),
                't' => value.push('\t'),
                c if matches!(c, '\\' | '"' | '\'') => value.push(c),
                c => value.extend(['\\', c]),
            },
            c => value.push(c),
        }
    }
    None
}

/// Returns the text inside double quotes, if one pair encloses all of it.
pub(super) fn unquoted(text: &str) -> Option<String> {
    let (inner, after) = text.starts_with('"').then(|| quoted(text, '"'))??;
    (after.is_empty() && !inner.is_empty()).then_some(inner)
}

/// Parses `button:Save`, if a role stands before the colon and no whitespace follows it.
pub(super) fn role_title(text: &str) -> Option<Terms> {
    let (word, title) = text.split_once(':')?;
    let title = unquoted(title).unwrap_or_else(|| title.to_owned());
    let roles = Role::named(word);
    if roles.is_empty() || title.is_empty() || title.starts_with(char::is_whitespace) {
        return None;
    }
    let mut terms = Terms { roles: Some(roles), terms: Vec::new() };
    terms.and(TermField::Title, title);
    Some(terms)
}

/// Parses a role or `role:title`, for the strategy `role`.
pub(super) fn role_first(text: &str) -> Result<Terms> {
    if let Some(terms) = parse(text)? {
        return Ok(terms);
    }
    let text = text.trim();
    let (word, title) = text.split_once(':').unwrap_or((text, ""));
    let mut terms = Terms { roles: Some(role::roles(word.trim())?), terms: Vec::new() };
    let title = title.trim();
    if !title.is_empty() {
        terms.and(TermField::Title, unquoted(title).unwrap_or_else(|| title.to_owned()));
    }
    Ok(terms)
}
