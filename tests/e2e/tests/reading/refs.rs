//! Refs: over random changes of a live window none ever means another element, and those of
//! elements nobody touched stay. `soak refs` runs the same for 10,000 mutations.

use harness::{Stage, refs_storm::storm};

#[test]
fn refs_survive_300_random_mutations_and_never_mean_another_element() {
    let stage = Stage::new();
    let report = storm(&stage, 300, 7);
    assert_eq!(report.wrong, 0, "{report:#?}");
    assert!(report.survival() >= 0.99, "{report:#?}");
    assert!(report.untouched > 1000 && report.resolved > 10, "{report:#?}");
    assert!(report.stale > 3, "refs of removed rows were asked for: {report:#?}");
}
