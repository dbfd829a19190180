//! Refs under a storm of changes: a live window is mutated at random while the program that owns it
//! tells the truth about every row, and every ref ever given out is held against that truth.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{App, Program, Seen, Stage, Tree};

/// How many mutations lie between two looks.
const BATCH: usize = 10;
/// How many refs are resolved by `find` after each batch.
const RESOLVED: usize = 3;

/// What came of a storm.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Mutations that were made.
    pub mutations: usize,
    /// Looks that were taken.
    pub looks: usize,
    /// Times a ref meant another element than the one it was given for; must be 0.
    pub wrong: usize,
    /// Times an element nobody touched lost its ref.
    pub lost: usize,
    /// Elements nobody touched between two looks, summed over all looks.
    pub untouched: usize,
    /// How many of them kept their ref.
    pub survived: usize,
    /// Times `find` resolved a ref to its own element.
    pub resolved: usize,
    /// Times `find` said that a ref's element is gone.
    pub stale: usize,
    /// What went wrong, in words; the first few.
    pub faults: Vec<String>,
}

impl Report {
    /// The share of untouched elements that kept their ref, from 0 to 1.
    pub fn survival(&self) -> f64 {
        if self.untouched == 0 { 1.0 } else { self.survived as f64 / self.untouched as f64 }
    }

    fn fault(&mut self, text: String) {
        if self.faults.len() < 20 {
            self.faults.push(text);
        }
    }
}

/// What an element really is: a part of a row with an id of its own, or the n-th that never changes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Truth {
    Row(u64, Part),
    Fixed(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Part {
    Box,
    Label,
    Button,
    Check,
}

const PARTS: [(Part, &str); 3] =
    [(Part::Label, "label"), (Part::Button, "button"), (Part::Check, "checkbox")];

/// One row as the program itself knows it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
struct Row {
    id: u64,
    label: String,
    button: String,
    check: String,
    x: Option<i32>,
    y: Option<i32>,
}

/// Makes so many random mutations of the rows and reports what became of the refs.
pub fn storm(stage: &Stage, mutations: usize, randomness: u64) -> Report {
    let app = App::Fixture("gtk3_mutations.py", &["--rows", "24"]);
    let mut program = stage.start(app);
    let mut dice = Dice(randomness.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut report = Report::default();
    let mut known: HashMap<String, Truth> = HashMap::new();
    let mut last: HashMap<Truth, String> = HashMap::new();
    let (mut rows, tree) = observe(stage, &mut program);
    compare(&mut report, &mut known, &mut last, &meanings(&rows, &tree), &HashSet::new());
    while report.mutations < mutations {
        let count = BATCH.min(mutations - report.mutations);
        let (commands, touched) = batch(&mut dice, &rows, count);
        ask(&mut program, &json!({ "do": "batch", "commands": commands }));
        report.mutations += count;
        let (now, tree) = observe(stage, &mut program);
        rows = now;
        let meant = meanings(&rows, &tree);
        compare(&mut report, &mut known, &mut last, &meant, &touched);
        resolve(stage, &program, &mut report, &known, &rows, &mut dice);
    }
    report
}

/// Holds every ref of a look against what it was given for.
fn compare(
    report: &mut Report,
    known: &mut HashMap<String, Truth>,
    last: &mut HashMap<Truth, String>,
    meant: &[(String, Truth)],
    touched: &HashSet<u64>,
) {
    report.looks += 1;
    let mut now = HashMap::new();
    for (reference, truth) in meant {
        if now.insert(truth.clone(), reference.clone()).is_some() {
            report.wrong += 1;
            report.fault(format!("two elements are {truth:?}"));
        }
        match known.get(reference) {
            Some(given) if given != truth => {
                report.wrong += 1;
                report.fault(format!("{reference} was given for {given:?} and means {truth:?}"));
            }
            Some(_) => {}
            None => {
                known.insert(reference.clone(), truth.clone());
            }
        }
    }
    for (truth, reference) in last.iter() {
        let alone = match truth {
            Truth::Fixed(_) => true,
            Truth::Row(id, _) => !touched.contains(id),
        };
        let Some(found) = now.get(truth).filter(|_| alone) else { continue };
        report.untouched += 1;
        if found == reference {
            report.survived += 1;
        } else {
            report.lost += 1;
            report.fault(format!("{truth:?} was {reference} and is {found}, untouched"));
        }
    }
    *last = now;
}

/// Resolves a few refs of buttons, those of removed rows included, as a later command would.
fn resolve(
    stage: &Stage,
    program: &Program,
    report: &mut Report,
    known: &HashMap<String, Truth>,
    rows: &[Row],
    dice: &mut Dice,
) {
    let mut buttons: Vec<(&String, u64)> = known
        .iter()
        .filter_map(|(reference, truth)| match truth {
            Truth::Row(id, Part::Button) => Some((reference, *id)),
            Truth::Row(_, Part::Box | Part::Label | Part::Check) | Truth::Fixed(_) => None,
        })
        .collect();
    buttons.sort_unstable();
    for _ in 0..RESOLVED {
        let (reference, id) = buttons[dice.below(buttons.len())];
        let pid = program.pid_text();
        let find = ["find", reference, "--app", &pid, "--format", "json", "--timeout", "10"];
        let outcome = stage.deskhand(&find);
        let row = rows.iter().enumerate().find(|(_, row)| row.id == id);
        match (outcome.code, row) {
            (Some(0), Some((index, row))) => {
                if is_button_of(&outcome.json(), index, row) {
                    report.resolved += 1;
                } else {
                    report.wrong += 1;
                    report.fault(format!("{reference}, row {id}, now {index} {row:?}: {outcome}"));
                }
            }
            (Some(0), None) => {
                report.wrong += 1;
                report.fault(format!("{reference} of removed row {id} was found: {outcome}"));
            }
            (_, Some(_)) => {
                report.lost += 1;
                report.fault(format!("{reference} of living row {id} was not found: {outcome}"));
            }
            (_, None) => {
                outcome.expect_error("stale");
                report.stale += 1;
            }
        }
    }
}

/// Whether an answer of `find` is the button of a row: by its place on the screen, or where it is
/// scrolled out of sight and has none, by its place among the rows.
fn is_button_of(found: &Value, index: usize, row: &Row) -> bool {
    let place = match found["position"].as_array() {
        Some(at) => {
            at[0].as_i64() == row.x.map(i64::from) && at[1].as_i64() == row.y.map(i64::from)
        }
        None => {
            found["path"].as_str().is_some_and(|p| p.contains(&format!("/group[{index}]/button")))
        }
    };
    place && found["title"] == row.button.as_str()
}

/// Takes the program's truth and a look that belong together.
fn observe(stage: &Stage, program: &mut Program) -> (Vec<Row>, Tree) {
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        let before = list(program);
        let tree = stage.tree(program);
        let fits = before == list(program) && is_laid_out(&before) && shows(&before, &tree);
        if fits {
            return (before, tree);
        }
        assert!(
            Instant::now() < end,
            "the look does not show the rows {before:?}: {}",
            tree.summary()
        );
        std::thread::sleep(Duration::from_millis(30));
    }
}

fn is_laid_out(rows: &[Row]) -> bool {
    rows.iter().all(|row| row.y.is_some()) && rows.windows(2).all(|two| two[0].y < two[1].y)
}

fn row_parts<'a>(tree: &'a Tree) -> Vec<(&'a Seen, Vec<&'a Seen>)> {
    let mut below: HashMap<&str, Vec<&'a Seen>> = HashMap::new();
    for one in &tree.elements {
        if let Some(parent) = &one.parent {
            below.entry(parent).or_default().push(one);
        }
    }
    let is_row = |parts: &[&Seen]| {
        parts.len() == PARTS.len()
            && parts.iter().zip(PARTS).all(|(one, (_, kind))| one.kind == kind)
    };
    tree.elements
        .iter()
        .filter_map(|one| Some((one, below.get(one.reference.as_str())?.clone())))
        .filter(|(_, parts)| is_row(parts))
        .collect()
}

fn shows(rows: &[Row], tree: &Tree) -> bool {
    let seen = row_parts(tree);
    seen.len() == rows.len()
        && seen.iter().zip(rows).all(|((_, parts), row)| {
            let titles = [&parts[0].title, &parts[1].title, &parts[2].title];
            titles == [&row.label, &row.button, &row.check]
        })
}

/// What each ref of a look really means.
fn meanings(rows: &[Row], tree: &Tree) -> Vec<(String, Truth)> {
    let mut of_rows = HashMap::new();
    for ((one, parts), row) in row_parts(tree).into_iter().zip(rows) {
        of_rows.insert(one.reference.clone(), Truth::Row(row.id, Part::Box));
        for (part, (kind, _)) in parts.into_iter().zip(PARTS) {
            of_rows.insert(part.reference.clone(), Truth::Row(row.id, kind));
        }
    }
    let mut fixed = 0;
    let meaning = |one: &Seen| {
        let truth = of_rows.get(&one.reference).cloned().unwrap_or_else(|| {
            fixed += 1;
            Truth::Fixed(fixed)
        });
        (one.reference.clone(), truth)
    };
    tree.elements.iter().map(meaning).collect()
}

/// Random commands that can all be done one after the other, and the rows they touch.
fn batch(dice: &mut Dice, rows: &[Row], count: usize) -> (Vec<Value>, HashSet<u64>) {
    let mut ids: Vec<Option<u64>> = rows.iter().map(|row| Some(row.id)).collect();
    let mut touched = HashSet::new();
    let mut commands = Vec::new();
    for _ in 0..count {
        let len = ids.len();
        let kind = match len {
            0..8 => 0,
            8..40 => dice.below(1000),
            // Long enough: only what does not insert.
            _ => 270 + dice.below(730),
        };
        match kind {
            0..270 => insert(dice, &mut ids, &mut commands),
            270..490 => remove(dice, &mut ids, &mut touched, &mut commands),
            490..680 => {
                let at = dice.below(len);
                touched.extend(ids[at]);
                let words = ["Invoice", "Letter", "Note", ""];
                let to = words[dice.below(words.len())];
                commands.push(json!({ "do": "rename", "at": at, "to": to }));
            }
            680..860 => {
                let (from, to) = (dice.below(len), dice.below(len));
                touched.extend(ids[from]);
                let row = ids.remove(from);
                ids.insert(to, row);
                commands.push(json!({ "do": "move", "from": from, "to": to }));
            }
            860..997 => {
                let (a, b) = (dice.below(len), dice.below(len));
                touched.extend(ids[a].into_iter().chain(ids[b]));
                ids.swap(a, b);
                commands.push(json!({ "do": "swap", "a": a, "b": b }));
            }
            _ => {
                ids.clear();
                commands.push(json!({ "do": "clear" }));
            }
        }
    }
    (commands, touched)
}

fn insert(dice: &mut Dice, ids: &mut Vec<Option<u64>>, commands: &mut Vec<Value>) {
    let at = dice.below(ids.len() + 1);
    // Its id is given by the program; nothing later in this batch needs it.
    ids.insert(at, None);
    commands.push(json!({ "do": "insert", "at": at }));
}

fn remove(
    dice: &mut Dice,
    ids: &mut Vec<Option<u64>>,
    touched: &mut HashSet<u64>,
    commands: &mut Vec<Value>,
) {
    let at = dice.below(ids.len());
    touched.extend(ids.remove(at));
    commands.push(json!({ "do": "remove", "at": at }));
}

fn list(program: &mut Program) -> Vec<Row> {
    let answer = ask(program, &json!({ "do": "list" }));
    serde_json::from_value(answer["rows"].clone()).unwrap_or_else(|e| panic!("{answer}: {e}"))
}

fn ask(program: &mut Program, command: &Value) -> Value {
    program.say(&command.to_string());
    let line = program.line(Duration::from_secs(10)).expect("the program answers");
    let answer: Value = serde_json::from_str(&line).unwrap_or_else(|e| panic!("{line}: {e}"));
    assert_eq!(answer["ok"], true, "{command} → {answer}");
    answer
}

/// A small source of chance that repeats by its start (xorshift).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}
