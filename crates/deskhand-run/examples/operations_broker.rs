//! A broker and nothing else, for the tests.

fn main() {
    deskhand_run::broker()
}
