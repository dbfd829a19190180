//! Options of a new desktop: name, displays and owner.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::error::{Error, Result};
use super::info::Display;

/// Maximum width and height of one display, in pixels.
pub const MAX_DISPLAY_SIDE: u32 = 16_384;
/// Maximum length of a desktop's name, in characters.
pub const MAX_NAME_LENGTH: usize = 32;
/// Maximum width of all displays together. X11 positions are signed 16-bit numbers.
pub const MAX_SCREEN_WIDTH: u32 = 32_767;

/// The options of a new desktop.
#[derive(Debug, Clone)]
pub struct DesktopOptions {
    /// The name, or `None` for the first free one of `d1`, `d2`, …
    pub name: Option<String>,
    /// The displays from left to right. The first is the primary one.
    pub displays: Vec<Size>,
    /// The owner, which determines the desktop's lifetime.
    pub owner: Owner,
    /// The settings, logs and approvals that apply in the desktop.
    pub settings: SettingsScope,
}

impl Default for DesktopOptions {
    fn default() -> Self {
        Self {
            name: None,
            displays: vec![Size::default()],
            owner: Owner::Process,
            settings: SettingsScope::User,
        }
    }
}

/// The owner of a desktop, which determines its lifetime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// No owner: the desktop runs until it is taken down.
    Unowned,
    /// The calling process: after it has ended, the desktop is stale and will be removed.
    Process,
}

/// The settings, logs and approvals that apply in a desktop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingsScope {
    /// Those of the user, so that the same policy applies as outside the desktop.
    User,
    /// Separate ones, which are removed with the desktop.
    Desktop,
}

/// The size of a display in pixels, written `1920x1080`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
}

impl Default for Size {
    fn default() -> Self {
        Self { width: 1920, height: 1080 }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

impl FromStr for Size {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let bad = || Error::BadSize { size: text.to_owned() };
        let (width, height) = text.split_once(['x', 'X']).ok_or_else(bad)?;
        let side = |digits: &str| {
            // `u32::from_str` would accept a leading `+`.
            let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse::<u32>().ok().filter(|_| plain).ok_or_else(bad)
        };
        Self { width: side(width)?, height: side(height)? }.checked()
    }
}

impl Size {
    fn checked(self) -> Result<Self> {
        let fits = |side| (1..=MAX_DISPLAY_SIDE).contains(&side);
        if fits(self.width) && fits(self.height) {
            Ok(self)
        } else {
            Err(Error::BadSize { size: self.to_string() })
        }
    }
}

/// Checks that a name is safe as a directory name and as a command-line argument.
pub(super) fn check_name(name: &str) -> Result<()> {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let good = (1..=MAX_NAME_LENGTH).contains(&name.len())
        && name.bytes().all(allowed)
        && !name.starts_with('-');
    if good { Ok(()) } else { Err(Error::BadName { name: name.to_owned() }) }
}

/// Places the displays side by side with aligned top edges.
pub(super) fn place_side_by_side(sizes: &[Size]) -> Result<Vec<Display>> {
    let mut x = 0;
    let mut displays = Vec::with_capacity(sizes.len());
    for (index, size) in sizes.iter().enumerate() {
        let Size { width, height } = size.checked()?;
        displays.push(Display { name: format!("display-{}", index + 1), x, y: 0, width, height });
        x = x.saturating_add(width);
    }
    let width = sizes.iter().map(|size| u64::from(size.width)).sum();
    if displays.is_empty() || width > u64::from(MAX_SCREEN_WIDTH) {
        return Err(Error::BadLayout { count: sizes.len(), width });
    }
    Ok(displays)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_parse_and_print_alike() {
        let size: Size = "1024x768".parse().unwrap();
        assert_eq!(size, Size { width: 1024, height: 768 });
        assert_eq!(size.to_string(), "1024x768");
    }

    #[test]
    fn bad_sizes_are_refused() {
        for text in ["", "x", "1024", "0x768", "1024x0", "16385x1", "1x99999999999", "-1x5", "+1x5"]
        {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
        assert!("16384x16384".parse::<Size>().is_ok());
    }

    #[test]
    fn names_are_letters_digits_and_dashes() {
        for name in ["a", "d1", "my-desk", &"a".repeat(32)] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        for name in ["", "A", "a b", "../x", "a/b", ".dead", "-a", "é", &"a".repeat(33)] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }

    #[test]
    fn displays_are_placed_side_by_side() {
        let sizes = [Size { width: 800, height: 600 }, Size { width: 640, height: 480 }];
        let displays = place_side_by_side(&sizes).unwrap();
        assert_eq!((displays[0].x, displays[0].width), (0, 800));
        assert_eq!((displays[1].x, displays[1].height), (800, 480));
    }

    #[test]
    fn a_screen_needs_displays_and_has_a_maximum_width() {
        assert!(matches!(place_side_by_side(&[]), Err(Error::BadLayout { count: 0, .. })));
        let wide = Size { width: MAX_DISPLAY_SIDE, height: 1 };
        assert!(matches!(
            place_side_by_side(&[wide, wide]),
            Err(Error::BadLayout { width: 32_768, .. })
        ));
    }
}
