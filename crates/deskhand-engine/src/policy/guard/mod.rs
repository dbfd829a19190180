//! The policy guard: wraps every part of the desktop and applies the app rules, so that no tool can
//! bypass them.

mod checker;
mod clipboard;
mod input;
mod programs;
mod screen;
mod tree;
mod windows;

use std::sync::Arc;

use deskhand_platform::{Desktop, Programs, Windows};

use self::{
    checker::AccessChecker, clipboard::GuardedClipboard, input::GuardedInput,
    programs::GuardedPrograms, screen::GuardedScreen, tree::GuardedTree, windows::GuardedWindows,
};
use super::AppRules;
use crate::Halt;

/// Wraps a desktop. The result applies the app rules, and refuses changes while everything is halted.
pub(crate) fn guard_desktop(desktop: Desktop, rules: Arc<AppRules>, halt: Halt) -> Desktop {
    let windows: Option<Arc<dyn Windows>> = desktop.windows.map(Arc::from);
    let programs: Option<Arc<dyn Programs>> = desktop.programs.map(Arc::from);
    let identities = desktop.identities;
    let checker = Arc::new(AccessChecker::new(rules, identities.clone(), programs.clone(), halt));
    let checker = || Arc::clone(&checker);
    Desktop {
        tree: Box::new(GuardedTree { inner: Arc::from(desktop.tree), checker: checker() }),
        screen: desktop
            .screen
            .map(|inner| Box::new(GuardedScreen::new(inner, windows.clone(), checker())) as _),
        input: desktop
            .input
            .map(|inner| Box::new(GuardedInput::new(inner, windows.clone(), checker())) as _),
        clipboard: desktop.clipboard.map(|inner| {
            Box::new(GuardedClipboard { inner, windows: windows.clone(), checker: checker() }) as _
        }),
        windows: windows.map(|inner| Box::new(GuardedWindows { inner, checker: checker() }) as _),
        programs: programs
            .map(|inner| Box::new(GuardedPrograms { inner, checker: checker() }) as _),
        identities,
        permissions: desktop.permissions,
        dictionaries: desktop.dictionaries,
        text_recognizer: desktop.text_recognizer,
    }
}

#[cfg(test)]
mod tests;
