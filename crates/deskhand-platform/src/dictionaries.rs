//! The scripting dictionaries of apps (`sdef` on macOS).

use std::path::Path;

use crate::{Deadline, Result};

/// Reads the scripting dictionaries of apps.
pub trait Dictionaries: Send + Sync {
    /// Reads the dictionary of the app at a path; `None` if the app is not scriptable.
    ///
    /// # Errors
    ///
    /// `Gone` if there is no app at the path, `Unexpected` if its dictionary cannot be read.
    fn read(&self, app: &Path, deadline: Deadline) -> Result<Option<Dictionary>>;
}

/// The scripting dictionary of an app.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Dictionary {
    /// Its title.
    pub title: String,
    /// Its suites.
    pub suites: Vec<Suite>,
    /// Files that the dictionary includes but that could not be read.
    pub missing_includes: Vec<String>,
}

/// A group of related terms.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Suite {
    /// Its name and description.
    pub term: Term,
    /// Its commands and events.
    pub commands: Vec<Command>,
    /// Its classes.
    pub classes: Vec<Class>,
    /// Its enumerations.
    pub enumerations: Vec<Enumeration>,
    /// Its named value types and record types.
    pub types: Vec<ValueType>,
}

/// One term of a dictionary.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Term {
    /// Its spelling in a script.
    pub name: String,
    /// Its description.
    pub description: Option<String>,
    /// Script editors do not show it.
    pub hidden: bool,
}

/// A command that a script sends to an app, or an event that an app sends to a script.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Command {
    /// Its name and description.
    pub term: Term,
    /// It is an event: the app sends it to a script.
    pub event: bool,
    /// Its direct parameter, the object it acts on.
    pub direct: Option<Parameter>,
    /// Its other parameters.
    pub parameters: Vec<Parameter>,
    /// The possible types of its result.
    pub result: Option<Vec<TypeName>>,
}

/// A parameter of a command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parameter {
    /// Its name and description; the name of a direct parameter is empty.
    pub term: Term,
    /// The types it accepts.
    pub types: Vec<TypeName>,
    /// It can be omitted.
    pub optional: bool,
}

/// The type of a value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TypeName {
    /// Its name.
    pub name: String,
    /// The value is a list of this type.
    pub list: bool,
}

/// A class of scriptable objects.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Class {
    /// Its name and description; for an extension, the name of the class it extends.
    pub term: Term,
    /// The plural of its name.
    pub plural: Option<String>,
    /// Its superclass.
    pub inherits: Option<String>,
    /// It extends a class that is defined elsewhere.
    pub extension: bool,
    /// Its properties.
    pub properties: Vec<Property>,
    /// The classes of objects it contains.
    pub elements: Vec<ElementClass>,
    /// The commands it supports.
    pub responds_to: Vec<String>,
}

/// A property of a class or record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    /// Its name and description.
    pub term: Term,
    /// The types it can have.
    pub types: Vec<TypeName>,
    /// The access scripts have to it.
    pub access: ScriptAccess,
}

/// A class of objects that another class contains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ElementClass {
    /// The name of the class.
    pub class: String,
    /// The access scripts have to the elements.
    pub access: ScriptAccess,
    /// Script editors do not show it.
    pub hidden: bool,
}

/// The access of scripts to a property or element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptAccess {
    /// Scripts can read it.
    Read,
    /// Scripts can change it.
    Write,
    /// Scripts can read and change it.
    ReadWrite,
}

/// An enumeration.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Enumeration {
    /// Its name and description.
    pub term: Term,
    /// Its values.
    pub values: Vec<Term>,
}

/// A named value type or a record type.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ValueType {
    /// Its name and description.
    pub term: Term,
    /// The properties of a record type; empty for a value type.
    pub properties: Vec<Property>,
}
