//! Which of the system's ways to take a picture is taken, by its version.

/// A version of macOS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version {
    pub(crate) major: u32,
    pub(crate) minor: u32,
}

/// How pictures are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Road {
    /// `SCScreenshotManager` of ScreenCaptureKit, since macOS 14.
    CaptureKit,
    /// `CGWindowListCreateImage`, which macOS 15 has taken out of its headers.
    WindowList,
}

impl Road {
    /// The road for a version.
    pub(crate) fn of(version: Version) -> Self {
        let screenshots = Version { major: 14, minor: 0 };
        if version >= screenshots { Self::CaptureKit } else { Self::WindowList }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_new_road_is_taken_as_soon_as_there_is_one() {
        let road = |major, minor| Road::of(Version { major, minor });
        assert_eq!(road(12, 3), Road::WindowList);
        assert_eq!(road(13, 7), Road::WindowList);
        assert_eq!(road(14, 0), Road::CaptureKit);
        assert_eq!(road(26, 1), Road::CaptureKit);
    }
}
