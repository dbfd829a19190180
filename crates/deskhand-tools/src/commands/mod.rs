//! The commands of the CLI, one file each.

pub(crate) mod act;
pub(crate) mod clipboard;
pub(crate) mod keyboard;
pub(crate) mod look;
pub(crate) mod pointer;
pub(crate) mod program;
pub(crate) mod screen;
pub(crate) mod window;

mod advice;
mod outcome;

pub(crate) use advice::spell;
pub(crate) use outcome::CommandOutcome;

use crate::{BuiltinTool, ToolEntry};

/// Returns all commands, in the order the CLI lists them.
pub(crate) fn all() -> Vec<BuiltinTool> {
    vec![
        ToolEntry::builtin::<look::apps::AppsCommand>(),
        ToolEntry::builtin::<look::windows::WindowsCommand>(),
        ToolEntry::builtin::<look::tree::TreeCommand>(),
        ToolEntry::builtin::<look::find::FindCommand>(),
        ToolEntry::builtin::<look::attributes::AttributesCommand>(),
        ToolEntry::builtin::<look::watch::WatchCommand>(),
        ToolEntry::builtin::<screen::screenshot::ScreenshotCommand>(),
        ToolEntry::builtin::<screen::display::DisplayListCommand>(),
        ToolEntry::builtin::<screen::display::DisplayGetCommand>(),
        ToolEntry::builtin::<screen::display::DisplayCursorCommand>(),
        ToolEntry::builtin::<act::click::ClickCommand>(),
        ToolEntry::builtin::<act::type_text::TypeCommand>(),
        ToolEntry::builtin::<act::set::SetCommand>(),
        ToolEntry::builtin::<act::select::SelectCommand>(),
        ToolEntry::builtin::<act::expand::ExpandCommand>(),
        ToolEntry::builtin::<act::expand::CollapseCommand>(),
        ToolEntry::builtin::<act::named::ActCommand>(),
        ToolEntry::builtin::<act::scroll::ScrollCommand>(),
        ToolEntry::builtin::<act::drag::DragCommand>(),
        ToolEntry::builtin::<act::focus::FocusCommand>(),
        ToolEntry::builtin::<keyboard::key::KeyCommand>(),
        ToolEntry::builtin::<pointer::r#move::PointerMoveCommand>(),
        ToolEntry::builtin::<pointer::position::PointerPositionCommand>(),
        ToolEntry::builtin::<pointer::click::PointerClickCommand>(),
        ToolEntry::builtin::<pointer::press::PointerDownCommand>(),
        ToolEntry::builtin::<pointer::press::PointerUpCommand>(),
        ToolEntry::builtin::<pointer::drag::PointerDragCommand>(),
        ToolEntry::builtin::<pointer::hover::PointerHoverCommand>(),
        ToolEntry::builtin::<pointer::scroll::PointerScrollCommand>(),
        ToolEntry::builtin::<pointer::gesture::PointerGestureCommand>(),
        ToolEntry::builtin::<clipboard::read::ClipboardReadCommand>(),
        ToolEntry::builtin::<clipboard::write::ClipboardWriteCommand>(),
        ToolEntry::builtin::<clipboard::clear::ClipboardClearCommand>(),
        ToolEntry::builtin::<clipboard::history::ClipboardHistoryCommand>(),
        ToolEntry::builtin::<clipboard::watch::ClipboardWatchCommand>(),
        ToolEntry::builtin::<program::open::OpenCommand>(),
        ToolEntry::builtin::<program::app::AppCommand>(),
        ToolEntry::builtin::<program::quit::QuitCommand>(),
        ToolEntry::builtin::<window::get::WindowGetCommand>(),
        ToolEntry::builtin::<window::state::WindowStateCommand>(),
        ToolEntry::builtin::<window::focus::WindowFocusCommand>(),
        ToolEntry::builtin::<window::place::WindowMoveCommand>(),
        ToolEntry::builtin::<window::place::WindowResizeCommand>(),
        ToolEntry::builtin::<window::minimize::WindowMinimizeCommand>(),
        ToolEntry::builtin::<window::minimize::WindowRestoreCommand>(),
        ToolEntry::builtin::<window::fill::WindowMaximizeCommand>(),
        ToolEntry::builtin::<window::fill::WindowFullScreenCommand>(),
        ToolEntry::builtin::<window::close::WindowCloseCommand>(),
    ]
}
