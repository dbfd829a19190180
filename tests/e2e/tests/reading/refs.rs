//! Refs never resolve to another element during random changes of a window, and refs of unchanged
//! elements stay valid.
//!
//! `cargo xtask soak refs` runs 10,000 mutations.

use harness::{TestDesktop, ref_stability::check_refs};

#[test]
fn refs_survive_300_random_mutations_and_never_resolve_to_another_element() {
    let stage = TestDesktop::new();
    let report = check_refs(&stage, 300, 7);
    assert_eq!(report.wrong, 0, "{report:#?}");
    assert!(report.survival() >= 0.99, "{report:#?}");
    assert!(report.untouched > 1000 && report.resolved > 10, "{report:#?}");
    assert!(report.stale > 3, "too few refs of removed rows were resolved: {report:#?}");
}
