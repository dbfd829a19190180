//! Advice in the vocabulary of the caller.

use deskhand_model::Advice;

use deskhand_verbs::Origin;

use crate::{ax, commands};

/// Spells advice for callers of an origin: for the CLI as commands and flags, for MCP clients as
/// tools and arguments.
pub fn spell_advice(advice: &Advice, origin: Origin) -> String {
    match origin {
        Origin::Cli => commands::spell(advice),
        Origin::Mcp | Origin::Library | Origin::Internal => ax::spell(advice),
    }
}

#[cfg(test)]
mod tests;
