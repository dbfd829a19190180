//! Runs every target on its corpus and on some thousand mutated inputs, the same in every run.

use fuzz::{TARGETS, corpus, runner, target};

/// A fixed seed. `cargo xtask fuzz` runs longer.
const SEED: u64 = 5;

fn run(name: &str) {
    let target = target(name).unwrap_or_else(|| panic!("no target {name}"));
    runner::run(target, target.rounds, SEED);
}

macro_rules! each {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                run(stringify!($name));
            }
        )*

        #[test]
        fn every_target_is_tested() {
            let mut tested = vec![$(stringify!($name)),*];
            tested.sort_unstable();
            let mut known: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            known.sort_unstable();
            assert_eq!(tested, known);
            let folders = std::fs::read_dir(corpus::folder()).unwrap();
            let mut folders: Vec<String> =
                folders.map(|one| one.unwrap().file_name().into_string().unwrap()).collect();
            folders.sort_unstable();
            assert_eq!(folders, known, "each target has a corpus folder, and there are no others");
        }
    };
}

each! {
    approvals_by_hand
    approvals_kept
    arguments
    client_settings
    desktop_file
    event_id
    journal
    journal_edited
    json_rpc
    keys
    lines
    path
    query
    reference
    security_toml
    selector
    text
    token
    tool_definition
    uri
}
