//! Runs one target with libFuzzer, guided by coverage. `cargo xtask fuzz` builds and runs it.
#![no_main]

use std::sync::OnceLock;

use fastrand::Rng;
use fuzz::{Target, mutate::mutate};
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

static TARGET: OnceLock<&'static Target> = OnceLock::new();

fn chosen() -> &'static Target {
    let name = std::env::var("DESKHAND_FUZZ_TARGET").unwrap_or_default();
    match fuzz::target(&name) {
        Some(target) => target,
        None => panic!("DESKHAND_FUZZ_TARGET does not name a target: `{name}`"),
    }
}

fuzz_target!(|data: &[u8]| (TARGET.get_or_init(chosen).run)(data));

// libFuzzer mutates bytes. The other half of the mutations uses the tokens of the target's input
// language.
fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| {
    let mut rng = Rng::with_seed(u64::from(seed));
    if rng.bool() {
        return fuzzer_mutate(data, size, most);
    }
    let changed = mutate(&mut rng, &data[..size], TARGET.get_or_init(chosen).words, &[]);
    let length = changed.len().min(most);
    data[..length].copy_from_slice(&changed[..length]);
    length
});
