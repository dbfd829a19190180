//! What a caller may ask of a new desktop: its name, its displays, whom it belongs to.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::error::{Error, Result};
use super::info::Display;

/// The longest side of one display, in pixels.
pub const LARGEST_SIDE: u32 = 16_384;
/// The longest name of a desktop, in characters.
pub const LONGEST_NAME: usize = 32;
/// X11 carries positions as signed 16-bit numbers, so no screen is wider than this.
pub const WIDEST_SCREEN: u32 = 32_767;

/// How a new desktop is to be.
#[derive(Debug, Clone)]
pub struct Options {
    /// Its name; the first free one of `d1`, `d2`, … when absent.
    pub name: Option<String>,
    /// Its displays from left to right; the first is the primary one.
    pub displays: Vec<Size>,
    /// Whom it belongs to.
    pub owner: Owner,
    /// Whose settings, records and approvals hold on it.
    pub whose: Whose,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            name: None,
            displays: vec![Size::default()],
            owner: Owner::Process,
            whose: Whose::Persons,
        }
    }
}

/// Whom a desktop belongs to, and so how long it lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// It stays until it is taken down.
    Nobody,
    /// It belongs to this process: once the process is gone, the next start sweeps it away.
    Process,
}

/// Whose settings, records and approvals hold on a desktop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// Those of the person who makes it: what binds an agent elsewhere binds it here.
    Persons,
    /// Its own, which end with it.
    Own,
}

/// The size of a display in pixels, written `1920x1080`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// Pixels from left to right.
    pub width: u32,
    /// Pixels from top to bottom.
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
            // `u32::from_str` would let a leading `+` pass.
            let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse::<u32>().ok().filter(|_| plain).ok_or_else(bad)
        };
        Self { width: side(width)?, height: side(height)? }.checked()
    }
}

impl Size {
    fn checked(self) -> Result<Self> {
        let fits = |side| (1..=LARGEST_SIDE).contains(&side);
        if fits(self.width) && fits(self.height) {
            Ok(self)
        } else {
            Err(Error::BadSize { size: self.to_string() })
        }
    }
}

/// Accepts a name that can be a directory and an argument, and nothing else.
pub(super) fn check_name(name: &str) -> Result<()> {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let good = (1..=LONGEST_NAME).contains(&name.len())
        && name.bytes().all(allowed)
        && !name.starts_with('-');
    if good { Ok(()) } else { Err(Error::BadName { name: name.to_owned() }) }
}

/// Places the displays side by side, top edges aligned.
pub(super) fn arrange(sizes: &[Size]) -> Result<Vec<Display>> {
    let mut x = 0;
    let mut displays = Vec::with_capacity(sizes.len());
    for (index, size) in sizes.iter().enumerate() {
        let Size { width, height } = size.checked()?;
        displays.push(Display { name: format!("display-{}", index + 1), x, y: 0, width, height });
        x = x.saturating_add(width);
    }
    let width = sizes.iter().map(|size| u64::from(size.width)).sum();
    if displays.is_empty() || width > u64::from(WIDEST_SCREEN) {
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
    fn displays_stand_side_by_side() {
        let sizes = [Size { width: 800, height: 600 }, Size { width: 640, height: 480 }];
        let displays = arrange(&sizes).unwrap();
        assert_eq!((displays[0].x, displays[0].width), (0, 800));
        assert_eq!((displays[1].x, displays[1].height), (800, 480));
    }

    #[test]
    fn a_screen_has_displays_and_an_end() {
        assert!(matches!(arrange(&[]), Err(Error::BadLayout { count: 0, .. })));
        let wide = Size { width: LARGEST_SIDE, height: 1 };
        assert!(matches!(arrange(&[wide, wide]), Err(Error::BadLayout { width: 32_768, .. })));
    }
}
