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

fn limits(rates: RateLimits) -> (CallLimiter<FakeRelativeClock>, FakeRelativeClock) {
    let clock = FakeRelativeClock::default();
    (CallLimiter::by(&rates, clock.clone()), clock)
}

fn caller(name: &str) -> SessionKey {
    SessionKey::Id(name.into())
}

/// How many of these go through before the first refusal, and the refusal.
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
fn what_is_usual_is_what_axterminator_and_accessibility_mcp_have() {
    let RateLimits { per_second, per_minute, max_concurrent, .. } = RateLimits::default();
    assert_eq!((per_second, per_minute, max_concurrent), (50, 1000, 10));
    let RateLimits { vision_per_minute, scripts_per_minute, writes_per_second, .. } =
        RateLimits::default();
    assert_eq!((vision_per_minute, scripts_per_minute, writes_per_second), (10, 5, 10));
}

#[test]
fn calls_in_a_second_are_refused_above_the_limit_until_time_has_passed() {
    let (limits, clock) = limits(RateLimits { per_second: 50, ..OFF });
    let own = caller("a");
    let call = || limits.admit(&own).map(drop);
    let (passed, refusal) = until_refused(call);
    assert_eq!((passed, refusal.limit), (50, Limit::PerSecond(50)));
    assert_eq!(refusal.retry_after_ms(), 20);
    assert_eq!(refusal.code(), "rate_limited");
    assert_eq!(refusal.to_string(), "Rate limit exceeded: 50 calls a second are allowed");
    assert_eq!(refusal.hint().as_deref(), Some("call again in 20 ms"));
    clock.advance(Duration::from_millis(19));
    assert!(call().is_err());
    clock.advance(Duration::from_millis(1));
    assert!(call().is_ok());
    assert!(call().is_err());
}

#[test]
fn calls_in_a_minute_are_refused_above_the_limit_until_time_has_passed() {
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
fn one_caller_does_not_use_up_what_another_may_do() {
    let (limits, _) = limits(RateLimits { per_second: 3, ..OFF });
    let (one, other) = (caller("a"), caller("b"));
    assert_eq!(until_refused(|| limits.admit(&one).map(drop)).0, 3);
    assert_eq!(until_refused(|| limits.admit(&other).map(drop)).0, 3);
}

#[test]
fn calls_at_once_are_refused_until_one_has_ended() {
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
    assert_eq!(limits.turns.callers(), 0);
}

#[test]
fn a_refused_call_takes_no_turn() {
    let (limits, _) = limits(RateLimits { per_second: 1, max_concurrent: 1, ..OFF });
    let own = caller("a");
    drop(limits.admit(&own).unwrap());
    assert_eq!(limits.admit(&own).unwrap_err().limit, Limit::PerSecond(1));
    assert_eq!(limits.turns.callers(), 0);
}

#[test]
fn vision_calls_are_refused_above_the_limit_until_time_has_passed() {
    let (limits, clock) = limits(RateLimits { vision_per_minute: 10, ..OFF });
    let (passed, refusal) = until_refused(|| limits.vision());
    assert_eq!((passed, refusal.limit), (10, Limit::Vision(10)));
    assert_eq!(refusal.retry_after, Duration::from_secs(6));
    clock.advance(refusal.retry_after);
    assert!(limits.vision().is_ok());
    assert!(limits.vision().is_err());
}

#[test]
fn scripts_are_refused_above_the_limit_until_time_has_passed() {
    let (limits, clock) = limits(RateLimits { scripts_per_minute: 5, ..OFF });
    let (passed, refusal) = until_refused(|| limits.script());
    assert_eq!((passed, refusal.limit), (5, Limit::Scripts(5)));
    assert_eq!(refusal.retry_after, Duration::from_secs(12));
    clock.advance(refusal.retry_after);
    assert!(limits.script().is_ok());
    assert!(limits.script().is_err());
}

#[test]
fn writes_above_the_limit_wait_and_are_not_refused() {
    let (limits, clock) = limits(RateLimits { writes_per_second: 10, ..OFF });
    let write = || {
        limits.write(|time| {
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
fn a_write_that_is_given_up_while_it_waits_is_not_counted() {
    let (limits, clock) = limits(RateLimits { writes_per_second: 1, ..OFF });
    assert_eq!(limits.write(|_| Err("gone")), Ok(Duration::ZERO));
    assert_eq!(limits.write(|_| Err("gone")), Err("gone"));
    clock.advance(Duration::from_secs(1));
    assert_eq!(limits.write(|_| Err("gone")), Ok(Duration::ZERO));
}

#[test]
fn nothing_is_refused_where_a_limit_is_off() {
    let (limits, _) = limits(OFF);
    let own = caller("a");
    let turns: Vec<_> = (0..5000).map(|_| limits.admit(&own).unwrap()).collect();
    assert_eq!(turns.len(), 5000);
    for _ in 0..5000 {
        limits.vision().unwrap();
        limits.script().unwrap();
        assert_eq!(limits.write(|_| Err("waits")), Ok(Duration::ZERO));
    }
}

#[test]
fn callers_that_came_and_went_are_forgotten() {
    let (limits, clock) = limits(RateLimits { per_second: 50, per_minute: 60, ..OFF });
    for number in 0..20_000 {
        drop(limits.admit(&caller(&number.to_string())).unwrap());
        clock.advance(Duration::from_millis(10));
    }
    let kept = limits.minute.as_ref().unwrap().len();
    assert!(kept <= MANY + 1, "{kept}");
    assert!(limits.second.as_ref().unwrap().len() <= MANY + 1);
}

#[test]
fn a_caller_with_a_spent_limit_is_not_forgotten_with_the_others() {
    let (limits, clock) = limits(RateLimits { per_minute: 60, ..OFF });
    let own = caller("own");
    assert_eq!(until_refused(|| limits.admit(&own).map(drop)).0, 60);
    for number in 0..2 * MANY {
        drop(limits.admit(&caller(&number.to_string())).unwrap());
    }
    clock.advance(Duration::from_millis(500));
    assert!(limits.admit(&own).is_err());
}
