//! Runs a target on its corpus and then on mutated inputs. The same seed gives the same inputs.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use fastrand::Rng;
use parking_lot::Mutex;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::{Target, corpus, mutate::mutate};

/// An input that takes longer counts as a hang.
const HANG_TIMEOUT: Duration = Duration::from_secs(30);

/// The memory limit of the process.
const MAX_MEMORY: u64 = 4 << 30;

/// Every this many rounds, mutation starts again from the corpus. In between it continues from the
/// last input.
const CHAIN_LENGTH: usize = 8;

/// Runs a target on its corpus and on `rounds` mutated inputs.
///
/// # Panics
///
/// Panics if the target panics. The message names the file in which the input was saved.
pub fn run(target: &Target, rounds: usize, seed: u64) {
    limit_memory();
    let watch = HangWatch::start(target);
    let inputs: Vec<Vec<u8>> = corpus::inputs(target)
        .into_iter()
        .map(|(name, input)| {
            watch.feed(target, &input, &name);
            input
        })
        .collect();
    assert!(!inputs.is_empty(), "{} has no corpus", target.name);
    let mut rng = Rng::with_seed(seed);
    let mut last = Vec::new();
    for round in 0..rounds {
        let from =
            if round % CHAIN_LENGTH == 0 { &inputs[rng.usize(0..inputs.len())] } else { &last };
        let input = mutate(&mut rng, from, target.words, &inputs);
        watch.feed(target, &input, &format!("round {round} of seed {seed}"));
        last = input;
    }
}

/// An allocation beyond the limit fails and ends the process.
fn limit_memory() {
    let limit = getrlimit(Resource::As);
    let current = Some(limit.current.map_or(MAX_MEMORY, |current| current.min(MAX_MEMORY)));
    setrlimit(Resource::As, Rlimit { current, maximum: limit.maximum }).expect("a lower limit");
}

/// An input and its start time.
type CurrentInput = (Instant, Vec<u8>);

/// Aborts the process if an input hangs.
struct HangWatch {
    current: Arc<Mutex<Option<CurrentInput>>>,
    is_done: Arc<AtomicBool>,
}

impl HangWatch {
    fn start(target: &Target) -> Self {
        let watch = Self { current: Arc::default(), is_done: Arc::default() };
        let (current, is_done, name) = (watch.current.clone(), watch.is_done.clone(), target.name);
        std::thread::spawn(move || {
            while !is_done.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(200));
                let input = current.lock();
                if let Some((since, input)) =
                    input.as_ref().filter(|(since, _)| since.elapsed() > HANG_TIMEOUT)
                {
                    eprintln!(
                        "{name} hangs for {:?} on {:?}",
                        since.elapsed(),
                        save_crash(name, input)
                    );
                    std::process::abort();
                }
            }
        });
        watch
    }

    fn set(&self, to: Option<CurrentInput>) {
        *self.current.lock() = to;
    }

    fn feed(&self, target: &Target, input: &[u8], origin: &str) {
        self.set(Some((Instant::now(), input.to_vec())));
        let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(input)));
        self.set(None);
        if outcome.is_err() {
            let file = save_crash(target.name, input);
            panic!(
                "{} failed on {file:?} ({origin}): {:?}",
                target.name,
                String::from_utf8_lossy(input)
            );
        }
    }
}

impl Drop for HangWatch {
    fn drop(&mut self) {
        self.is_done.store(true, Ordering::Relaxed);
    }
}

/// Saves an input that caused a failure and returns the path.
fn save_crash(name: &str, input: &[u8]) -> PathBuf {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/fuzz/crashes"));
    let print = input.iter().fold(5381_u64, |sum, byte| sum.wrapping_mul(33) ^ u64::from(*byte));
    let file = folder.join(format!("{name}-{print:016x}"));
    let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, input));
    written.unwrap_or_else(|error| eprintln!("{file:?}: {error}"));
    file
}
