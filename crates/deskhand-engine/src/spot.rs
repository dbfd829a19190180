//! Where in a text something stands.

pub use deskhand_model::Spot;
