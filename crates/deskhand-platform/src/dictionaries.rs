//! What apps can be told by scripts.

use std::path::Path;

use crate::{Deadline, Result};

/// Reads the dictionaries of apps.
pub trait Dictionaries: Send + Sync {
    /// The dictionary of the app at a path; `None` when scripts can tell it nothing.
    ///
    /// # Errors
    ///
    /// `Gone` when there is no app there, `Unexpected` when its dictionary cannot be read.
    fn of(&self, app: &Path, by: Deadline) -> Result<Option<Dictionary>>;
}

/// Everything an app can be told by scripts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Dictionary {
    /// What it calls itself.
    pub title: String,
    /// Its parts.
    pub suites: Vec<Suite>,
    /// Files it wants included that were not.
    pub left_out: Vec<String>,
}

/// Words that belong together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Suite {
    /// Its name, and what is said of it.
    pub word: Word,
    /// What can be done, by the app or by the script that hears of it.
    pub commands: Vec<Command>,
    /// What there is.
    pub classes: Vec<Class>,
    /// Choices.
    pub enumerations: Vec<Enumeration>,
    /// Values that have a name, and records.
    pub types: Vec<ValueType>,
}

/// One word of a dictionary.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Word {
    /// How it is written in a script.
    pub name: String,
    /// What is said of it.
    pub description: Option<String>,
    /// Whether it is there but not shown to people.
    pub hidden: bool,
}

/// Something that can be done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Command {
    /// Its name.
    pub word: Word,
    /// Whether the app tells a script, and not a script the app.
    pub event: bool,
    /// What it is done to.
    pub direct: Option<Parameter>,
    /// What else it takes.
    pub parameters: Vec<Parameter>,
    /// What comes of it.
    pub result: Option<Vec<TypeName>>,
}

/// Something a command takes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parameter {
    /// Its name; empty for what a command is done to.
    pub word: Word,
    /// What it may be; any of these.
    pub types: Vec<TypeName>,
    /// Whether it can be left out.
    pub optional: bool,
}

/// The type of a value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TypeName {
    /// Its name.
    pub name: String,
    /// Whether it is a list of such values.
    pub list: bool,
}

/// A kind of thing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Class {
    /// Its name; for an addition, the name of the class it adds to.
    pub word: Word,
    /// The name of several of them.
    pub plural: Option<String>,
    /// The class it has everything of.
    pub inherits: Option<String>,
    /// Whether it only adds to a class that stands elsewhere.
    pub extension: bool,
    /// What it has one of.
    pub properties: Vec<Property>,
    /// What it has many of.
    pub elements: Vec<ElementOf>,
    /// The commands it understands.
    pub responds_to: Vec<String>,
}

/// Something a thing has one of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    /// Its name.
    pub word: Word,
    /// What it may be; any of these.
    pub types: Vec<TypeName>,
    /// What a script may do with it.
    pub access: Access,
}

/// Something a thing has many of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ElementOf {
    /// Their class.
    pub class: String,
    /// What a script may do with them.
    pub access: Access,
    /// Whether they are there but not shown to people.
    pub hidden: bool,
}

/// What a script may do with something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Read it.
    Read,
    /// Change it.
    Write,
    /// Both.
    ReadWrite,
}

/// A choice.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Enumeration {
    /// Its name.
    pub word: Word,
    /// What can be chosen.
    pub values: Vec<Word>,
}

/// A value that has a name, or a record.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ValueType {
    /// Its name.
    pub word: Word,
    /// What a record holds; nothing for a plain value.
    pub properties: Vec<Property>,
}
