//! Measures `echo hi` in a sandbox and in a plain shell: `speed [TIMES [plain|kernel|none]]`.

use std::{
    error::Error,
    io::{Read, Write},
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use deskhand_sandbox::{BrokerCommand, Enforcement, Plan, Sandbox, Script, run_broker};

/// Number of threads of the throughput measurement.
const AT_ONCE: usize = 50;

type TestResult<T> = Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> TestResult<()> {
    let word = std::env::args().nth(1);
    if word.as_deref() == Some("broker") {
        run_broker();
    }
    let times = word.and_then(|word| word.parse().ok()).unwrap_or(500);
    let scope = tempfile::tempdir()?;
    let broker_command =
        BrokerCommand { program: std::env::current_exe()?, argument: "broker".to_owned() };
    let open = |enforcement| Sandbox::open(&Plan::new(scope.path())?, enforcement, &broker_command);
    let (confined, unconfined) = (open(Enforcement::Kernel)?, open(Enforcement::None)?);
    let here = scope.path();
    let kinds: [(&str, &(dyn Fn() -> TestResult<()> + Sync)); 3] = [
        ("plain", &|| plain(here)),
        ("kernel", &|| shell(&confined, here)),
        ("none", &|| shell(&unconfined, here)),
    ];
    let mut out = std::io::stdout().lock();
    let only = std::env::args().nth(2);
    for (name, run) in
        kinds.into_iter().filter(|(name, _)| only.as_deref().is_none_or(|one| one == *name))
    {
        let mut all = (0..times).map(|_| timed(run)).collect::<TestResult<Vec<_>>>()?;
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

fn timed(run: &(dyn Fn() -> TestResult<()> + Sync)) -> TestResult<Duration> {
    let began = Instant::now();
    run()?;
    Ok(began.elapsed())
}

fn plain(folder: &Path) -> TestResult<()> {
    let done = Command::new("sh").args(["-c", "echo hi"]).current_dir(folder).output()?;
    if done.stdout == b"hi\n" { Ok(()) } else { Err("wrong output".into()) }
}

fn shell(sandbox: &Sandbox, folder: &Path) -> TestResult<()> {
    let script =
        Script { text: "echo hi".to_owned(), folder: folder.to_owned(), ..Script::default() };
    let (container, mut output) = sandbox.shell()?.run(&script)?;
    let mut output_text = String::new();
    output.read_to_string(&mut output_text)?;
    container.wait()?;
    if output_text == "hi\n" { Ok(()) } else { Err(format!("wrong output: {output_text}").into()) }
}
