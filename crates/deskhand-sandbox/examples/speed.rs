//! How long `echo hi` takes in a sandbox, beside a plain shell: `speed [TIMES [plain|kernel|none]]`.

use std::{
    error::Error,
    io::{Read, Write},
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use deskhand_sandbox::{Broker, How, Plan, Sandbox, Script, broker};

/// How many ask at the same time.
const AT_ONCE: usize = 50;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Outcome<()> {
    let word = std::env::args().nth(1);
    if word.as_deref() == Some("broker") {
        broker();
    }
    let times = word.and_then(|word| word.parse().ok()).unwrap_or(500);
    let scope = tempfile::tempdir()?;
    let by = Broker { program: std::env::current_exe()?, word: "broker".to_owned() };
    let open = |how| Sandbox::open(&Plan::new(scope.path())?, how, &by);
    let (held, free) = (open(How::Kernel)?, open(How::None)?);
    let here = scope.path();
    let kinds: [(&str, &(dyn Fn() -> Outcome<()> + Sync)); 3] = [
        ("plain", &|| plain(here)),
        ("kernel", &|| shell(&held, here)),
        ("none", &|| shell(&free, here)),
    ];
    let mut out = std::io::stdout().lock();
    let only = std::env::args().nth(2);
    for (name, run) in
        kinds.into_iter().filter(|(name, _)| only.as_deref().is_none_or(|one| one == *name))
    {
        let mut all = (0..times).map(|_| timed(run)).collect::<Outcome<Vec<_>>>()?;
        all.sort_unstable();
        let at = |part: usize| all[(all.len() - 1) * part / 100];
        let began = Instant::now();
        std::thread::scope(|threads| {
            for _ in 0..AT_ONCE {
                threads.spawn(|| (0..times / AT_ONCE + 1).try_for_each(|_| run()));
            }
        });
        let a_second =
            (times / AT_ONCE + 1) as f64 * AT_ONCE as f64 / began.elapsed().as_secs_f64();
        writeln!(
            out,
            "{name}: p50 {:?} p95 {:?}; {AT_ONCE} at once: {a_second:.0}/s",
            at(50),
            at(95)
        )?;
    }
    Ok(())
}

fn timed(run: &(dyn Fn() -> Outcome<()> + Sync)) -> Outcome<Duration> {
    let began = Instant::now();
    run()?;
    Ok(began.elapsed())
}

fn plain(folder: &Path) -> Outcome<()> {
    let done = Command::new("sh").args(["-c", "echo hi"]).current_dir(folder).output()?;
    if done.stdout == b"hi\n" { Ok(()) } else { Err("no hi".into()) }
}

fn shell(sandbox: &Sandbox, folder: &Path) -> Outcome<()> {
    let script =
        Script { text: "echo hi".to_owned(), folder: folder.to_owned(), ..Script::default() };
    let (cell, mut output) = sandbox.shell()?.run(&script)?;
    let mut said = String::new();
    output.read_to_string(&mut said)?;
    cell.wait()?;
    if said == "hi\n" { Ok(()) } else { Err(format!("no hi: {said}").into()) }
}
