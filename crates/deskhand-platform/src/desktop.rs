//! An open desktop: the parts that a backend provides.

use std::sync::Arc;

use crate::{
    Clipboard, Dictionaries, Identities, Input, Permissions, Programs, Screen, TextRecognizer,
    Tree, Windows,
};

/// One open desktop. A part that is `None` is not available on this host.
pub struct Desktop {
    /// The accessibility trees of apps.
    pub tree: Box<dyn Tree>,
    /// The top-level windows, as the window system reports them.
    pub windows: Option<Box<dyn Windows>>,
    /// Displays and screenshots.
    pub screen: Option<Box<dyn Screen>>,
    /// Pointer and keyboard.
    pub input: Option<Box<dyn Input>>,
    /// The clipboards.
    pub clipboard: Option<Box<dyn Clipboard>>,
    /// Starts and ends programs.
    pub programs: Option<Box<dyn Programs>>,
    /// Identifies programs by the files they run.
    pub identities: Option<Arc<dyn Identities>>,
    /// The permissions that the user must grant; `None` where the system has none.
    pub permissions: Option<Box<dyn Permissions>>,
    /// The scripting dictionaries of apps.
    pub dictionaries: Option<Box<dyn Dictionaries>>,
    /// Text recognition (OCR).
    pub text_recognizer: Option<Box<dyn TextRecognizer>>,
}
