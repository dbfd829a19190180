//! The tools a file makes, with everything they take over from what stands above them.

use std::time::Duration;

use super::{
    callable::{Act, Callable, IN_THE_BACKGROUND, Probe},
    definition::{Availability, Definition, SequenceStep, Subcommand},
    line::{Line, Order},
    sense::full_name,
};

/// One tool of a file.
#[derive(Debug, Clone)]
pub(super) struct Leaf<'a> {
    pub(super) tool: &'a Definition,
    pub(super) own: Option<&'a Subcommand>,
    pub(super) name: String,
    /// Where it stands in the file.
    pub(super) at: String,
    /// The words after the command.
    words: Vec<&'a str>,
    synchronous: Option<bool>,
    timeout_seconds: Option<u64>,
    install: Option<&'a str>,
    pub(super) state: State,
}

/// Whether a tool is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    On,
    Off,
}

/// Every tool of a file, those that are switched off too.
pub(super) fn leaves(tool: &Definition) -> Vec<Leaf<'_>> {
    let root = Leaf {
        tool,
        own: None,
        name: tool.name.clone(),
        at: String::new(),
        words: Vec::new(),
        synchronous: tool.synchronous,
        timeout_seconds: tool.timeout_seconds,
        install: tool.install_instructions.as_deref(),
        state: if tool.enabled { State::On } else { State::Off },
    };
    let mut all = Vec::new();
    root.descend(tool.subcommands(), &mut all);
    all
}

impl<'a> Leaf<'a> {
    fn descend(self, inner: &'a [Subcommand], all: &mut Vec<Self>) {
        if inner.is_empty() {
            all.push(self);
            return;
        }
        for (index, one) in inner.iter().enumerate() {
            let mut words = self.words.clone();
            words.extend((one.name != "default").then_some(one.name.as_str()));
            let leaf = Leaf {
                tool: self.tool,
                own: Some(one),
                name: full_name(&self.name, &one.name),
                at: format!("{}/subcommand/{index}", self.at),
                words,
                synchronous: one.synchronous.or(self.synchronous),
                timeout_seconds: one.timeout_seconds.or(self.timeout_seconds),
                install: one.install_instructions.as_deref().or(self.install),
                state: if one.enabled { self.state } else { State::Off },
            };
            leaf.descend(one.subcommands(), all);
        }
    }

    /// The steps, where it is a sequence, and where they stand.
    pub(super) fn sequence(&self) -> Option<(&'a [SequenceStep], String)> {
        let steps = match self.own {
            Some(own) => own.sequence.as_deref(),
            None => self.tool.sequence.as_deref(),
        };
        steps.map(|steps| (steps, format!("{}/sequence", self.at)))
    }

    /// How long to wait between the steps.
    pub(super) fn delay(&self) -> Duration {
        let own = self.own.and_then(|own| own.step_delay_ms);
        Duration::from_millis(own.or(self.tool.step_delay_ms).unwrap_or(0))
    }

    /// The tool, when it is a command.
    pub(super) fn command(&self, file: &std::path::Path) -> Callable {
        let mut words = self.program();
        words.extend(self.words.iter().map(|&word| word.to_owned()));
        let first = self.own.and_then(|own| own.positional_args_first) == Some(true);
        let dashes = self.own.and_then(|own| own.end_of_options) == Some(true);
        let line = Line {
            tool: self.name.clone(),
            words,
            options: self.own.and_then(|own| own.options.clone()).unwrap_or_default(),
            positionals: self.own.and_then(|own| own.positional_args.clone()).unwrap_or_default(),
            order: match (first, dashes) {
                (true, _) => Order::First,
                (false, true) => Order::AfterDashes,
                (false, false) => Order::Last,
            },
        };
        self.callable(line.words.join(" "), Act::Command(line), file)
    }

    /// The tool, whatever it does.
    pub(super) fn callable(&self, title: String, act: Act, file: &std::path::Path) -> Callable {
        let words = self.own.map_or(&self.tool.description, |own| &own.description);
        let hint = self.tool.hints.as_ref().zip(self.own).and_then(|(all, own)| all.of(&own.name));
        let mut summary = words.trim().to_owned();
        if let Some(hint) = hint {
            summary = format!("{summary}\n{}", hint.trim());
        }
        let about = match self.synchronous {
            Some(true) => summary.clone(),
            Some(false) | None => format!("{summary}\n{IN_THE_BACKGROUND}"),
        };
        Callable {
            name: self.name.clone(),
            title,
            about,
            summary,
            synchronous: self.synchronous,
            timeout: self.timeout_seconds.map(Duration::from_secs),
            availability: self.probe(),
            install_instructions: self.install.map(str::to_owned),
            file: file.to_owned(),
            act,
        }
    }

    fn program(&self) -> Vec<String> {
        self.tool.command.split_whitespace().map(str::to_owned).collect()
    }

    fn probe(&self) -> Option<Probe> {
        let own = self.own.and_then(|own| own.availability_check.as_ref());
        let check = own.or(self.tool.availability_check.as_ref())?;
        let (words, folder, good) = match check {
            Availability::Line(line) => {
                (line.split_whitespace().map(str::to_owned).collect(), None, None)
            }
            Availability::Parts(parts) => {
                let mut words = match &parts.command {
                    Some(command) => vec![command.clone()],
                    None => self.program(),
                };
                if own.is_some() && parts.skip_subcommand_args != Some(true) {
                    words.extend(self.words.iter().map(|&word| word.to_owned()));
                }
                words.extend(parts.args.iter().flatten().cloned());
                (words, parts.working_directory.clone(), parts.success_exit_codes.clone())
            }
        };
        let mut words = words.into_iter();
        let program = words.next().filter(|program| program != "sequence")?;
        let good = good.filter(|good| !good.is_empty()).unwrap_or_else(|| vec![0]);
        Some(Probe { program, arguments: words.collect(), folder, good })
    }
}
