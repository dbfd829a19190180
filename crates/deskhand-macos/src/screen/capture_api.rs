//! The screenshot API to use, depending on the version of macOS.

/// A version of macOS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MacosVersion {
    pub(crate) major: u32,
    pub(crate) minor: u32,
}

/// A screenshot API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CaptureApi {
    /// `SCScreenshotManager`, since macOS 14.
    ScreenCaptureKit,
    /// `CGWindowListCreateImage`, which is missing in the headers of macOS 15.
    WindowList,
}

impl CaptureApi {
    pub(crate) fn for_version(version: MacosVersion) -> Self {
        let screenshot_manager = MacosVersion { major: 14, minor: 0 };
        if version >= screenshot_manager { Self::ScreenCaptureKit } else { Self::WindowList }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn screen_capture_kit_is_used_since_macos_14() {
        let api = |major, minor| CaptureApi::for_version(MacosVersion { major, minor });
        assert_eq!(api(12, 3), CaptureApi::WindowList);
        assert_eq!(api(13, 7), CaptureApi::WindowList);
        assert_eq!(api(14, 0), CaptureApi::ScreenCaptureKit);
        assert_eq!(api(26, 1), CaptureApi::ScreenCaptureKit);
    }
}
