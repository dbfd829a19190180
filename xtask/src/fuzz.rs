//! `fuzz`: the fuzz targets, led by coverage and for as long as wanted.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Error, Result};
use crate::process;

/// What makes a build tell which ways were taken: the flags of cargo-fuzz without a sanitizer, which
/// need no nightly compiler.
const FLAGS: [&str; 5] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

/// An input that takes so long hangs, in seconds.
const HANG: &str = "-timeout=20";

/// The memory one target may take, in megabytes.
const MEMORY: &str = "-rss_limit_mb=4096";

/// What one target came to.
struct Outcome {
    name: String,
    runs: String,
    ways: String,
    /// The ways that the inputs it began with do not take.
    new: String,
    inputs: String,
    broke: bool,
}

/// Runs one target, or all, for so many seconds each; `keep` writes the table to the docs.
pub(crate) fn run(chosen: Option<&str>, seconds: u64, keep: Keep) -> Result<()> {
    let names = names()?;
    let names: Vec<&String> =
        names.iter().filter(|name| chosen.is_none_or(|one| one == name.as_str())).collect();
    if names.is_empty() {
        let problem = format!("there is no target `{}`", chosen.unwrap_or_default());
        return Err(Error::Answer { command: "cargo xtask fuzz".to_owned(), problem });
    }
    let program = build()?;
    let mut all = Vec::new();
    for name in names {
        println!("fuzz: {name} for {seconds} s");
        let one = feed(&program, name, seconds)?;
        println!("{}", row(&one));
        all.push(one);
    }
    let table = table(&all, seconds);
    println!("\n{table}");
    if keep == Keep::InDocs {
        keep_in_docs(&format!("`cargo xtask fuzz --seconds {seconds}`:\n\n{table}"))?;
    }
    let broken: Vec<&str> =
        all.iter().filter(|one| one.broke).map(|one| one.name.as_str()).collect();
    if broken.is_empty() {
        return Ok(());
    }
    let how = format!("inputs that break it are in {}", crashes().display());
    Err(Error::Failed { command: format!("fuzzing of {}", broken.join(", ")), how })
}

/// Whether the outcome is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// In docs/fuzz.md.
    InDocs,
    /// Nowhere.
    No,
}

/// The targets: each has a folder in the corpus.
fn names() -> Result<Vec<String>> {
    let folder = process::root().join("tests/fuzz/corpus");
    let entries = std::fs::read_dir(&folder).map_err(Error::file(&folder))?;
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(Error::file(&folder))?;
        names.push(entry.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

fn place() -> PathBuf {
    process::root().join("target/fuzz")
}

fn crashes() -> PathBuf {
    place().join("crashes")
}

/// Builds the program in a folder of its own, since everything under it is built with these flags.
fn build() -> Result<PathBuf> {
    let triple = triple()?;
    let mut command = process::quiet_cargo("build");
    command
        .args(["--package", "fuzz", "--features", "guided", "--bin", "guided"])
        // With a target named, programs that run at build time are built without the flags.
        .args(["--target", &triple, "--target-dir"])
        .arg(place())
        .env("RUSTFLAGS", FLAGS.join(" "))
        // Overflows must still panic, so this is a build for development that is made faster.
        .env("CARGO_PROFILE_DEV_OPT_LEVEL", "1")
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .env("CARGO_INCREMENTAL", "0");
    process::run(&mut command)?;
    Ok(place().join(triple).join("debug/guided"))
}

fn triple() -> Result<String> {
    let mut command = Command::new("rustc");
    let told = process::answer(command.arg("-vV"))?;
    let line = told.lines().find_map(|line| line.strip_prefix("host: "));
    line.map(str::to_owned).ok_or_else(|| Error::Answer {
        command: "rustc -vV".to_owned(),
        problem: "it does not tell its host".to_owned(),
    })
}

fn feed(program: &Path, name: &str, seconds: u64) -> Result<Outcome> {
    let found = place().join("corpus").join(name);
    for folder in [&found, &crashes()] {
        std::fs::create_dir_all(folder).map_err(Error::file(folder))?;
    }
    let mut command = Command::new(program);
    command
        .env("DESKHAND_FUZZ_TARGET", name)
        .args([HANG, MEMORY, "-max_len=8192", "-print_final_stats=1"])
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-artifact_prefix={}/{name}-", crashes().display()))
        // What is found goes to the first folder; the second is only read.
        .arg(&found)
        .arg(process::root().join("tests/fuzz/corpus").join(name));
    let captured = process::capture(&mut command)?;
    if !captured.ok {
        println!("{}", captured.stderr);
    }
    Ok(read(name, &captured.stderr, captured.ok))
}

/// Reads what libFuzzer says at its end.
fn read(name: &str, told: &str, ok: bool) -> Outcome {
    let stat = |key: &str| {
        let line = told.lines().find_map(|line| line.strip_prefix(key));
        line.map_or_else(|| "?".to_owned(), |rest| rest.trim().to_owned())
    };
    let last = told.lines().rfind(|line| line.starts_with('#') && line.contains(" cov: "));
    let begun = told.lines().find(|line| line.starts_with('#') && line.contains("INITED"));
    let word = |line: Option<&str>, key: &str| {
        let mut words = line.unwrap_or_default().split_whitespace();
        words.find(|word| *word == key).and_then(|_| words.next()).unwrap_or("?").to_owned()
    };
    let (inputs, ways) = (word(last, "corp:"), word(last, "cov:"));
    let counted = |ways: &str| ways.parse::<u64>().ok();
    let new = counted(&ways).zip(counted(&word(begun, "cov:")));
    Outcome {
        name: name.to_owned(),
        runs: stat("stat::number_of_executed_units:"),
        new: new.map_or_else(|| "?".to_owned(), |(now, then)| now.saturating_sub(then).to_string()),
        ways,
        inputs: inputs.split('/').next().unwrap_or("?").to_owned(),
        broke: !ok,
    }
}

fn table(all: &[Outcome], seconds: u64) -> String {
    let mut text = format!(
        "| target ({seconds} s each) | inputs tried | ways through the code | of them new | \
         inputs kept | broke |\n|---|---|---|---|---|---|\n"
    );
    for one in all {
        text.push_str(&row(one));
        text.push('\n');
    }
    text
}

fn row(one: &Outcome) -> String {
    let Outcome { name, runs, ways, new, inputs, broke } = one;
    let broke = if *broke { "yes" } else { "no" };
    format!("| {name} | {runs} | {ways} | {new} | {inputs} | {broke} |")
}

/// Puts the table in the place of the older one.
fn keep_in_docs(table: &str) -> Result<()> {
    const MARK: &str = "## Last results\n";
    let path = process::root().join("docs/fuzz.md");
    let old = std::fs::read_to_string(&path).map_err(Error::file(&path))?;
    let head = old.split(MARK).next().unwrap_or_default();
    std::fs::write(&path, format!("{head}{MARK}\n{table}")).map_err(Error::file(&path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_libfuzzer_says_is_read() {
        let told = "#2\tINITED cov: 10 ft: 11 corp: 1/1b exec/s: 0 rss: 30Mb\n\
                    #500\tDONE   cov: 1234 ft: 2000 corp: 77/3Kb lim: 8 exec/s: 50 rss: 40Mb\n\
                    Done 500 runs in 10 second(s)\n\
                    stat::number_of_executed_units: 500\n";
        let one = read("query", told, true);
        assert_eq!(row(&one), "| query | 500 | 1234 | 1224 | 77 | no |");
        assert!(read("query", "", false).broke);
    }

    #[test]
    fn each_target_is_a_row() {
        let one = read("query", "", true);
        assert!(table(&[one], 5).contains("\n| query | ? | ? | ? | ? | no |\n"));
    }
}
