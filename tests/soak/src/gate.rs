//! `soak gate`: hostile calls, by hand and by lot.

use harness::hostile::{Door, Era, Judge, Row, Scene, Setup, fuzzed, rows};

use crate::summary::Summary;

/// The set-ups calls by lot are made in: in safe mode much of what they do is allowed.
const BY_LOT: [Setup; 4] = [Setup::Denied, Setup::WriteBlocked, Setup::Sandboxed, Setup::ReadOnly];

/// How many calls by lot one server gets.
const A_SERVER: usize = 250;

/// Plays every row through both doors and both eras, then makes so many calls by lot.
pub(crate) fn run(calls: usize, seed: u64) -> Summary {
    let progress = crate::progress(calls);
    let mut summary = Summary::new(
        "gate",
        format!("cargo xtask soak gate --calls {calls} --seed {seed}"),
        "Callers try to get past the gate: apps by other names, look-alikes, linked desktop files, \
         aliases, odd pids, odd tools, messages with two meanings, forged states and answers, tasks, \
         subscriptions; then calls by lot from the tools' own schemas, eight at a \
         time. The protected apps tell what was done to them, and nothing may be; nothing of an app \
         that may not be read may be told or shown; every refusal must be on record, the log sound, \
         and the server alive.",
    );
    let hand = by_hand(&progress);
    summary.fact("hand-made calls, through both doors and both eras", hand.calls);
    summary.fact("of these refused by the gate", hand.refused);
    let mut all = Judge::default();
    let mut scene = Scene::new();
    let tools = fuzzed::tools(&mut scene);
    let mut turn = 0;
    while all.calls < calls {
        let setup = BY_LOT[turn % BY_LOT.len()];
        progress.set_message(setup.name());
        let some = A_SERVER.min(calls - all.calls);
        let judge =
            fuzzed::run(&mut scene, setup, &tools, some, seed + turn as u64, || progress.inc(1));
        all.calls += judge.calls;
        all.refused += judge.refused;
        all.escapes.extend(judge.escapes);
        turn += 1;
    }
    progress.finish_and_clear();
    summary.fact("set-ups", BY_LOT.map(Setup::name).join(", "));
    summary.fact("calls by lot", all.calls);
    summary.fact("of these refused by the gate", all.refused);
    summary.fact("servers", turn);
    summary.broken = [hand.escapes, all.escapes].concat();
    summary
}

fn by_hand(progress: &indicatif::ProgressBar) -> Judge {
    let mut judge = Judge::default();
    let plays: [(&[Setup], Vec<Row>); 4] = [
        (&[Setup::Denied], rows::denied()),
        (&[Setup::WriteBlocked], rows::write_blocked()),
        (&[Setup::Sandboxed, Setup::ReadOnly], rows::looking()),
        (&[Setup::Safe], rows::consent()),
    ];
    for (setups, rows) in plays {
        let mut scene = Scene::new();
        for setup in setups {
            progress.set_message(setup.name());
            for door in [Door::Stdio, Door::Http] {
                for era in [Era::Handshake, Era::Later] {
                    judge.play(&mut scene, *setup, door, era, &rows);
                }
            }
        }
    }
    judge
}
