//! Feeds one target what libFuzzer makes up, led by coverage: `cargo xtask fuzz` builds and runs it.
#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;

static TARGET: OnceLock<fn(&[u8])> = OnceLock::new();

fn chosen() -> fn(&[u8]) {
    let name = std::env::var("DESKHAND_FUZZ_TARGET").unwrap_or_default();
    match fuzz::target(&name) {
        Some(target) => target.run,
        None => panic!("DESKHAND_FUZZ_TARGET names no target: `{name}`"),
    }
}

fuzz_target!(|data: &[u8]| TARGET.get_or_init(chosen)(data));
