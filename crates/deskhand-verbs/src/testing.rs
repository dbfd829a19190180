//! Helpers for the tests of this crate.

use deskhand_model::{App, AppId, NodeId, Toolkit};

/// Returns an app with this root.
pub(crate) fn app(root: &str) -> App {
    App {
        id: AppId(":1.1".to_owned()),
        name: "sample".to_owned(),
        pid: 1,
        started: 1,
        bundle_id: None,
        executable: None,
        toolkit: Toolkit::default(),
        root: NodeId::new(root),
        windows: 1,
        responding: true,
    }
}
