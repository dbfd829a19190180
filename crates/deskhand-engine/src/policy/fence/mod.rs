//! The fence: every part of the desktop behind the rules about apps, so that no tool can forget
//! them.

mod clipboard;
mod input;
mod judge;
mod programs;
mod screen;
mod tree;
mod windows;

use std::sync::Arc;

use deskhand_platform::{Desktop, Programs, Windows};

use self::{
    clipboard::FencedClipboard, input::FencedInput, judge::Judge, programs::FencedPrograms,
    screen::FencedScreen, tree::FencedTree, windows::FencedWindows,
};
use super::AppRules;
use crate::Halt;

/// The same desktop behind the rules; while everything is halted nothing of it is changed.
pub(crate) fn fence(desktop: Desktop, rules: Arc<AppRules>, halt: Halt) -> Desktop {
    let windows: Option<Arc<dyn Windows>> = desktop.windows.map(Arc::from);
    let programs: Option<Arc<dyn Programs>> = desktop.programs.map(Arc::from);
    let identities = desktop.identities;
    let judge = Arc::new(Judge::new(rules, identities.clone(), programs.clone(), halt));
    let own = || Arc::clone(&judge);
    Desktop {
        tree: Box::new(FencedTree { inner: Arc::from(desktop.tree), judge: own() }),
        screen: desktop
            .screen
            .map(|inner| Box::new(FencedScreen::new(inner, windows.clone(), own())) as _),
        input: desktop
            .input
            .map(|inner| Box::new(FencedInput::new(inner, windows.clone(), own())) as _),
        clipboard: desktop.clipboard.map(|inner| {
            Box::new(FencedClipboard { inner, windows: windows.clone(), judge: own() }) as _
        }),
        windows: windows.map(|inner| Box::new(FencedWindows { inner, judge: own() }) as _),
        programs: programs.map(|inner| Box::new(FencedPrograms { inner, judge: own() }) as _),
        identities,
        permissions: desktop.permissions,
        dictionaries: desktop.dictionaries,
        reader: desktop.reader,
    }
}

#[cfg(test)]
mod tests;
