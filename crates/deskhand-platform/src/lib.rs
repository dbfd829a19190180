//! The seam between what every platform has and how one of them does it. Data crosses it, handles
//! do not: above nobody knows the operating system, below nobody knows a protocol.

mod children;
mod clipboard;
#[cfg(feature = "conformance")]
pub mod conformance;
mod deadline;
mod desktop;
mod dictionaries;
mod errand;
mod error;
mod extent;
#[cfg(feature = "fake")]
pub mod fake;
mod folders;
mod hotkey;
mod identity;
mod input;
mod installed;
mod machine;
mod permissions;
mod programs;
mod reader;
mod screen;
mod scripts;
mod tree;
mod windows;

pub use children::Children;
pub use clipboard::{Changes, Clipboard, Contents, Item, Mark, Selection, form};
pub use deadline::Deadline;
pub use desktop::Desktop;
pub use dictionaries::{
    Access, Class, Command, Dictionaries, Dictionary, ElementOf, Enumeration, Parameter, Property,
    Suite, TypeName, ValueType, Word,
};
pub use errand::{Errand, Errands};
pub use error::{Error, Result};
pub use extent::{Extent, Facets};
pub use folders::{Folders, make_private};
pub use hotkey::Hotkey;
pub use identity::{FileOf, Guard, Identities, Identity, Owner, Remembered};
pub use input::{Aside, Button, Input, Key, Named, Press};
pub use installed::is_installed;
pub use machine::{Changed, FolderChanges, Machine};
pub use permissions::{Permission, Permissions};
pub use programs::{End, Fate, Process, Program, Programs, Sought};
pub use reader::{Reader, Reading, ReadingPace, TextLine};
pub use screen::{Capture, Display, Flaw, Pixels, Screen};
pub use scripts::{FirstLine, Interpreters, Sure};
pub use tree::{Act, Events, Missed, Passwords, Reply, Text, Tree};
pub use windows::{Arrange, Asked, Covering, Shown, Whose, WindowState, Windows};
