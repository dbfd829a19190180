//! The platform traits: small blocking traits that every desktop backend implements.
//!
//! Only plain data crosses them, never handles. Code above them does not know the operating
//! system; code below them does not know protocols, tools or policy.

mod activity;
mod cancel;
mod children;
mod clipboard;
#[cfg(feature = "conformance")]
pub mod conformance;
mod deadline;
mod desktop;
mod dictionaries;
mod error;
#[cfg(feature = "fake")]
pub mod fake;
mod folders;
mod hotkey;
mod identity;
mod input;
mod interpreters;
pub mod json_lines;
mod machine;
mod permissions;
mod program_file;
mod programs;
mod screen;
mod text_recognition;
mod tree;
mod walk_options;
mod windows;

pub use activity::ProgramActivity;
pub use cancel::{CancelSource, CancelToken};
pub use children::ChildProcesses;
pub use clipboard::{
    Clipboard, ClipboardChanges, ClipboardContents, ClipboardItem, Selection, Sensitivity, mime,
};
pub use deadline::Deadline;
pub use desktop::Desktop;
pub use dictionaries::{
    Class, Command, Dictionaries, Dictionary, ElementClass, Enumeration, Parameter, Property,
    ScriptAccess, Suite, Term, TypeName, ValueType,
};
pub use error::{Error, Refusal, Result};
pub use folders::{Folders, create_private_dir, create_private_dirs, is_own_dir};
pub use hotkey::Hotkey;
pub use identity::{Identities, Identity, IdentityCache, InputGuard, Owner};
pub use input::{BackgroundKeyboard, Button, Input, Key, NamedKey, Press};
pub use interpreters::{Interpreters, ShebangArguments};
pub use machine::{FolderChanges, FolderWait, Machine};
pub use permissions::{Permission, Permissions};
pub use program_file::{Certainty, ProgramFile, is_admin_owned};
pub use programs::{
    LaunchableProgram, ProcessId, ProcessStatus, ProgramMatch, Programs, Termination,
};
pub use screen::{CaptureFlaw, CaptureTarget, Display, Pixels, Screen};
pub use text_recognition::{RecognitionLevel, RecognitionOptions, RecognizedLine, TextRecognizer};
pub use tree::{
    ActionReply, ChildNames, ChildPart, EventStream, IncompleteReason, NamedChild, NodeAction,
    PasswordFields, TextContent, Tree,
};
pub use walk_options::{NodeFields, WalkOptions};
pub use windows::{
    Opacity, OwnerQuery, RequestRecipient, VisibleWindow, WindowChange, WindowState, Windows,
};
