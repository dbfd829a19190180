//! Checks that refs stay valid while a window changes at random. The window's own program reports
//! the truth about every row, and every ref ever returned is compared with it.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{App, Element, Program, TestDesktop, Tree};

/// The number of mutations between two reads of the tree.
const MUTATIONS_PER_READ: usize = 10;
/// The number of refs that `find` resolves after each batch.
const FINDS_PER_BATCH: usize = 3;

/// The result of a run.
#[derive(Debug, Clone, Default)]
pub struct RefReport {
    /// Mutations performed.
    pub mutations: usize,
    /// Reads of the tree.
    pub reads: usize,
    /// The number of times a ref pointed to another element than the one it was created for. Must
    /// be 0.
    pub wrong: usize,
    /// The number of times an unchanged element lost its ref.
    pub lost: usize,
    /// Elements unchanged between two reads, summed over all reads.
    pub untouched: usize,
    /// The number of those elements that kept their ref.
    pub survived: usize,
    /// The number of times `find` resolved a ref to its own element.
    pub resolved: usize,
    /// The number of times `find` reported that a ref's element is gone.
    pub stale: usize,
    /// Descriptions of the first 20 failures.
    pub faults: Vec<String>,
}

impl RefReport {
    /// Returns the share of unchanged elements that kept their ref, from 0 to 1.
    pub fn survival(&self) -> f64 {
        if self.untouched == 0 { 1.0 } else { self.survived as f64 / self.untouched as f64 }
    }

    fn fault(&mut self, text: String) {
        if self.faults.len() < 20 {
            self.faults.push(text);
        }
    }
}

/// The true identity of an element: a part of the row with this id, or the n-th element that never
/// changes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Identity {
    Row(u64, RowPart),
    Fixed(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum RowPart {
    Container,
    Label,
    Button,
    Check,
}

const PARTS: [(RowPart, &str); 3] =
    [(RowPart::Label, "label"), (RowPart::Button, "button"), (RowPart::Check, "checkbox")];

/// One row as the fixture program reports it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
struct Row {
    id: u64,
    label: String,
    button: String,
    check: String,
    x: Option<i32>,
    y: Option<i32>,
}

/// Performs random mutations of the rows and reports the effect on refs.
pub fn check_refs(desktop: &TestDesktop, mutations: usize, seed: u64) -> RefReport {
    let app = App::Fixture("gtk3_mutations.py", &["--rows", "24"]);
    let mut program = desktop.start(app);
    let mut rng = Xorshift(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut report = RefReport::default();
    let mut given_refs: HashMap<String, Identity> = HashMap::new();
    let mut last: HashMap<Identity, String> = HashMap::new();
    let (mut rows, tree) = read_consistent(desktop, &mut program);
    compare(&mut report, &mut given_refs, &mut last, &identify(&rows, &tree), &HashSet::new());
    while report.mutations < mutations {
        let count = MUTATIONS_PER_READ.min(mutations - report.mutations);
        let (commands, touched) = batch(&mut rng, &rows, count);
        send_command(&mut program, &json!({ "do": "batch", "commands": commands }));
        report.mutations += count;
        let (now, tree) = read_consistent(desktop, &mut program);
        rows = now;
        let identities = identify(&rows, &tree);
        compare(&mut report, &mut given_refs, &mut last, &identities, &touched);
        resolve(desktop, &program, &mut report, &given_refs, &rows, &mut rng);
    }
    report
}

/// Compares every ref of a read with the element it was created for.
fn compare(
    report: &mut RefReport,
    given_refs: &mut HashMap<String, Identity>,
    last: &mut HashMap<Identity, String>,
    identities: &[(String, Identity)],
    touched: &HashSet<u64>,
) {
    report.reads += 1;
    let mut now = HashMap::new();
    for (reference, identity) in identities {
        if now.insert(identity.clone(), reference.clone()).is_some() {
            report.wrong += 1;
            report.fault(format!("two elements have the identity {identity:?}"));
        }
        match given_refs.get(reference) {
            Some(given) if given != identity => {
                report.wrong += 1;
                report.fault(format!(
                    "{reference} was created for {given:?} and now points to \
                                      {identity:?}"
                ));
            }
            Some(_) => {}
            None => {
                given_refs.insert(reference.clone(), identity.clone());
            }
        }
    }
    for (identity, reference) in last.iter() {
        let is_untouched = match identity {
            Identity::Fixed(_) => true,
            Identity::Row(id, _) => !touched.contains(id),
        };
        let Some(found) = now.get(identity).filter(|_| is_untouched) else { continue };
        report.untouched += 1;
        if found == reference {
            report.survived += 1;
        } else {
            report.lost += 1;
            report.fault(format!(
                "{identity:?} is unchanged but its ref went from {reference} to \
                                  {found}"
            ));
        }
    }
    *last = now;
}

/// Resolves some button refs with `find`, including refs of removed rows.
fn resolve(
    desktop: &TestDesktop,
    program: &Program,
    report: &mut RefReport,
    given_refs: &HashMap<String, Identity>,
    rows: &[Row],
    rng: &mut Xorshift,
) {
    let mut buttons: Vec<(&String, u64)> = given_refs
        .iter()
        .filter_map(|(reference, identity)| match identity {
            Identity::Row(id, RowPart::Button) => Some((reference, *id)),
            Identity::Row(_, RowPart::Container | RowPart::Label | RowPart::Check)
            | Identity::Fixed(_) => None,
        })
        .collect();
    buttons.sort_unstable();
    for _ in 0..FINDS_PER_BATCH {
        let (reference, id) = buttons[rng.below(buttons.len())];
        let pid = program.pid_text();
        let find = ["find", reference, "--app", &pid, "--format", "json", "--timeout", "10"];
        let outcome = desktop.deskhand(&find);
        let row = rows.iter().enumerate().find(|(_, row)| row.id == id);
        match (outcome.code, row) {
            (Some(0), Some((index, row))) => {
                if is_button_of(&outcome.json(), index, row) {
                    report.resolved += 1;
                } else {
                    report.wrong += 1;
                    report.fault(format!(
                        "{reference} of row {id}, now at {index} {row:?}: \
                                          {outcome}"
                    ));
                }
            }
            (Some(0), None) => {
                report.wrong += 1;
                report.fault(format!("{reference} of removed row {id} was found: {outcome}"));
            }
            (_, Some(_)) => {
                report.lost += 1;
                report.fault(format!("{reference} of existing row {id} was not found: {outcome}"));
            }
            (_, None) => {
                outcome.expect_error("stale");
                report.stale += 1;
            }
        }
    }
}

/// Returns `true` if `find` returned the button of a row. Compares the screen position, or the
/// index in the path if the button is scrolled out of view and has no position.
fn is_button_of(found: &Value, index: usize, row: &Row) -> bool {
    let is_at_position = match found["position"].as_array() {
        Some(at) => {
            at[0].as_i64() == row.x.map(i64::from) && at[1].as_i64() == row.y.map(i64::from)
        }
        None => {
            found["path"].as_str().is_some_and(|p| p.contains(&format!("/group[{index}]/button")))
        }
    };
    is_at_position && found["title"] == row.button.as_str()
}

/// Returns the program's rows and a tree that shows exactly those rows.
fn read_consistent(desktop: &TestDesktop, program: &mut Program) -> (Vec<Row>, Tree) {
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        let before = list_rows(program);
        let tree = desktop.tree(program);
        let fits =
            before == list_rows(program) && is_laid_out(&before) && tree_shows(&before, &tree);
        if fits {
            return (before, tree);
        }
        assert!(
            Instant::now() < end,
            "the tree does not show the rows {before:?}: {}",
            tree.summary()
        );
        std::thread::sleep(Duration::from_millis(30));
    }
}

fn is_laid_out(rows: &[Row]) -> bool {
    rows.iter().all(|row| row.y.is_some()) && rows.windows(2).all(|two| two[0].y < two[1].y)
}

fn row_parts<'a>(tree: &'a Tree) -> Vec<(&'a Element, Vec<&'a Element>)> {
    let mut below: HashMap<&str, Vec<&'a Element>> = HashMap::new();
    for one in &tree.elements {
        if let Some(parent) = &one.parent {
            below.entry(parent).or_default().push(one);
        }
    }
    let is_row = |parts: &[&Element]| {
        parts.len() == PARTS.len()
            && parts.iter().zip(PARTS).all(|(one, (_, kind))| one.kind == kind)
    };
    tree.elements
        .iter()
        .filter_map(|one| Some((one, below.get(one.reference.as_str())?.clone())))
        .filter(|(_, parts)| is_row(parts))
        .collect()
}

fn tree_shows(rows: &[Row], tree: &Tree) -> bool {
    let found = row_parts(tree);
    found.len() == rows.len()
        && found.iter().zip(rows).all(|((_, parts), row)| {
            let titles = [&parts[0].title, &parts[1].title, &parts[2].title];
            titles == [&row.label, &row.button, &row.check]
        })
}

/// Returns the true identity of each ref in a tree.
fn identify(rows: &[Row], tree: &Tree) -> Vec<(String, Identity)> {
    let mut row_identities = HashMap::new();
    for ((one, parts), row) in row_parts(tree).into_iter().zip(rows) {
        row_identities.insert(one.reference.clone(), Identity::Row(row.id, RowPart::Container));
        for (part, (kind, _)) in parts.into_iter().zip(PARTS) {
            row_identities.insert(part.reference.clone(), Identity::Row(row.id, kind));
        }
    }
    let mut fixed = 0;
    let identify_element = |one: &Element| {
        let identity = row_identities.get(&one.reference).cloned().unwrap_or_else(|| {
            fixed += 1;
            Identity::Fixed(fixed)
        });
        (one.reference.clone(), identity)
    };
    tree.elements.iter().map(identify_element).collect()
}

/// Returns random commands that are valid in sequence, and the ids of the rows they touch.
fn batch(rng: &mut Xorshift, rows: &[Row], count: usize) -> (Vec<Value>, HashSet<u64>) {
    let mut ids: Vec<Option<u64>> = rows.iter().map(|row| Some(row.id)).collect();
    let mut touched = HashSet::new();
    let mut commands = Vec::new();
    for _ in 0..count {
        let len = ids.len();
        let kind = match len {
            0..8 => 0,
            8..40 => rng.below(1000),
            // The list is long enough: choose a command that does not insert.
            _ => 270 + rng.below(730),
        };
        match kind {
            0..270 => insert(rng, &mut ids, &mut commands),
            270..490 => remove(rng, &mut ids, &mut touched, &mut commands),
            490..680 => {
                let at = rng.below(len);
                touched.extend(ids[at]);
                let words = ["Invoice", "Letter", "Note", ""];
                let to = words[rng.below(words.len())];
                commands.push(json!({ "do": "rename", "at": at, "to": to }));
            }
            680..860 => {
                let (from, to) = (rng.below(len), rng.below(len));
                touched.extend(ids[from]);
                let row = ids.remove(from);
                ids.insert(to, row);
                commands.push(json!({ "do": "move", "from": from, "to": to }));
            }
            860..997 => {
                let (a, b) = (rng.below(len), rng.below(len));
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

fn insert(rng: &mut Xorshift, ids: &mut Vec<Option<u64>>, commands: &mut Vec<Value>) {
    let at = rng.below(ids.len() + 1);
    // The program assigns the id. Nothing later in this batch needs it.
    ids.insert(at, None);
    commands.push(json!({ "do": "insert", "at": at }));
}

fn remove(
    rng: &mut Xorshift,
    ids: &mut Vec<Option<u64>>,
    touched: &mut HashSet<u64>,
    commands: &mut Vec<Value>,
) {
    let at = rng.below(ids.len());
    touched.extend(ids.remove(at));
    commands.push(json!({ "do": "remove", "at": at }));
}

fn list_rows(program: &mut Program) -> Vec<Row> {
    let answer = send_command(program, &json!({ "do": "list" }));
    serde_json::from_value(answer["rows"].clone()).unwrap_or_else(|e| panic!("{answer}: {e}"))
}

fn send_command(program: &mut Program, command: &Value) -> Value {
    program.write_line(&command.to_string());
    let line = program.next_line(Duration::from_secs(10)).expect("the program answers");
    let answer: Value = serde_json::from_str(&line).unwrap_or_else(|e| panic!("{line}: {e}"));
    assert_eq!(answer["ok"], true, "{command} → {answer}");
    answer
}

/// A seeded random number generator (xorshift).
struct Xorshift(u64);

impl Xorshift {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}
