//! Reading apps: trees, bounds, displays and refs on real apps.

mod display;
mod fleet;
mod never_wedges;
mod places;
mod refs;
mod traps;
mod two_displays;
