//! The hand-made calls: what each tries, and what it sends. `$V`, `$M` and `$C` stand for the pids of
//! the vault, the editor and the calculator, `$VX` and `$VY` for a point of the vault.

mod consent;
mod denied;
mod looking;
mod names;
mod places;
mod wire;

/// One try to get past.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// What it tries.
    pub why: &'static str,
    /// What it sends, in order.
    pub steps: &'static [Step],
}

/// One thing that is sent or happens.
#[derive(Debug, Clone, Copy)]
pub enum Step {
    /// A call of a tool: its name, its arguments as they stand.
    Call(&'static str, &'static str),
    /// A call with arguments no tool understands.
    Garbled(&'static str, &'static str),
    /// A request: its method, its parameters as they stand.
    Ask(&'static str, &'static str),
    /// A whole message as it stands.
    Raw(&'static str),
    /// The vault is told to do something.
    Vault(&'static str),
    /// A person brings the window of a process forward.
    Front(&'static str),
}

const fn row(why: &'static str, steps: &'static [Step]) -> Row {
    Row { why, steps }
}

/// Those against an app that may not be read.
pub fn denied() -> Vec<Row> {
    [denied::ROWS, names::ROWS, places::ROWS, wire::ROWS].concat()
}

/// Those against an app that may be read and not changed.
pub fn write_blocked() -> Vec<Row> {
    looking::WRITES.to_vec()
}

/// Those against a server that lets nothing be changed.
pub fn looking() -> Vec<Row> {
    [looking::WRITES, looking::MODES].concat()
}

/// Those against a server that wants a person's yes.
pub fn consent() -> Vec<Row> {
    consent::ROWS.to_vec()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn there_are_two_hundred_and_no_two_try_the_same() {
        let all = [denied(), looking(), consent()].concat();
        let whys: BTreeSet<&str> = all.iter().map(|row| row.why).collect();
        assert_eq!(whys.len(), all.len(), "each has words of its own");
        assert!(all.len() >= 200, "{}", all.len());
        for rows in [denied(), looking(), consent()] {
            let sent: BTreeSet<String> =
                rows.iter().map(|row| format!("{:?}", row.steps)).collect();
            assert_eq!(sent.len(), rows.len(), "each sends something of its own");
        }
    }
}
