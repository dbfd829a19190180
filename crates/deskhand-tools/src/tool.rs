//! What a tool is: its name, its arguments, its answer, its danger, and the words about it.

use deskhand_platform::Desktop;
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{Context, Error, Page, Result};

/// What a tool does to the world: the one place danger is stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It only looks.
    Observe,
}

/// A part of the desktop a tool cannot do without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// The apps' trees.
    Tree,
    /// The window system's list of windows.
    Windows,
}

impl Need {
    /// Whether a desktop has it.
    pub fn met_by(self, desktop: &Desktop) -> bool {
        match self {
            Self::Tree => true,
            Self::Windows => desktop.windows.is_some(),
        }
    }
}

/// The fixed facts of a tool.
#[derive(Debug)]
pub struct Spec {
    /// The name it is called by.
    pub name: &'static str,
    /// One or two sentences for a reader who sees nothing else.
    pub about: &'static str,
    /// What it does to the world.
    pub effect: Effect,
    /// What it cannot do without.
    pub needs: &'static [Need],
}

/// An answer that can be shown to a person as well as to a program.
pub trait Shown {
    /// The answer as text.
    fn page(&self) -> Page;
}

/// One tool.
pub trait Tool {
    /// Its fixed facts.
    const SPEC: Spec;
    /// Its arguments; doc comments on the fields are the words of schema and help.
    type Args: DeserializeOwned + JsonSchema;
    /// Its answer.
    type Output: Serialize + JsonSchema + Shown;

    /// Does it.
    ///
    /// # Errors
    ///
    /// When the arguments name nothing, or the desktop does not answer.
    fn run(cx: &Context<'_>, args: Self::Args) -> Result<Self::Output>;
}

/// An answer in both forms.
#[derive(Debug)]
pub struct Answer {
    /// For programs.
    pub data: Value,
    /// For people.
    pub page: Page,
}

/// A tool behind one type, as catalogues hold it.
pub struct Entry {
    /// Its fixed facts.
    pub spec: &'static Spec,
    /// The JSON schema of its arguments.
    pub arguments: fn() -> Value,
    /// The JSON schema of its answer.
    pub output: fn() -> Value,
    run: fn(&Context<'_>, Value) -> Result<Answer>,
}

impl Entry {
    /// The entry of a tool.
    pub const fn of<T: Tool>() -> Self {
        Self {
            spec: const { &T::SPEC },
            arguments: schema::<T::Args>,
            output: schema::<T::Output>,
            run: |cx, args| {
                let args = serde_json::from_value(args)
                    .map_err(|e| Error::BadArguments { tool: T::SPEC.name, why: e.to_string() })?;
                let output = T::run(cx, args)?;
                let page = output.page();
                let data = serde_json::to_value(output)
                    .map_err(|e| Error::Unwritable { why: e.to_string() })?;
                Ok(Answer { data, page })
            },
        }
    }

    /// Decodes the arguments and runs the tool.
    ///
    /// # Errors
    ///
    /// When the arguments do not fit, or the tool fails.
    pub fn run(&self, cx: &Context<'_>, args: Value) -> Result<Answer> {
        (self.run)(cx, args)
    }
}

/// Schemas stand whole: clients do not follow references.
fn schema<T: JsonSchema>() -> Value {
    let mut settings = schemars::generate::SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.into_generator().into_root_schema_for::<T>().to_value()
}
