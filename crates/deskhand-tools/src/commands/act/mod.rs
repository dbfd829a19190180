//! Commands that act on elements.

pub(crate) mod click;
pub(crate) mod drag;
pub(crate) mod expand;
pub(crate) mod focus;
pub(crate) mod named;
pub(crate) mod scroll;
pub(crate) mod select;
pub(crate) mod set;
pub(crate) mod type_text;
