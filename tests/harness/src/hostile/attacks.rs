//! The list of attacks. `$V`, `$M` and `$C` stand for the process ids of the vault, the editor and
//! the calculator, `$VX` and `$VY` for a point of the vault's window.

mod app_names;
mod consent;
mod denied;
mod messages;
mod read_only;
mod resources;

/// One attempt to bypass the policy checks.
#[derive(Debug, Clone, Copy)]
pub struct Attack {
    /// A short description, for messages.
    pub name: &'static str,
    /// The steps, in order.
    pub steps: &'static [Step],
}

/// One step of an attack.
#[derive(Debug, Clone, Copy)]
pub enum Step {
    /// A tool call: name and arguments, sent verbatim.
    Call(&'static str, &'static str),
    /// A tool call whose arguments are invalid for every tool.
    InvalidCall(&'static str, &'static str),
    /// A request: method and parameters, sent verbatim.
    Request(&'static str, &'static str),
    /// A whole message, sent verbatim.
    Raw(&'static str),
    /// A command for the vault app.
    VaultCommand(&'static str),
    /// Brings the window of a process to the front, as a user would.
    Activate(&'static str),
}

const fn attack(name: &'static str, steps: &'static [Step]) -> Attack {
    Attack { name, steps }
}

/// Returns the attacks on apps that must not be read.
pub fn denied() -> Vec<Attack> {
    [denied::ATTACKS, app_names::ATTACKS, resources::ATTACKS, messages::ATTACKS].concat()
}

/// Returns the attacks on apps that may be read but not changed.
pub fn write_blocked() -> Vec<Attack> {
    read_only::WRITES.to_vec()
}

/// Returns the attacks on a read-only server.
pub fn read_only() -> Vec<Attack> {
    [read_only::WRITES, read_only::MODES].concat()
}

/// Returns the attacks on a server that requires confirmation.
pub fn consent() -> Vec<Attack> {
    consent::ATTACKS.to_vec()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn there_are_at_least_200_distinct_attacks() {
        let all = [denied(), read_only(), consent()].concat();
        let names: BTreeSet<&str> = all.iter().map(|attack| attack.name).collect();
        assert_eq!(names.len(), all.len(), "every attack has its own name");
        assert!(all.len() >= 200, "{}", all.len());
        for attacks in [denied(), read_only(), consent()] {
            let sent: BTreeSet<String> =
                attacks.iter().map(|attack| format!("{:?}", attack.steps)).collect();
            assert_eq!(sent.len(), attacks.len(), "every attack sends something different");
        }
    }
}
