//! Reading apps: trees, bounds, displays and refs on real apps.

mod bounds;
mod deadlines;
mod displays;
mod long_lists;
mod refs;
mod toolkit_quirks;
mod tree_completeness;
mod two_displays;
mod visible;
