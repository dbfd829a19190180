//! The hand-made calls: what each tries, and what it sends. `$V`, `$M` and `$C` stand for the pids of
//! the vault, the editor and the calculator, `$VX` and `$VY` for a point of the vault.

mod consent;
mod denied;
mod read_only;
mod app_names;
mod resources;
mod messages;

/// One try to get past.
#[derive(Debug, Clone, Copy)]
pub struct Attack {
    /// What it tries.
    pub name: &'static str,
    /// What it sends, in order.
    pub steps: &'static [Step],
}

/// One thing that is sent or happens.
#[derive(Debug, Clone, Copy)]
pub enum Step {
    /// A call of a tool: its name, its arguments as they stand.
    Call(&'static str, &'static str),
    /// A call with arguments no tool understands.
    InvalidCall(&'static str, &'static str),
    /// A request: its method, its parameters as they stand.
    Request(&'static str, &'static str),
    /// A whole message as it stands.
    Raw(&'static str),
    /// The vault is told to do something.
    VaultCommand(&'static str),
    /// A person brings the window of a process forward.
    Activate(&'static str),
}

const fn attack(name: &'static str, steps: &'static [Step]) -> Attack {
    Attack { name, steps }
}

/// Those against an app that may not be read.
pub fn denied() -> Vec<Attack> {
    [denied::ATTACKS, app_names::ATTACKS, resources::ATTACKS, messages::ATTACKS].concat()
}

/// Those against an app that may be read and not changed.
pub fn write_blocked() -> Vec<Attack> {
    read_only::WRITES.to_vec()
}

/// Those against a server that lets nothing be changed.
pub fn read_only() -> Vec<Attack> {
    [read_only::WRITES, read_only::MODES].concat()
}

/// Those against a server that wants a person's yes.
pub fn consent() -> Vec<Attack> {
    consent::ATTACKS.to_vec()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn there_are_two_hundred_and_no_two_try_the_same() {
        let all = [denied(), read_only(), consent()].concat();
        let names: BTreeSet<&str> = all.iter().map(|attack| attack.name).collect();
        assert_eq!(names.len(), all.len(), "each has words of its own");
        assert!(all.len() >= 200, "{}", all.len());
        for attacks in [denied(), read_only(), consent()] {
            let sent: BTreeSet<String> =
                attacks.iter().map(|attack| format!("{:?}", attack.steps)).collect();
            assert_eq!(sent.len(), attacks.len(), "each sends something of its own");
        }
    }
}
