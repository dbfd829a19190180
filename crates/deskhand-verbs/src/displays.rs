//! The displays and the position of the pointer.

use deskhand_platform::{Display, Screen};

use crate::{Context, Error, Result};

/// A display and its number.
#[derive(Debug, Clone, PartialEq)]
pub struct DisplayInfo {
    /// The number, counted from 1; the main display is 1.
    pub number: usize,
    /// The display.
    pub display: Display,
}

/// The position of the pointer.
#[derive(Debug, Clone, PartialEq)]
pub struct PointerPosition {
    /// Pixels from the left edge of the main display.
    pub x: i32,
    /// Pixels from the top edge of the main display.
    pub y: i32,
    /// The display that contains the pointer, if any.
    pub display: Option<DisplayInfo>,
}

/// Returns the screen of the desktop.
pub(crate) fn screen<'a>(cx: &Context<'a>) -> Result<&'a dyn Screen> {
    cx.desktop.screen.as_deref().ok_or(Error::MissingCapability { part: "screen" })
}

/// Lists the displays, the main one first.
pub fn list(cx: &Context<'_>) -> Result<Vec<DisplayInfo>> {
    let displays = screen(cx)?.displays(cx.deadline)?;
    Ok((1..).zip(displays).map(|(number, display)| DisplayInfo { number, display }).collect())
}

/// Returns a display by its number, counted from 1, or by its name.
///
/// # Errors
///
/// Fails if there is no such display.
pub fn get(cx: &Context<'_>, wanted: &str) -> Result<DisplayInfo> {
    find(list(cx)?, wanted)
}

fn find(displays: Vec<DisplayInfo>, wanted: &str) -> Result<DisplayInfo> {
    let number = wanted.parse::<usize>().ok();
    let is_wanted = |one: &&DisplayInfo| Some(one.number) == number || one.display.name == wanted;
    displays.iter().find(is_wanted).cloned().ok_or_else(|| Error::NoDisplay {
        wanted: wanted.to_owned(),
        displays: displays.iter().map(|d| format!("{} ({})", d.number, d.display.name)).collect(),
    })
}

/// Returns the position of the pointer and its display.
pub fn pointer(cx: &Context<'_>) -> Result<PointerPosition> {
    let (x, y) = screen(cx)?.pointer_position(cx.deadline)?;
    let display = list(cx)?.into_iter().find(|one| one.display.frame.contains(x, y));
    Ok(PointerPosition { x, y, display })
}

#[cfg(test)]
mod tests {
    use deskhand_model::Rect;

    use super::*;

    #[test]
    fn a_display_is_found_by_number_or_name() {
        let display = |number: usize, name: &str, x: i32| DisplayInfo {
            number,
            display: Display {
                id: number as u32,
                name: name.to_owned(),
                frame: Rect::new(x, 0, 800, 600),
                work_area: Rect::new(x, 0, 800, 600),
                scale: 1.0,
                main: x == 0,
            },
        };
        let all = [display(1, "HDMI-1", 0), display(2, "2", 800), display(3, "DP-1", 1600)];
        let number = |wanted: &str| find(all.to_vec(), wanted).ok().map(|found| found.number);
        assert_eq!(number("1"), Some(1));
        assert_eq!(number("DP-1"), Some(3));
        assert_eq!(number("2"), Some(2));
        let refused = find(all.to_vec(), "4").err().map(|error| error.to_string());
        assert_eq!(refused.as_deref(), Some("there is no display `4`"));
    }
}
