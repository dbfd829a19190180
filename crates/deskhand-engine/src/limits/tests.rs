//! Tests of the rate limits with a fake clock.

use std::convert::Infallible;

use deskhand_model::Explain;
use governor::clock::FakeRelativeClock;

use super::*;

const OFF: RateLimits = RateLimits {
    per_second: 0,
    per_minute: 0,
    max_concurrent: 0,
    vision_per_minute: 0,
    scripts_per_minute: 0,
    writes_per_second: 0,
};

fn limits(limits: RateLimits) -> (CallLimiter<FakeRelativeClock>, FakeRelativeClock) {
    let clock = FakeRelativeClock::default();
    (CallLimiter::with_clock(&limits, clock.clone()), clock)
}

fn caller(name: &str) -> SessionKey {
    SessionKey::Id(name.into())
}

/// Calls `one` until it is refused. Returns the number of successes and the refusal.
fn until_refused(mut one: impl FnMut() -> Result<(), LimitExceeded>) -> (u32, LimitExceeded) {
    let mut passed = 0;
    loop {
        match one() {
            Ok(()) => passed += 1,
            Err(refusal) => return (passed, refusal),
        }
        assert!(passed < 100_000, "never refused");
    }
}

#[test]
fn the_defaults_equal_those_of_axterminator_and_accessibility_mcp() {
    let RateLimits { per_second, per_minute, max_concurrent, .. } = RateLimits::default();
    assert_eq!((per_second, per_minute, max_concurrent), (50, 1000, 10));
    let RateLimits { vision_per_minute, scripts_per_minute, writes_per_second, .. } =
        RateLimits::default();
    assert_eq!((vision_per_minute, scripts_per_minute, writes_per_second), (10, 5, 10));
}

#[test]
fn calls_above_the_limit_per_second_are_refused() {
    let (limits, clock) = limits(RateLimits { per_second: 50, ..OFF });
    let own = caller("a");
    let call = || limits.admit(&own).map(drop);
    let (passed, refusal) = until_refused(call);
    assert_eq!((passed, refusal.limit), (50, Limit::PerSecond(50)));
    assert_eq!(refusal.retry_after_ms(), 20);
    assert_eq!(refusal.code(), "rate_limited");
    assert_eq!(refusal.to_string(), "Rate limit exceeded: 50 calls per second are allowed");
    assert_eq!(refusal.advice(), Some("try again in 20 ms".into()));
    clock.advance(Duration::from_millis(19));
    assert!(call().is_err());
    clock.advance(Duration::from_millis(1));
    assert!(call().is_ok());
    assert!(call().is_err());
}

#[test]
fn calls_above_the_limit_per_minute_are_refused() {
    let (limits, clock) = limits(RateLimits { per_minute: 1000, ..OFF });
    let own = caller("a");
    let call = || limits.admit(&own).map(drop);
    let (passed, refusal) = until_refused(call);
    assert_eq!((passed, refusal.limit), (1000, Limit::PerMinute(1000)));
    assert_eq!(refusal.retry_after_ms(), 60);
    clock.advance(refusal.retry_after);
    assert!(call().is_ok());
    assert!(call().is_err());
}

#[test]
fn callers_have_separate_limits() {
    let (limits, _) = limits(RateLimits { per_second: 3, ..OFF });
    let (one, other) = (caller("a"), caller("b"));
    assert_eq!(until_refused(|| limits.admit(&one).map(drop)).0, 3);
    assert_eq!(until_refused(|| limits.admit(&other).map(drop)).0, 3);
}

#[test]
fn concurrent_calls_above_the_limit_are_refused() {
    let (limits, _) = limits(RateLimits { max_concurrent: 2, ..OFF });
    let own = caller("a");
    let first = limits.admit(&own).unwrap();
    let second = limits.admit(&own).unwrap();
    let refusal = limits.admit(&own).unwrap_err();
    assert_eq!(refusal.limit, Limit::Concurrency(2));
    assert!(refusal.retry_after_ms() > 0);
    assert!(limits.admit(&caller("b")).is_ok());
    drop(first);
    let third = limits.admit(&own).unwrap();
    assert!(limits.admit(&own).is_err());
    drop((second, third));
    assert_eq!(limits.concurrency.callers(), 0);
}

#[test]
fn a_refused_call_does_not_count_as_running() {
    let (limits, _) = limits(RateLimits { per_second: 1, max_concurrent: 1, ..OFF });
    let own = caller("a");
    drop(limits.admit(&own).unwrap());
    assert_eq!(limits.admit(&own).unwrap_err().limit, Limit::PerSecond(1));
    assert_eq!(limits.concurrency.callers(), 0);
}

#[test]
fn vision_calls_above_the_limit_are_refused() {
    let (limits, clock) = limits(RateLimits { vision_per_minute: 10, ..OFF });
    let (passed, refusal) = until_refused(|| limits.check_vision());
    assert_eq!((passed, refusal.limit), (10, Limit::Vision(10)));
    assert_eq!(refusal.retry_after, Duration::from_secs(6));
    clock.advance(refusal.retry_after);
    assert!(limits.check_vision().is_ok());
    assert!(limits.check_vision().is_err());
}

#[test]
fn scripts_above_the_limit_are_refused() {
    let (limits, clock) = limits(RateLimits { scripts_per_minute: 5, ..OFF });
    let (passed, refusal) = until_refused(|| limits.check_script());
    assert_eq!((passed, refusal.limit), (5, Limit::Scripts(5)));
    assert_eq!(refusal.retry_after, Duration::from_secs(12));
    clock.advance(refusal.retry_after);
    assert!(limits.check_script().is_ok());
    assert!(limits.check_script().is_err());
}

#[test]
fn writes_above_the_limit_are_delayed() {
    let (limits, clock) = limits(RateLimits { writes_per_second: 10, ..OFF });
    let write = || {
        limits.wait_for_write(|time| {
            clock.advance(time);
            Ok::<(), Infallible>(())
        })
    };
    for _ in 0..10 {
        assert_eq!(write(), Ok(Duration::ZERO));
    }
    for _ in 0..5 {
        assert_eq!(write(), Ok(Duration::from_millis(100)));
    }
}

#[test]
fn a_cancelled_write_is_not_counted() {
    let (limits, clock) = limits(RateLimits { writes_per_second: 1, ..OFF });
    assert_eq!(limits.wait_for_write(|_| Err("gone")), Ok(Duration::ZERO));
    assert_eq!(limits.wait_for_write(|_| Err("gone")), Err("gone"));
    clock.advance(Duration::from_secs(1));
    assert_eq!(limits.wait_for_write(|_| Err("gone")), Ok(Duration::ZERO));
}

#[test]
fn a_limit_of_zero_refuses_nothing() {
    let (limits, _) = limits(OFF);
    let own = caller("a");
    let permits: Vec<_> = (0..5000).map(|_| limits.admit(&own).unwrap()).collect();
    assert_eq!(permits.len(), 5000);
    for _ in 0..5000 {
        limits.check_vision().unwrap();
        limits.check_script().unwrap();
        assert_eq!(limits.wait_for_write(|_| Err("waits")), Ok(Duration::ZERO));
    }
}

#[test]
fn inactive_callers_are_removed() {
    let (limits, clock) = limits(RateLimits { per_second: 50, per_minute: 60, ..OFF });
    for number in 0..20_000 {
        drop(limits.admit(&caller(&number.to_string())).unwrap());
        clock.advance(Duration::from_millis(10));
    }
    let tracked = limits.per_minute.as_ref().unwrap().len();
    assert!(tracked <= MAX_TRACKED_CALLERS + 1, "{tracked}");
    assert!(limits.per_second.as_ref().unwrap().len() <= MAX_TRACKED_CALLERS + 1);
}

#[test]
fn a_caller_at_its_limit_is_not_removed() {
    let (limits, clock) = limits(RateLimits { per_minute: 60, ..OFF });
    let own = caller("own");
    assert_eq!(until_refused(|| limits.admit(&own).map(drop)).0, 60);
    for number in 0..2 * MAX_TRACKED_CALLERS {
        drop(limits.admit(&caller(&number.to_string())).unwrap());
    }
    clock.advance(Duration::from_millis(500));
    assert!(limits.admit(&own).is_err());
}
