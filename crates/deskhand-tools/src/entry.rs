//! A tool behind one type, as catalogues hold it: declared in this crate, or made from what a file or
//! another server says.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use crate::{
    Answer, Context, Effect, Error, Need, Offer, Private, Result, Session, Shown, Spec,
    TaskSupport, Tool, Toolset,
    decode::decode,
    private,
    schema::{self, Words},
};

/// A tool that is not declared here.
pub trait Made: Send + Sync {
    /// The name it is called by.
    fn name(&self) -> &str;
    /// What a person sees instead of its name.
    fn title(&self) -> &str;
    /// What it does, for a reader who sees nothing else.
    fn about(&self) -> &str;
    /// What it does to the world.
    fn effect(&self) -> Effect;
    /// The sets it is offered in.
    fn toolsets(&self) -> &'static [Toolset];
    /// Whether it may run as a task.
    fn task(&self) -> TaskSupport;
    /// The JSON schema of its arguments.
    fn arguments(&self) -> Value;
    /// The JSON schema of its answer.
    fn output(&self) -> Value;
    /// The arguments as records may show them.
    fn told(&self, arguments: &Value) -> Value;
    /// Checks the arguments and does it.
    ///
    /// # Errors
    ///
    /// When the arguments do not fit, or the tool fails.
    fn run(&self, cx: &Context<'_>, arguments: Value) -> Result<Answer>;
}

/// A tool behind one type.
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
    /// The entry of a tool that is declared here.
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

    /// The entry of a tool that is not.
    pub fn made(tool: Arc<dyn Made>) -> Self {
        Self(Kind::Made(tool))
    }

    /// The name it is called by.
    pub fn name(&self) -> &str {
        match &self.0 {
            Kind::Declared(it) => it.spec.name,
            Kind::Made(it) => it.name(),
        }
    }

    /// The words of its command; empty where it is none.
    pub fn command(&self) -> &'static str {
        match &self.0 {
            Kind::Declared(it) => it.spec.command,
            Kind::Made(_) => "",
        }
    }

    /// One or two sentences for a reader who sees nothing else.
    pub fn about(&self) -> &str {
        match &self.0 {
            Kind::Declared(it) => it.spec.about,
            Kind::Made(it) => it.about(),
        }
    }

    /// What it does to the world.
    pub fn effect(&self) -> Effect {
        match &self.0 {
            Kind::Declared(it) => it.spec.effect,
            Kind::Made(it) => it.effect(),
        }
    }

    /// What it cannot do without.
    pub fn needs(&self) -> &'static [Need] {
        match &self.0 {
            Kind::Declared(it) => it.spec.needs,
            Kind::Made(_) => &[],
        }
    }

    /// The sets it is offered to programs in; none where it is not offered.
    pub fn toolsets(&self) -> &'static [Toolset] {
        match &self.0 {
            Kind::Declared(it) => it.offer.map_or(&[], |offer| offer.toolsets),
            Kind::Made(it) => it.toolsets(),
        }
    }

    /// What a person sees instead of its name, where it is offered to programs.
    pub fn title(&self) -> Option<&str> {
        match &self.0 {
            Kind::Declared(it) => it.offer.map(|offer| offer.title),
            Kind::Made(it) => Some(it.title()),
        }
    }

    /// Whether it may run as a task.
    pub fn task(&self) -> TaskSupport {
        match &self.0 {
            Kind::Declared(it) => it.offer.map_or(TaskSupport::Never, |offer| offer.task),
            Kind::Made(it) => it.task(),
        }
    }

    /// The JSON schema of its arguments.
    pub fn arguments(&self) -> Value {
        match &self.0 {
            Kind::Declared(it) => (it.arguments)(),
            Kind::Made(it) => it.arguments(),
        }
    }

    /// The JSON schema of its answer.
    pub fn output(&self) -> Value {
        match &self.0 {
            Kind::Declared(it) => (it.output)(),
            Kind::Made(it) => it.output(),
        }
    }

    /// The schema of its arguments as clients take it: flat, and no more than they must know.
    pub fn input_schema(&self) -> Value {
        schema::lean(self.arguments(), Words::OfFields)
    }

    /// The schema of its answer as clients take it: flat, and no more than they must know.
    pub fn output_schema(&self) -> Value {
        match &self.0 {
            Kind::Declared(it) => schema::lean((it.answered)(), Words::None),
            Kind::Made(it) => schema::lean(it.output(), Words::None),
        }
    }

    /// The arguments as records may show them; what is typed into a terminal of the session is shown
    /// unless that asks for a secret.
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

    /// The arguments no record shows.
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
    /// When the arguments do not fit, or the tool fails.
    pub fn run(&self, cx: &Context<'_>, args: Value) -> Result<Answer> {
        match &self.0 {
            Kind::Declared(it) => (it.run)(cx, args),
            Kind::Made(it) => it.run(cx, args),
        }
    }
}

impl Answer {
    /// What a tool came to, in both forms.
    ///
    /// # Errors
    ///
    /// When it cannot be written as data.
    pub fn of<T: Shown + serde::Serialize>(mut output: T) -> Result<Self> {
        let (page, succeeded) = (output.page(), output.succeeded());
        let image = output.image();
        let data =
            serde_json::to_value(output).map_err(|e| Error::Unwritable { why: e.to_string() })?;
        Ok(Self { data, page, image, succeeded, warnings: Vec::new() })
    }
}
