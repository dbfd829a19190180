//! The tools of MacosUseSDK.

mod get_display;
