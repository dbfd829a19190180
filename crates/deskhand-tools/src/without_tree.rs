//! The windows of an app without an accessibility tree, shown in place of its elements.

use deskhand_model::outline::{printable, quote};

use crate::{
    Context, Result, spell_advice,
    verbs::programs::{self, RunningProgram, without_tree_advice},
};

/// The number of characters of a window title in a line.
const MAX_TITLE_CHARS: usize = 80;

/// An app without a tree, in words.
pub(crate) struct AppWithoutTree {
    /// The app and its windows.
    pub(crate) program: RunningProgram,
    /// The statement that it has no tree.
    pub(crate) statement: String,
    /// One line for each window.
    pub(crate) windows: Vec<String>,
    /// The commands that work in this app instead.
    pub(crate) advice: String,
}

/// Describes a program that has windows but no tree.
pub(crate) fn describe(cx: &Context<'_>, pid: u32) -> Result<AppWithoutTree> {
    let program = programs::resolve_program(cx, &pid.to_string())?;
    let windows = program.windows_by_index();
    let title = windows.first().map(|window| printable(&window.title)).unwrap_or_default();
    let lines = windows.iter().map(|window| {
        let b = window.bounds;
        let state = match (window.minimized, window.focused) {
            (true, _) => " minimized",
            (false, true) => " focused",
            (false, false) => "",
        };
        format!(
            "window {} {:#x} at {},{} {}x{}{state}",
            quote(&printable(&window.title), MAX_TITLE_CHARS),
            window.id,
            b.x,
            b.y,
            b.width,
            b.height
        )
    });
    Ok(AppWithoutTree {
        statement: format!(
            "{} (pid {}) exposes no accessibility tree: only its windows are known",
            program.name, program.pid
        ),
        windows: lines.collect(),
        advice: spell_advice(&without_tree_advice(&title), cx.origin),
        program,
    })
}
