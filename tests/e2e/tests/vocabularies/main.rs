//! The tools of other vocabularies: MacosUseSDK's in `desktop`, accessibility-mcp's in `inspect`.

mod desktop;
mod inspect;
mod toolsets;
