//! A tool behind one type, as the catalogue stores it: declared in this crate, or created at run
//! time from a file or another server.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use crate::{
    CallerSession, Context, Effect, Error, Offer, PrivateArg, Render, Requirement, Result,
    TaskSupport, Tool, ToolKey, ToolOutput, ToolSpec, Toolset, Vocabulary,
    decode::decode,
    redact,
    schema::{self, Descriptions},
};

/// A tool that is created at run time, from a definition file or another MCP server.
pub trait DynamicTool: Send + Sync {
    /// The tool's name.
    fn name(&self) -> &str;
    /// The title that user interfaces show instead of the name.
    fn title(&self) -> &str;
    /// A description of the tool for a reader who sees nothing else.
    fn description(&self) -> &str;
    /// The effect class of the tool.
    fn effect(&self) -> Effect;
    /// The toolsets that contain the tool.
    fn toolsets(&self) -> &'static [Toolset];
    /// Task support of the tool.
    fn task_support(&self) -> TaskSupport;
    /// The JSON schema of the arguments.
    fn full_input_schema(&self) -> Value;
    /// The JSON schema of the output.
    fn full_output_schema(&self) -> Value;
    /// The arguments with private values redacted, for the audit log.
    fn redacted_args(&self, arguments: &Value) -> Value;
    /// Checks the arguments and runs the tool.
    ///
    /// # Errors
    ///
    /// Returns an error if the arguments do not fit or the tool fails.
    fn run(&self, cx: &Context<'_>, arguments: Value) -> Result<ToolOutput>;
}

/// A tool, built in or created at run time.
pub struct ToolEntry(ToolKind);

enum ToolKind {
    Builtin(Vocabulary, BuiltinTool),
    Dynamic(Arc<dyn DynamicTool>),
}

/// A built-in tool. [`in_vocabulary`](Self::in_vocabulary) makes it an entry of the catalogue.
pub struct BuiltinTool {
    spec: &'static ToolSpec,
    offer: Option<&'static Offer>,
    arguments: fn() -> Value,
    output: fn() -> Value,
    private: &'static [PrivateArg],
    known: OnceLock<Vec<String>>,
    answered: fn() -> Value,
    run: fn(&Context<'_>, Value) -> Result<ToolOutput>,
}

impl BuiltinTool {
    /// Returns the entry of this tool in a vocabulary.
    pub const fn in_vocabulary(self, vocabulary: Vocabulary) -> ToolEntry {
        ToolEntry(ToolKind::Builtin(vocabulary, self))
    }
}

impl ToolEntry {
    /// Creates a built-in tool from its declaration.
    pub const fn builtin<T: Tool>() -> BuiltinTool {
        BuiltinTool {
            spec: const { &T::SPEC },
            offer: const { T::OFFER.as_ref() },
            arguments: schema::sent::<T::Args>,
            output: schema::sent::<T::Output>,
            private: T::PRIVATE,
            known: OnceLock::new(),
            answered: schema::answered::<T::Output>,
            run: |cx, args| {
                let args = decode(args, schema::sent::<T::Args>)
                    .map_err(|why| Error::BadArguments { tool: T::SPEC.display_name(), why })?;
                ToolOutput::new(T::run(cx, args)?)
            },
        }
    }

    /// Creates the entry of a tool that is created at run time.
    pub fn dynamic(tool: Arc<dyn DynamicTool>) -> Self {
        Self(ToolKind::Dynamic(tool))
    }

    /// The vocabulary that contains the tool.
    pub fn vocabulary(&self) -> Vocabulary {
        match &self.0 {
            ToolKind::Builtin(vocabulary, _) => *vocabulary,
            ToolKind::Dynamic(_) => Vocabulary::Dynamic,
        }
    }

    /// The key of the tool in the catalogue.
    pub fn key(&self) -> ToolKey {
        match &self.0 {
            ToolKind::Builtin(vocabulary, it) => vocabulary.tool(it.spec.name),
            ToolKind::Dynamic(it) => Vocabulary::Dynamic.tool(it.name().to_owned()),
        }
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        match &self.0 {
            ToolKind::Builtin(_, it) => it.spec.name,
            ToolKind::Dynamic(it) => it.name(),
        }
    }

    /// The words of the CLI command; empty if the tool has no command.
    pub fn command(&self) -> &'static str {
        match &self.0 {
            ToolKind::Builtin(_, it) => it.spec.command,
            ToolKind::Dynamic(_) => "",
        }
    }

    /// A description in one or two sentences for a reader who sees nothing else.
    pub fn description(&self) -> &str {
        match &self.0 {
            ToolKind::Builtin(_, it) => it.spec.about,
            ToolKind::Dynamic(it) => it.description(),
        }
    }

    /// The effect class of the tool.
    pub fn effect(&self) -> Effect {
        match &self.0 {
            ToolKind::Builtin(_, it) => it.spec.effect,
            ToolKind::Dynamic(it) => it.effect(),
        }
    }

    /// The parts of the desktop that the tool requires.
    pub fn needs(&self) -> &'static [Requirement] {
        match &self.0 {
            ToolKind::Builtin(_, it) => it.spec.needs,
            ToolKind::Dynamic(_) => &[],
        }
    }

    /// The toolsets that contain the tool; empty if the tool is not offered to MCP clients.
    pub fn toolsets(&self) -> &'static [Toolset] {
        match &self.0 {
            ToolKind::Builtin(_, it) => it.offer.map_or(&[], |offer| offer.toolsets),
            ToolKind::Dynamic(it) => it.toolsets(),
        }
    }

    /// The title that user interfaces show, if the tool is offered to MCP clients.
    pub fn title(&self) -> Option<&str> {
        match &self.0 {
            ToolKind::Builtin(_, it) => it.offer.map(|offer| offer.title),
            ToolKind::Dynamic(it) => Some(it.title()),
        }
    }

    /// Task support of the tool.
    pub fn task_support(&self) -> TaskSupport {
        match &self.0 {
            ToolKind::Builtin(_, it) => it.offer.map_or(TaskSupport::Never, |offer| offer.task),
            ToolKind::Dynamic(it) => it.task_support(),
        }
    }

    /// The JSON schema of the arguments.
    pub fn full_input_schema(&self) -> Value {
        match &self.0 {
            ToolKind::Builtin(_, it) => (it.arguments)(),
            ToolKind::Dynamic(it) => it.full_input_schema(),
        }
    }

    /// The JSON schema of the output.
    pub fn full_output_schema(&self) -> Value {
        match &self.0 {
            ToolKind::Builtin(_, it) => (it.output)(),
            ToolKind::Dynamic(it) => it.full_output_schema(),
        }
    }

    /// The argument schema for MCP clients: flat and minimal.
    pub fn input_schema(&self) -> Value {
        schema::lean(self.full_input_schema(), Descriptions::OfFields)
    }

    /// The output schema for MCP clients: flat and minimal.
    pub fn output_schema(&self) -> Value {
        match &self.0 {
            ToolKind::Builtin(_, it) => schema::lean((it.answered)(), Descriptions::None),
            ToolKind::Dynamic(it) => schema::lean(it.full_output_schema(), Descriptions::None),
        }
    }

    /// The arguments with private values redacted, for the audit log. Text typed into a terminal of
    /// the session is included unless the terminal expects a secret.
    pub fn redacted_args(&self, arguments: &Value, session: &CallerSession) -> Value {
        match &self.0 {
            ToolKind::Builtin(_, it) => {
                let names = || {
                    let schema = (it.arguments)();
                    let fields = schema["properties"].as_object().into_iter().flatten();
                    fields.map(|(name, _)| name.clone()).collect()
                };
                let known = it.known.get_or_init(names);
                redact::redact(it.private, known, arguments, || session.terminal_input(arguments))
            }
            ToolKind::Dynamic(it) => it.redacted_args(arguments),
        }
    }

    /// The private arguments of the tool.
    pub fn private(&self) -> &'static [PrivateArg] {
        match &self.0 {
            ToolKind::Builtin(_, it) => it.private,
            ToolKind::Dynamic(_) => &[],
        }
    }

    /// Decodes the arguments and runs the tool.
    ///
    /// # Errors
    ///
    /// Returns an error if the arguments do not fit or the tool fails.
    pub fn run(&self, cx: &Context<'_>, args: Value) -> Result<ToolOutput> {
        match &self.0 {
            ToolKind::Builtin(_, it) => (it.run)(cx, args),
            ToolKind::Dynamic(it) => it.run(cx, args),
        }
    }
}

impl ToolOutput {
    /// Converts the output of a tool to data and text.
    ///
    /// # Errors
    ///
    /// Returns an error if the output cannot be serialized.
    pub fn new<T: Render + serde::Serialize>(mut output: T) -> Result<Self> {
        let (text, succeeded) = (output.render(), output.succeeded());
        let image = output.take_image();
        let data = serde_json::to_value(output)
            .map_err(|e| Error::NotSerializable { why: e.to_string() })?;
        Ok(Self { data, text, image, succeeded, warnings: Vec::new() })
    }
}
