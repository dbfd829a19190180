//! A tool behind one type, as the catalogue stores it: declared in this crate, or created at run
//! time from a file or another server.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use crate::{
    Answer, Context, Effect, Error, Need, Offer, Private, Result, Session, Shown, Spec,
    TaskSupport, Tool, Toolset,
    decode::decode,
    private,
    schema::{self, Words},
};

/// A tool that is created at run time, from a definition file or another MCP server.
pub trait Made: Send + Sync {
    /// The tool's name.
    fn name(&self) -> &str;
    /// The title that user interfaces show instead of the name.
    fn title(&self) -> &str;
    /// A description of the tool for a reader who sees nothing else.
    fn about(&self) -> &str;
    /// The effect class of the tool.
    fn effect(&self) -> Effect;
    /// The toolsets that contain the tool.
    fn toolsets(&self) -> &'static [Toolset];
    /// Task support of the tool.
    fn task(&self) -> TaskSupport;
    /// The JSON schema of the arguments.
    fn arguments(&self) -> Value;
    /// The JSON schema of the output.
    fn output(&self) -> Value;
    /// The arguments with private values redacted, for the audit log.
    fn told(&self, arguments: &Value) -> Value;
    /// Checks the arguments and runs the tool.
    ///
    /// # Errors
    ///
    /// Returns an error if the arguments do not fit or the tool fails.
    fn run(&self, cx: &Context<'_>, arguments: Value) -> Result<Answer>;
}

/// A tool, built in or created at run time.
pub struct Entry(Kind);

enum Kind {
    Declared(Declared),
    Made(Arc<dyn Made>),
}

struct Declared {
    spec: &'static Spec,
    offer: Option<&'static Offer>,
    arguments: fn() -> Value,
    output: fn() -> Value,
    private: &'static [Private],
    known: OnceLock<Vec<String>>,
    answered: fn() -> Value,
    run: fn(&Context<'_>, Value) -> Result<Answer>,
}

impl Entry {
    /// Creates the entry of a built-in tool.
    pub const fn of<T: Tool>() -> Self {
        Self(Kind::Declared(Declared {
            spec: const { &T::SPEC },
            offer: const { T::OFFER.as_ref() },
            arguments: schema::sent::<T::Args>,
            output: schema::sent::<T::Output>,
            private: T::PRIVATE,
            known: OnceLock::new(),
            answered: schema::answered::<T::Output>,
            run: |cx, args| {
                let args = decode(args, schema::sent::<T::Args>)
                    .map_err(|why| Error::BadArguments { tool: T::SPEC.called(), why })?;
                Answer::of(T::run(cx, args)?)
            },
        }))
    }

    /// Creates the entry of a tool that is created at run time.
    pub fn made(tool: Arc<dyn Made>) -> Self {
        Self(Kind::Made(tool))
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        match &self.0 {
            Kind::Declared(it) => it.spec.name,
            Kind::Made(it) => it.name(),
        }
    }

    /// The words of the CLI command; empty if the tool has no command.
    pub fn command(&self) -> &'static str {
        match &self.0 {
            Kind::Declared(it) => it.spec.command,
            Kind::Made(_) => "",
        }
    }

    /// A description in one or two sentences for a reader who sees nothing else.
    pub fn about(&self) -> &str {
        match &self.0 {
            Kind::Declared(it) => it.spec.about,
            Kind::Made(it) => it.about(),
        }
    }

    /// The effect class of the tool.
    pub fn effect(&self) -> Effect {
        match &self.0 {
            Kind::Declared(it) => it.spec.effect,
            Kind::Made(it) => it.effect(),
        }
    }

    /// The parts of the desktop that the tool requires.
    pub fn needs(&self) -> &'static [Need] {
        match &self.0 {
            Kind::Declared(it) => it.spec.needs,
            Kind::Made(_) => &[],
        }
    }

    /// The toolsets that contain the tool; empty if the tool is not offered to MCP clients.
    pub fn toolsets(&self) -> &'static [Toolset] {
        match &self.0 {
            Kind::Declared(it) => it.offer.map_or(&[], |offer| offer.toolsets),
            Kind::Made(it) => it.toolsets(),
        }
    }

    /// The title that user interfaces show, if the tool is offered to MCP clients.
    pub fn title(&self) -> Option<&str> {
        match &self.0 {
            Kind::Declared(it) => it.offer.map(|offer| offer.title),
            Kind::Made(it) => Some(it.title()),
        }
    }

    /// Task support of the tool.
    pub fn task(&self) -> TaskSupport {
        match &self.0 {
            Kind::Declared(it) => it.offer.map_or(TaskSupport::Never, |offer| offer.task),
            Kind::Made(it) => it.task(),
        }
    }

    /// The JSON schema of the arguments.
    pub fn arguments(&self) -> Value {
        match &self.0 {
            Kind::Declared(it) => (it.arguments)(),
            Kind::Made(it) => it.arguments(),
        }
    }

    /// The JSON schema of the output.
    pub fn output(&self) -> Value {
        match &self.0 {
            Kind::Declared(it) => (it.output)(),
            Kind::Made(it) => it.output(),
        }
    }

    /// The argument schema for MCP clients: flat and minimal.
    pub fn input_schema(&self) -> Value {
        schema::lean(self.arguments(), Words::OfFields)
    }

    /// The output schema for MCP clients: flat and minimal.
    pub fn output_schema(&self) -> Value {
        match &self.0 {
            Kind::Declared(it) => schema::lean((it.answered)(), Words::None),
            Kind::Made(it) => schema::lean(it.output(), Words::None),
        }
    }

    /// The arguments with private values redacted, for the audit log. Text typed into a terminal of
    /// the session is included unless the terminal expects a secret.
    pub fn told(&self, arguments: &Value, session: &Session) -> Value {
        match &self.0 {
            Kind::Declared(it) => {
                let names = || {
                    let schema = (it.arguments)();
                    let fields = schema["properties"].as_object().into_iter().flatten();
                    fields.map(|(name, _)| name.clone()).collect()
                };
                let known = it.known.get_or_init(names);
                private::told(it.private, known, arguments, || session.asked(arguments))
            }
            Kind::Made(it) => it.told(arguments),
        }
    }

    /// The private arguments of the tool.
    pub fn private(&self) -> &'static [Private] {
        match &self.0 {
            Kind::Declared(it) => it.private,
            Kind::Made(_) => &[],
        }
    }

    /// Decodes the arguments and runs the tool.
    ///
    /// # Errors
    ///
    /// Returns an error if the arguments do not fit or the tool fails.
    pub fn run(&self, cx: &Context<'_>, args: Value) -> Result<Answer> {
        match &self.0 {
            Kind::Declared(it) => (it.run)(cx, args),
            Kind::Made(it) => it.run(cx, args),
        }
    }
}

impl Answer {
    /// Converts the output of a tool to data and text.
    ///
    /// # Errors
    ///
    /// Returns an error if the output cannot be serialized.
    pub fn of<T: Shown + serde::Serialize>(mut output: T) -> Result<Self> {
        let (page, succeeded) = (output.page(), output.succeeded());
        let image = output.image();
        let data =
            serde_json::to_value(output).map_err(|e| Error::Unwritable { why: e.to_string() })?;
        Ok(Self { data, page, image, succeeded, warnings: Vec::new() })
    }
}
