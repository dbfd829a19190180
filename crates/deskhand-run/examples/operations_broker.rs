//! The broker process for the tests.

fn main() {
    deskhand_run::run_broker()
}
