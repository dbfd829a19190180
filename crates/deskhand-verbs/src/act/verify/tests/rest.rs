//! Tests of the end of a watch if the app comes to rest.

use std::sync::atomic::{AtomicUsize, Ordering};

use deskhand_platform::ProgramActivity;

use super::*;

/// The time after which the label changes.
const DELAY: Duration = Duration::from_millis(600);

/// Creates an app with this activity and a button that changes a label after `DELAY`.
fn app_with_late_effect(
    reply: ActionReply,
    activity: impl Fn(Option<Duration>) -> Option<ProgramActivity> + Send + 'static,
) -> FakeCallEnv {
    let nodes = vec![element("ok", Role::Button), element("label", Role::Label)];
    let env = FakeCallEnv::new(nodes).with_activity(activity);
    env.fake.on_act(move |app, _, _| {
        app.after(DELAY, |app| app.node("label").name = "Saved".to_owned());
        Ok(reply)
    });
    env
}

/// Clicks the button and returns the effect.
fn click_ok(env: &FakeCallEnv) -> ActionEffect {
    run(env, "ok", &Expectation::AnyChange, &[action("click")]).unwrap().effect
}

/// Clicks the button of an app that replies at once and returns the effect.
fn effect_with(
    activity: impl Fn(Option<Duration>) -> Option<ProgramActivity> + Send + 'static,
) -> ActionEffect {
    click_ok(&app_with_late_effect(ActionReply::Accepted, activity))
}

const AT_REST: ProgramActivity = ProgramActivity::Waiting { main_timer: None, other_timer: None };

#[test]
fn an_app_at_rest_is_not_watched_any_longer() {
    assert_eq!(effect_with(|_| Some(AT_REST)), ActionEffect::Unverified);
    let far = Some(timing::EFFECT_TIMEOUT);
    let timers = ProgramActivity::Waiting { main_timer: far, other_timer: far };
    assert_eq!(effect_with(move |_| Some(timers)), ActionEffect::Unverified, "far timers");
}

#[test]
fn an_app_that_waits_for_a_timer_is_watched_until_it_ends() {
    let main = |next| Some(ProgramActivity::Waiting { main_timer: next, other_timer: None });
    assert_eq!(effect_with(main), ActionEffect::Confirmed, "a timer of the main loop");
    let other = |next: Option<Duration>| {
        // The wait of another thread may have begun before the action.
        let other_timer = next.map(|_| timing::EFFECT_TIMEOUT - Duration::from_millis(1));
        Some(ProgramActivity::Waiting { main_timer: None, other_timer })
    };
    assert_eq!(effect_with(other), ActionEffect::Confirmed, "a timer of another thread");
}

#[test]
fn a_busy_app_and_one_of_unknown_activity_are_watched_to_the_end() {
    for activity in [Some(ProgramActivity::Busy), None] {
        assert_eq!(effect_with(move |_| activity), ActionEffect::Confirmed, "{activity:?}");
    }
}

#[test]
fn an_app_that_has_not_replied_is_watched_to_the_end() {
    let env = app_with_late_effect(ActionReply::Unanswered, |_| Some(AT_REST));
    assert_eq!(click_ok(&env), ActionEffect::Confirmed);
}

#[test]
fn a_moment_of_rest_does_not_end_the_watch() {
    let calls = AtomicUsize::new(0);
    let alternating = move |_| {
        let is_at_rest = calls.fetch_add(1, Ordering::Relaxed).is_multiple_of(2);
        Some(if is_at_rest { AT_REST } else { ProgramActivity::Busy })
    };
    assert_eq!(effect_with(alternating), ActionEffect::Confirmed);
}

#[test]
fn an_app_that_reports_events_is_not_at_rest() {
    let env = app_with_late_effect(ActionReply::Accepted, |_| Some(AT_REST));
    env.fake.on_call(|app, _, _| app.emit(EventKind::FocusChanged, "ok"));
    assert_eq!(click_ok(&env), ActionEffect::Confirmed);
}

#[test]
fn an_app_that_does_not_answer_is_not_at_rest() {
    let env = app_with_late_effect(ActionReply::Accepted, |_| Some(AT_REST));
    env.fake.on_act(|app, _, _| {
        // The handler of the app waits for another program.
        app.after(Duration::from_millis(10), |app| app.set_responding(false));
        app.after(DELAY, |app| {
            app.set_responding(true);
            app.node("label").name = "Saved".to_owned();
        });
        Ok(ActionReply::Accepted)
    });
    assert_eq!(click_ok(&env), ActionEffect::Confirmed);
}
