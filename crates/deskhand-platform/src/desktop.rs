//! An open desktop: the parts a backend could fill.

use std::sync::Arc;

use crate::{Clipboard, Identities, Input, Programs, Screen, Tree, Windows};

/// One open desktop. A part that is `None` does not exist on this host.
pub struct Desktop {
    /// The apps' trees.
    pub tree: Box<dyn Tree>,
    /// The windows as the window system sees them.
    pub windows: Option<Box<dyn Windows>>,
    /// The pixels.
    pub screen: Option<Box<dyn Screen>>,
    /// Pointer and keyboard.
    pub input: Option<Box<dyn Input>>,
    /// What was copied.
    pub clipboard: Option<Box<dyn Clipboard>>,
    /// Programs that can be started and ended.
    pub programs: Option<Box<dyn Programs>>,
    /// What programs are.
    pub identities: Option<Arc<dyn Identities>>,
}
