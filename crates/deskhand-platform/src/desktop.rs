//! An open desktop: the parts a backend could fill.

use std::sync::Arc;

use crate::{
    Clipboard, Dictionaries, Identities, Input, Permissions, Programs, Reader, Screen, Tree,
    Windows,
};

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
    /// What a person must allow; absent where the system asks nobody.
    pub permissions: Option<Box<dyn Permissions>>,
    /// What apps can be told by scripts.
    pub dictionaries: Option<Box<dyn Dictionaries>>,
    /// The text in pictures.
    pub reader: Option<Box<dyn Reader>>,
}
