//! `soak escapes`: commands try to escape their sandbox scope.

use harness::escapes::{
    Attempt, AttemptRunner, Confinement, Detection, EscapeReport, NetworkAccess, SandboxFixture,
    TargetFolder, attempts,
};
use harness::hostile::Transport;

use crate::summary::Summary;

/// The number of repetitions of the symlink race per server.
const RACES: usize = 10;

/// Makes at least `attempts` attempts of every kind, over both transports, in random order.
pub(crate) fn run(attempts: usize, seed: u64) -> Summary {
    let progress = crate::progress(attempts);
    let mut summary = Summary::new(
        "escapes",
        format!("cargo xtask soak escapes --attempts {attempts} --seed {seed}"),
        "Commands of a real server, over stdio and over HTTP, try to change, read and reach what \
         is outside their scope: files, symbolic links that change during the call, secrets in the \
         home folder and in the server's environment, memory and descriptors, the server process, \
         sockets by address, path and name, namespaces, devices, and privileged system calls. \
         Files, listeners, the process table and the script's output show what happened. No \
         attempt may succeed, and the permitted variant of each attempt must succeed.",
    );
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut all = EscapeReport::default();
    let (mut servers, mut turn) = (0, 0);
    while all.attempts < attempts {
        let fixture = SandboxFixture::new();
        let transport = [Transport::Stdio, Transport::Http][turn % 2];
        for network in [NetworkAccess::Off, NetworkAccess::On, NetworkAccess::OnePort] {
            progress.set_message(format!("{transport:?}, network {network:?}"));
            let mut attempts: Vec<Attempt> = attempts::all();
            attempts.retain(|attempt| attempt.networks.contains(&network));
            rng.shuffle(&mut attempts);
            all.add(one(&fixture, transport, network, &attempts));
            servers += 1;
            progress.set_position(all.attempts as u64);
        }
        turn += 1;
    }
    progress.finish_and_clear();
    summary.fact("kinds of attempts", attempts::all().len());
    summary.fact("attempts", all.attempts);
    summary.fact("permitted variants", all.controls);
    summary.fact("servers", servers);
    summary.fact("escapes", all.escapes.len());
    summary.fact("permitted variants that failed, and attempts that did not run", all.faults.len());
    summary.failures = [all.escapes, all.faults].concat();
    summary
}

/// Runs all attempts against one server.
fn one(
    fixture: &SandboxFixture,
    transport: Transport,
    network: NetworkAccess,
    attempts: &[Attempt],
) -> EscapeReport {
    let mut runner = AttemptRunner::start(fixture, transport, network, Confinement::Sandboxed);
    for attempt in attempts {
        runner.attempt(attempt, TargetFolder::Hidden);
        if matches!(attempt.detection, Detection::FileChanged | Detection::ListenerReached) {
            runner.attempt(attempt, TargetFolder::Readable);
        }
        runner.control(attempt);
    }
    match network {
        NetworkAccess::Off => runner.race_symlinks(RACES),
        NetworkAccess::On | NetworkAccess::OnePort => runner.check_allowed_port(),
    }
    runner.finish()
}
