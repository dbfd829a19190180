//! Finding and changing windows.

mod change;
mod close;
mod fill;
mod focus;
mod minimize;
mod place;

use deskhand_model::{Window, outline::quote};
use deskhand_platform::Windows;

use self::change::{WindowChangeResult, corner_evidence, size_evidence};
pub(crate) use self::change::{change_window, request_error, sent_error};
pub use self::{
    close::{close, kill_program},
    fill::{FilledArea, fill, stop_filling},
    focus::focus,
    minimize::{minimize, restore},
    place::{move_to, resize},
};
use crate::{Context, Error, Result, programs::resolve_program};

/// The window to choose if an app has several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowPreference {
    /// The frontmost visible window.
    Shown,
    /// The frontmost minimized window.
    Minimized,
}

/// Returns the windows of the desktop.
pub fn window_system<'a>(cx: &Context<'a>) -> Result<&'a dyn Windows> {
    cx.desktop.windows.as_deref().ok_or(Error::MissingCapability { part: "window list" })
}

/// Lists the windows of all programs or of one, the frontmost first.
///
/// # Errors
///
/// Fails if this desktop has no window list, or the app is not running.
pub fn list(cx: &Context<'_>, app: Option<&str>) -> Result<Vec<Window>> {
    let windows = window_system(cx)?;
    match app {
        None => Ok(windows.list(cx.deadline)?),
        Some(app) => Ok(resolve_program(cx, app)?.windows),
    }
}

/// Lists the windows of an app in index order: the frontmost first, minimized ones last.
///
/// # Errors
///
/// Fails if the app is not running.
pub fn list_by_index(cx: &Context<'_>, app: &str) -> Result<Vec<Window>> {
    Ok(resolve_program(cx, app)?.windows_by_index())
}

/// Returns the window of an app with this index.
///
/// # Errors
///
/// Fails if the app is not running or has fewer windows.
pub fn get_by_index(cx: &Context<'_>, app: &str, index: usize) -> Result<Window> {
    let windows = list_by_index(cx, app)?;
    windows.get(index).cloned().ok_or_else(|| Error::NoWindow {
        wanted: format!("window {index} of {app}"),
        windows: windows.iter().map(label).collect(),
    })
}

/// Returns the window with this id, or the frontmost window of this app or process.
pub fn resolve_window(
    cx: &Context<'_>,
    target: &str,
    title: Option<&str>,
    preference: WindowPreference,
) -> Result<Window> {
    let all = window_system(cx)?.list(cx.deadline)?;
    let candidates = match windows_by_number(&all, target)? {
        Some(found) => found,
        None => windows_of_app(cx, &all, target)?,
    };
    choose(candidates, &all, target, title, preference)
}

/// Returns the windows with this window id or process id.
fn windows_by_number(all: &[Window], target: &str) -> Result<Option<Vec<Window>>> {
    let by_id = |id: u64| all.iter().filter(|window| window.id == id).cloned().collect::<Vec<_>>();
    if let Some(hex) = target.strip_prefix("0x").or_else(|| target.strip_prefix("0X")) {
        let Ok(id) = u64::from_str_radix(hex, 16) else { return Ok(None) };
        return Ok(Some(by_id(id)));
    }
    let Ok(number) = target.parse::<u64>() else { return Ok(None) };
    let mut found = by_id(number);
    let pid = u32::try_from(number).ok().filter(|pid| *pid != 0);
    let of_process = all.iter().filter(|window| Some(window.pid) == pid);
    match (found.is_empty(), of_process.clone().next().is_some()) {
        (false, true) => {
            found.extend(of_process.cloned());
            Err(ambiguous(target, &found))
        }
        (false, false) => Ok(Some(found)),
        (true, _) => Ok(Some(of_process.cloned().collect())),
    }
}

/// Returns the windows of the program or class with this name.
pub(crate) fn windows_of_program(all: &[Window], name: &str) -> Vec<Window> {
    let fits = |window: &&Window| {
        window.class.eq_ignore_ascii_case(name)
            || window.app.as_deref().is_some_and(|app| app.eq_ignore_ascii_case(name))
    };
    all.iter().filter(fits).cloned().collect()
}

fn windows_of_app(cx: &Context<'_>, all: &[Window], target: &str) -> Result<Vec<Window>> {
    let found = windows_of_program(all, target);
    if !found.is_empty() {
        return Ok(found);
    }
    Ok(resolve_program(cx, target)?.windows)
}

fn choose(
    mut candidates: Vec<Window>,
    all: &[Window],
    target: &str,
    title: Option<&str>,
    preference: WindowPreference,
) -> Result<Window> {
    if let Some(title) = title {
        let exact = |window: &Window| window.title == title;
        let inside = |window: &Window| window.title.to_lowercase().contains(&title.to_lowercase());
        if candidates.iter().any(exact) {
            candidates.retain(exact);
        } else {
            candidates.retain(inside);
        }
        if candidates.len() > 1 {
            return Err(ambiguous(target, &candidates));
        }
    }
    let first = candidates.first().map(|window| window.pid);
    if candidates.iter().any(|window| Some(window.pid) != first) {
        return Err(ambiguous(target, &candidates));
    }
    let wanted = |window: &&Window| window.minimized == (preference == WindowPreference::Minimized);
    let found = candidates.iter().find(wanted).or_else(|| candidates.first());
    found.cloned().ok_or_else(|| Error::NoWindow {
        wanted: match title {
            Some(title) => format!("{target} titled {title:?}"),
            None => target.to_owned(),
        },
        windows: all.iter().map(label).collect(),
    })
}

fn ambiguous(wanted: &str, found: &[Window]) -> Error {
    let matching = found.iter().map(label).collect();
    Error::AmbiguousWindow { wanted: wanted.to_owned(), matching }
}

/// Formats a window for messages.
pub fn label(window: &Window) -> String {
    format!("{:#x} {}", window.id, quote(&window.title, 60))
}

#[cfg(test)]
mod tests {
    use deskhand_model::Rect;

    use super::*;

    fn window(id: u64, pid: u32, title: &str, minimized: bool) -> Window {
        let area = Rect::new(0, 0, 10, 10);
        Window {
            id,
            title: title.to_owned(),
            pid,
            app: Some("pad".to_owned()),
            class: "Pad".to_owned(),
            bounds: area,
            frame: area,
            z: 0,
            minimized,
            focused: false,
        }
    }

    fn picked(
        all: &[Window],
        target: &str,
        title: Option<&str>,
        preference: WindowPreference,
    ) -> String {
        let found = match windows_by_number(all, target) {
            Ok(found) => found.unwrap_or_else(|| windows_of_program(all, target)),
            Err(error) => return error.to_string(),
        };
        match choose(found, all, target, title, preference) {
            Ok(window) => format!("{:#x}", window.id),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn an_app_resolves_to_its_frontmost_window_and_a_title_narrows_it() {
        let all = [
            window(0x10, 5, "Hidden", true),
            window(0x20, 5, "Notes", false),
            window(0x30, 5, "Notes, old", false),
        ];
        let pick = |target: &str, title| picked(&all, target, title, WindowPreference::Shown);
        assert_eq!(pick("pad", None), "0x20");
        assert_eq!(pick("PAD", Some("OLD")), "0x30");
        assert_eq!(pick("5", Some("hid")), "0x10");
        assert_eq!(pick("pad", Some("Notes")), "0x20", "an exact title wins");
        assert!(pick("pad", Some("note")).contains("2 windows"));
        assert!(pick("pad", Some("nothing")).contains("no window"));
        assert_eq!(picked(&all, "pad", None, WindowPreference::Minimized), "0x10");
    }

    #[test]
    fn a_number_that_is_both_a_window_and_a_process_is_ambiguous() {
        let all = [window(7, 5, "a", false), window(0x20, 7, "b", false)];
        let pick = |target: &str| picked(&all, target, None, WindowPreference::Shown);
        assert_eq!(pick("0x20"), "0x20");
        assert_eq!(pick("32"), "0x20");
        assert_eq!(pick("5"), "0x7");
        assert!(pick("7").contains("2 windows"), "{}", pick("7"));
        assert!(pick("0x99").contains("no window"));
        assert!(pick("pad").contains("2 windows"), "two processes share the name");
    }
}
