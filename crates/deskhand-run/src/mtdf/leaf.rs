//! The tools of a file, with the values that they inherit.

use std::time::Duration;

use super::{
    command_line::{CommandTemplate, PositionalOrder},
    definition::{Availability, Definition, SequenceStep, Subcommand},
    semantics::full_name,
    tool::{AvailabilityProbe, BACKGROUND_NOTE, CommandTool, ToolAction},
};

/// One tool of a file: a subcommand without nested subcommands, or the file itself.
#[derive(Debug, Clone)]
pub(super) struct LeafTool<'a> {
    pub(super) tool: &'a Definition,
    pub(super) subcommand: Option<&'a Subcommand>,
    pub(super) name: String,
    /// The JSON pointer of the tool in the file.
    pub(super) at: String,
    /// The words after the command.
    subcommand_words: Vec<&'a str>,
    synchronous: Option<bool>,
    timeout_seconds: Option<u64>,
    install_instructions: Option<&'a str>,
    pub(super) enabled: bool,
}

/// Returns every tool of a file, including disabled ones.
pub(super) fn leaf_tools(tool: &Definition) -> Vec<LeafTool<'_>> {
    let root = LeafTool {
        tool,
        subcommand: None,
        name: tool.name.clone(),
        at: String::new(),
        subcommand_words: Vec::new(),
        synchronous: tool.synchronous,
        timeout_seconds: tool.timeout_seconds,
        install_instructions: tool.install_instructions.as_deref(),
        enabled: tool.enabled,
    };
    let mut all = Vec::new();
    root.collect(tool.subcommands(), &mut all);
    all
}

impl<'a> LeafTool<'a> {
    fn collect(self, inner: &'a [Subcommand], all: &mut Vec<Self>) {
        if inner.is_empty() {
            all.push(self);
            return;
        }
        for (index, subcommand) in inner.iter().enumerate() {
            let mut subcommand_words = self.subcommand_words.clone();
            subcommand_words
                .extend((subcommand.name != "default").then_some(subcommand.name.as_str()));
            let leaf = LeafTool {
                tool: self.tool,
                subcommand: Some(subcommand),
                name: full_name(&self.name, &subcommand.name),
                at: format!("{}/subcommand/{index}", self.at),
                subcommand_words,
                synchronous: subcommand.synchronous.or(self.synchronous),
                timeout_seconds: subcommand.timeout_seconds.or(self.timeout_seconds),
                install_instructions: subcommand
                    .install_instructions
                    .as_deref()
                    .or(self.install_instructions),
                enabled: self.enabled && subcommand.enabled,
            };
            leaf.collect(subcommand.subcommands(), all);
        }
    }

    /// The steps and their JSON pointer, if the tool is a sequence.
    pub(super) fn sequence(&self) -> Option<(&'a [SequenceStep], String)> {
        let steps = match self.subcommand {
            Some(subcommand) => subcommand.sequence.as_deref(),
            None => self.tool.sequence.as_deref(),
        };
        steps.map(|steps| (steps, format!("{}/sequence", self.at)))
    }

    /// The time between the steps.
    pub(super) fn delay(&self) -> Duration {
        let own_delay = self.subcommand.and_then(|subcommand| subcommand.step_delay_ms);
        Duration::from_millis(own_delay.or(self.tool.step_delay_ms).unwrap_or(0))
    }

    /// Builds a tool that runs a command.
    pub(super) fn build_command_tool(&self, file: &std::path::Path) -> CommandTool {
        let mut words = self.program();
        words.extend(self.subcommand_words.iter().map(|&word| word.to_owned()));
        let positionals_first =
            self.subcommand.and_then(|subcommand| subcommand.positional_args_first) == Some(true);
        let dashes = self.subcommand.and_then(|subcommand| subcommand.end_of_options) == Some(true);
        let template = CommandTemplate {
            tool: self.name.clone(),
            words,
            options: self
                .subcommand
                .and_then(|subcommand| subcommand.options.clone())
                .unwrap_or_default(),
            positionals: self
                .subcommand
                .and_then(|subcommand| subcommand.positional_args.clone())
                .unwrap_or_default(),
            order: match (positionals_first, dashes) {
                (true, _) => PositionalOrder::First,
                (false, true) => PositionalOrder::AfterDashes,
                (false, false) => PositionalOrder::Last,
            },
        };
        self.build_tool(template.words.join(" "), ToolAction::Command(template), file)
    }

    /// Builds a tool with this action.
    pub(super) fn build_tool(
        &self,
        title: String,
        action: ToolAction,
        file: &std::path::Path,
    ) -> CommandTool {
        let description =
            self.subcommand.map_or(&self.tool.description, |subcommand| &subcommand.description);
        let hint = self
            .tool
            .hints
            .as_ref()
            .zip(self.subcommand)
            .and_then(|(all, subcommand)| all.for_subcommand(&subcommand.name));
        let mut summary = description.trim().to_owned();
        if let Some(hint) = hint {
            summary = format!("{summary}\n{}", hint.trim());
        }
        let description = match self.synchronous {
            Some(true) => summary.clone(),
            Some(false) | None => format!("{summary}\n{BACKGROUND_NOTE}"),
        };
        CommandTool {
            name: self.name.clone(),
            title,
            description,
            summary,
            synchronous: self.synchronous,
            timeout: self.timeout_seconds.map(Duration::from_secs),
            availability: self.availability_probe(),
            install_instructions: self.install_instructions.map(str::to_owned),
            file: file.to_owned(),
            action,
        }
    }

    fn program(&self) -> Vec<String> {
        self.tool.command.split_whitespace().map(str::to_owned).collect()
    }

    fn availability_probe(&self) -> Option<AvailabilityProbe> {
        let own_check =
            self.subcommand.and_then(|subcommand| subcommand.availability_check.as_ref());
        let check = own_check.or(self.tool.availability_check.as_ref())?;
        let (words, folder, success_codes) = match check {
            Availability::Line(line) => {
                (line.split_whitespace().map(str::to_owned).collect(), None, None)
            }
            Availability::Parts(parts) => {
                let mut words = match &parts.command {
                    Some(command) => vec![command.clone()],
                    None => self.program(),
                };
                if own_check.is_some() && parts.skip_subcommand_args != Some(true) {
                    words.extend(self.subcommand_words.iter().map(|&word| word.to_owned()));
                }
                words.extend(parts.args.iter().flatten().cloned());
                (words, parts.working_directory.clone(), parts.success_exit_codes.clone())
            }
        };
        let mut words = words.into_iter();
        let program = words.next().filter(|program| program != "sequence")?;
        let success_codes =
            success_codes.filter(|codes| !codes.is_empty()).unwrap_or_else(|| vec![0]);
        Some(AvailabilityProbe { program, arguments: words.collect(), folder, success_codes })
    }
}
