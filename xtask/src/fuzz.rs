//! `fuzz`: runs the fuzz targets, guided by coverage.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Error, Result};
use crate::process;

/// Compiler flags that instrument a build for coverage. They are the flags of cargo-fuzz without a sanitizer,
/// which need no nightly compiler.
const FLAGS: [&str; 5] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

/// The timeout for one input, in seconds.
const INPUT_TIMEOUT: &str = "-timeout=20";

/// The memory limit of a target, in megabytes.
const MEMORY_LIMIT: &str = "-rss_limit_mb=4096";

/// The result of one target.
struct FuzzResult {
    name: String,
    runs: String,
    /// Covered code edges.
    edges: String,
    /// Covered edges that the initial corpus does not cover.
    new: String,
    inputs: String,
    failed: bool,
}

/// Runs one target, or all, for `seconds` each.
pub(crate) fn run(chosen: Option<&str>, seconds: u64, report: Report) -> Result<()> {
    let names = target_names()?;
    let names: Vec<&String> =
        names.iter().filter(|name| chosen.is_none_or(|one| one == name.as_str())).collect();
    if names.is_empty() {
        let problem = format!("no fuzz target `{}`", chosen.unwrap_or_default());
        return Err(Error::UnexpectedOutput { command: "cargo xtask fuzz".to_owned(), problem });
    }
    let program = build()?;
    let mut all = Vec::new();
    for name in names {
        println!("fuzz: {name} for {seconds} s");
        let result = fuzz(&program, name, seconds)?;
        println!("{}", row(&result));
        all.push(result);
    }
    let table = table(&all, seconds);
    println!("\n{table}");
    if report == Report::Docs {
        write_docs(&format!("`cargo xtask fuzz --seconds {seconds}`:\n\n{table}"))?;
    }
    let failed: Vec<&str> =
        all.iter().filter(|result| result.failed).map(|result| result.name.as_str()).collect();
    if failed.is_empty() {
        return Ok(());
    }
    let reason = format!("the failing inputs are in {}", crashes().display());
    Err(Error::Failed { command: format!("fuzzing of {}", failed.join(", ")), reason })
}

/// The destination of the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Report {
    /// The terminal and docs/fuzz.md.
    Docs,
    /// The terminal.
    Terminal,
}

/// Returns the names of all targets. Each has a folder in the corpus.
fn target_names() -> Result<Vec<String>> {
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

fn target_folder() -> PathBuf {
    process::root().join("target/fuzz")
}

fn crashes() -> PathBuf {
    target_folder().join("crashes")
}

/// Builds the fuzz program in a separate target folder, because all dependencies are built with the flags too.
fn build() -> Result<PathBuf> {
    let triple = triple()?;
    let mut command = process::quiet_cargo("build");
    command
        .args(["--package", "fuzz", "--features", "guided", "--bin", "guided"])
        // With `--target`, build scripts and macros are built without the flags.
        .args(["--target", &triple, "--target-dir"])
        .arg(target_folder())
        .env("RUSTFLAGS", FLAGS.join(" "))
        // A debug build, because integer overflows must panic; optimized, because speed matters.
        .env("CARGO_PROFILE_DEV_OPT_LEVEL", "1")
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .env("CARGO_INCREMENTAL", "0");
    process::run(&mut command)?;
    Ok(target_folder().join(triple).join("debug/guided"))
}

fn triple() -> Result<String> {
    let mut command = Command::new("rustc");
    let version = process::output(command.arg("-vV"))?;
    let line = version.lines().find_map(|line| line.strip_prefix("host: "));
    line.map(str::to_owned).ok_or_else(|| Error::UnexpectedOutput {
        command: "rustc -vV".to_owned(),
        problem: "it has no `host:` line".to_owned(),
    })
}

fn fuzz(program: &Path, name: &str, seconds: u64) -> Result<FuzzResult> {
    let found = target_folder().join("corpus").join(name);
    for folder in [&found, &crashes()] {
        std::fs::create_dir_all(folder).map_err(Error::file(folder))?;
    }
    let mut command = Command::new(program);
    command
        .env("DESKHAND_FUZZ_TARGET", name)
        .args([INPUT_TIMEOUT, MEMORY_LIMIT, "-max_len=8192", "-print_final_stats=1"])
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-artifact_prefix={}/{name}-", crashes().display()))
        // libFuzzer writes new inputs to the first folder and only reads the second.
        .arg(&found)
        .arg(process::root().join("tests/fuzz/corpus").join(name));
    let captured = process::capture(&mut command)?;
    if !captured.ok {
        println!("{}", captured.stderr);
    }
    Ok(parse(name, &captured.stderr, captured.ok))
}

/// Parses the final output of libFuzzer.
fn parse(name: &str, output: &str, ok: bool) -> FuzzResult {
    let stat = |key: &str| {
        let line = output.lines().find_map(|line| line.strip_prefix(key));
        line.map_or_else(|| "?".to_owned(), |rest| rest.trim().to_owned())
    };
    let last = output.lines().rfind(|line| line.starts_with('#') && line.contains(" cov: "));
    let first = output.lines().find(|line| line.starts_with('#') && line.contains("INITED"));
    let word = |line: Option<&str>, key: &str| {
        let mut words = line.unwrap_or_default().split_whitespace();
        words.find(|word| *word == key).and_then(|_| words.next()).unwrap_or("?").to_owned()
    };
    let (inputs, edges) = (word(last, "corp:"), word(last, "cov:"));
    let counted = |edges: &str| edges.parse::<u64>().ok();
    let new = counted(&edges).zip(counted(&word(first, "cov:")));
    FuzzResult {
        name: name.to_owned(),
        runs: stat("stat::number_of_executed_units:"),
        new: new.map_or_else(|| "?".to_owned(), |(now, then)| now.saturating_sub(then).to_string()),
        edges,
        inputs: inputs.split('/').next().unwrap_or("?").to_owned(),
        failed: !ok,
    }
}

fn table(all: &[FuzzResult], seconds: u64) -> String {
    let mut text = format!(
        "| target ({seconds} s each) | inputs tried | edges covered | of them new | \
         inputs kept | failed |\n|---|---|---|---|---|---|\n"
    );
    for result in all {
        text.push_str(&row(result));
        text.push('\n');
    }
    text
}

fn row(result: &FuzzResult) -> String {
    let FuzzResult { name, runs, edges, new, inputs, failed } = result;
    let failed = if *failed { "yes" } else { "no" };
    format!("| {name} | {runs} | {edges} | {new} | {inputs} | {failed} |")
}

/// Replaces the table in the documentation.
fn write_docs(table: &str) -> Result<()> {
    const HEADING: &str = "## Last results\n";
    let path = process::root().join("docs/fuzz.md");
    let old = std::fs::read_to_string(&path).map_err(Error::file(&path))?;
    let head = old.split(HEADING).next().unwrap_or_default();
    std::fs::write(&path, format!("{head}{HEADING}\n{table}")).map_err(Error::file(&path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_libfuzzer_is_parsed() {
        let output = "#2\tINITED cov: 10 ft: 11 corp: 1/1b exec/s: 0 rss: 30Mb\n\
                    #500\tDONE   cov: 1234 ft: 2000 corp: 77/3Kb lim: 8 exec/s: 50 rss: 40Mb\n\
                    Done 500 runs in 10 second(s)\n\
                    stat::number_of_executed_units: 500\n";
        let one = parse("query", output, true);
        assert_eq!(row(&one), "| query | 500 | 1234 | 1224 | 77 | no |");
        assert!(parse("query", "", false).failed);
    }

    #[test]
    fn each_target_has_a_row() {
        let one = parse("query", "", true);
        assert!(table(&[one], 5).contains("\n| query | ? | ? | ? | ? | no |\n"));
    }
}
