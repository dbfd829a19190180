//! `coverage`: measures which lines of a crate its unit tests run. Lines of tests do not count.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Error, Result};
use crate::process;

/// The target folder of instrumented builds.
const FOLDER: &str = "target/coverage";

/// The executable lines of a file, by number; `true` for those that ran.
type Lines = BTreeMap<usize, bool>;

/// Runs the unit tests of a crate and prints the share of lines they ran, for each file.
pub(crate) fn run(package: &str, at_least: Option<u8>) -> Result<()> {
    let tools = tools()?;
    let folder = process::root().join(FOLDER);
    let profiles = folder.join("profiles").join(package);
    // Profiles of an earlier run would count too. There may be none.
    let _ = fs::remove_dir_all(&profiles);
    fs::create_dir_all(&profiles).map_err(Error::file(&profiles))?;
    let program = build(package, &folder)?;
    let mut tests = Command::new(&program);
    tests.env("LLVM_PROFILE_FILE", profiles.join("%p-%m.profraw"));
    // Tests expect to run in the folder of their crate.
    tests.current_dir(process::root().join("crates").join(package)).arg("--quiet");
    process::run(&mut tests)?;
    let merged = profiles.join("all.profdata");
    let raw: Vec<PathBuf> = profiles_in(&profiles)?;
    process::run(
        Command::new(tools.join("llvm-profdata"))
            .args(["merge", "--sparse", "-o"])
            .arg(&merged)
            .args(&raw),
    )?;
    let mut export = Command::new(tools.join("llvm-cov"));
    export.args(["export", "--format=lcov", "--instr-profile"]).arg(&merged).arg(&program);
    let report = process::output(&mut export)?;
    let sources = process::root().join("crates").join(package).join("src");
    show(package, &files(&report, &sources)?, at_least)
}

/// Returns the folder of the toolchain's LLVM tools. Those of the system may read another format.
fn tools() -> Result<PathBuf> {
    let verbose = process::output(Command::new("rustc").args(["--version", "--verbose"]))?;
    let host = verbose.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
    let sysroot = process::output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let folder = Path::new(sysroot.trim()).join("lib/rustlib").join(host).join("bin");
    if !folder.join("llvm-cov").is_file() {
        println!("coverage: installing the toolchain component llvm-tools");
        process::run(Command::new("rustup").args(["component", "add", "llvm-tools"]))?;
    }
    Ok(folder)
}

fn build(package: &str, folder: &Path) -> Result<PathBuf> {
    let mut build = process::quiet_cargo("test");
    build.args(["--package", package, "--lib", "--no-run", "--message-format=json"]);
    build.env("RUSTFLAGS", "-C instrument-coverage").env("CARGO_TARGET_DIR", folder);
    // Macros and build scripts are instrumented too, and would write profiles to the working folder.
    build.env("LLVM_PROFILE_FILE", folder.join("build/%p-%m.profraw"));
    let messages = process::output(&mut build)?;
    let mut programs = messages.lines().filter_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        Some(PathBuf::from(message["executable"].as_str()?))
    });
    programs.next_back().ok_or_else(|| Error::UnexpectedOutput {
        command: process::command_line(&build),
        problem: "it built no test program".to_owned(),
    })
}

fn profiles_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(Error::file(folder))?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    Ok(paths.filter(|path| path.extension().is_some_and(|it| it == "profraw")).collect())
}

/// Returns the lines of each source file in a folder, without those of tests.
fn files(report: &str, sources: &Path) -> Result<BTreeMap<String, Lines>> {
    let mut all = BTreeMap::new();
    let mut of_tests = Vec::new();
    for record in report.split("end_of_record") {
        let Some(path) = record.lines().find_map(|line| line.strip_prefix("SF:")) else { continue };
        let Ok(inside) = Path::new(path).strip_prefix(sources) else { continue };
        let inside = inside.to_string_lossy().into_owned();
        let text = fs::read_to_string(path).map_err(Error::file(path))?;
        of_tests.extend(test_modules(&inside, &text));
        all.insert(inside, lines(record, tests_start(&text)));
    }
    let is_test = |path: &str| {
        let module = path.trim_end_matches(".rs");
        let within =
            |name: &String| module.strip_prefix(name).is_some_and(|it| it.starts_with('/'));
        of_tests.iter().any(|name| name == module || within(name))
    };
    all.retain(|path, _| !is_test(path));
    Ok(all)
}

/// Returns the modules that a file declares for tests only, as paths without their extension.
pub(crate) fn test_modules(path: &str, text: &str) -> Vec<String> {
    let all: Vec<&str> = text.lines().collect();
    let declared = all.windows(2).filter(|pair| pair[0] == "#[cfg(test)]").filter_map(|pair| {
        let line = pair[1].strip_suffix(';')?;
        Some(line.split_once("mod ")?.1)
    });
    declared.map(|name| module_path(path, name)).collect()
}

/// Returns the path, without extension, of a module that a file declares.
pub(crate) fn module_path(path: &str, module: &str) -> String {
    let stem = path.trim_end_matches(".rs");
    let (folder, name) = stem.rsplit_once('/').unwrap_or(("", stem));
    let home = if matches!(name, "mod" | "lib" | "main") { folder } else { stem };
    format!("{home}/{module}").trim_start_matches('/').to_owned()
}

fn lines(record: &str, end: usize) -> Lines {
    let counts = record.lines().filter_map(|line| {
        let (number, count) = line.strip_prefix("DA:")?.split_once(',')?;
        Some((number.parse::<usize>().ok()?, count.parse::<u64>().ok()? > 0))
    });
    counts.filter(|(number, _)| *number < end).collect()
}

/// Returns the line at which the test module of a file begins.
fn tests_start(text: &str) -> usize {
    let all: Vec<&str> = text.lines().collect();
    let begins = |pair: &[&str]| {
        pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod ") && pair[1].ends_with('{')
    };
    all.windows(2).position(begins).map_or(usize::MAX, |at| at + 1)
}

fn show(package: &str, files: &BTreeMap<String, Lines>, at_least: Option<u8>) -> Result<()> {
    let count = |lines: &Lines| (lines.values().filter(|ran| **ran).count(), lines.len());
    let share = |(ran, all): (usize, usize)| 100.0 * ran as f64 / all.max(1) as f64;
    for (path, lines) in files.iter().filter(|(_, lines)| !lines.is_empty()) {
        let (ran, all) = count(lines);
        println!("{:6.1} %  {ran:5} of {all:5}  {path}", share((ran, all)));
    }
    let sum = files.values().map(count).fold((0, 0), |(a, b), (ran, all)| (a + ran, b + all));
    println!("{:6.1} %  {:5} of {:5}  {package} in total", share(sum), sum.0, sum.1);
    match at_least {
        Some(least) if share(sum) < f64::from(least) => {
            let reason = format!("{:.1} % of the lines ran; {least} % are required", share(sum));
            Err(Error::Failed { command: format!("coverage of {package}"), reason })
        }
        Some(_) | None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_tests_do_not_count() {
        let text = "fn a() {}\n#[cfg(test)]\nmod pairs;\nfn b() {}\n#[cfg(test)]\nmod tests {\n}\n";
        assert_eq!(tests_start(text), 5);
        assert_eq!(tests_start("fn a() {}\n"), usize::MAX);
        let record = "SF:/x\nDA:1,3\nDA:4,0\nDA:6,9\nend";
        assert_eq!(lines(record, 5), [(1, true), (4, false)].into());
    }

    #[test]
    fn other_files_and_tests_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.rs"), "#[cfg(test)]\nmod tests;\nfn a() {}\n").unwrap();
        fs::create_dir(folder.path().join("a")).unwrap();
        fs::write(folder.path().join("a/tests.rs"), "fn a() {}\n").unwrap();
        let at = folder.path().display().to_string();
        let record = |path: String| format!("SF:{path}\nDA:1,1\nend_of_record\n");
        let report = [format!("{at}/a.rs"), format!("{at}/a/tests.rs"), "/other.rs".to_owned()]
            .map(record)
            .concat();
        let files = files(&report, folder.path()).unwrap();
        assert_eq!(files.keys().collect::<Vec<_>>(), ["a.rs"]);
        let of_lib = test_modules("tree/mod.rs", "#[cfg(test)]\npub(crate) mod recorded;\n");
        assert_eq!(of_lib, ["tree/recorded"]);
    }

    #[test]
    fn too_few_lines_are_a_failure() {
        let files = [("a.rs".to_owned(), Lines::from([(1, true), (2, false)]))].into();
        assert!(show("a", &files, Some(51)).is_err());
        assert!(show("a", &files, Some(50)).is_ok());
    }
}
