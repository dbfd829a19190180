//! Invalid argument combinations are refused, and screenshot ids are unique.

use std::collections::HashSet;

use harness::{App, Outcome, TestDesktop};

#[test]
fn conflicting_arguments_are_refused() {
    let stage = TestDesktop::new();
    for arguments in [
        &["--region", "0,0,10,10", "--display", "1"][..],
        &["--region", "0,0,10,10", "--app", "x"][..],
        &["--element", "x", "--window", "1"][..],
        &["--window-index", "1"][..],
        &["--padding", "4"][..],
        &["--region", "0,0,0,10"][..],
        &["--region", "1,2,3"][..],
        &["--region", "a,b,c,d"][..],
        &["--region", "0,0,99999999999,1"][..],
    ] {
        stage.call("screenshot", arguments).expect_error("invalid_parameter");
    }
    stage.call("screenshot", &["--region", "5000,0,10,10"]).expect_error("unfit");
    stage.call("screenshot", &["--region", "0,0,2000000000,2000000000"]).expect_error("unfit");
    stage.call("screenshot", &["--display", "7"]).expect_error("display_not_found");
    stage.call("screenshot", &["--app", "no-such-app"]).expect_error("app_not_running");
    stage.call("screenshot", &["--window", "0x999"]).expect_error("window_not_found");
    let unwritable = stage.call("screenshot", &["--output", "/nowhere/at/all.png"]);
    let error = unwritable.error();
    assert!(error["message"].as_str().unwrap().contains("/nowhere/at/all.png"), "{error}");
}

#[test]
fn ids_are_unique_across_processes() {
    let stage = TestDesktop::new();
    let _program = stage.start(App::Kcalc);
    let shot = || {
        let path = stage.info().home.join(format!("{}.png", fastrand::u64(..)));
        let mut command = stage.command(harness::outcome::binary());
        let small = ["screenshot", "--region", "0,0,50,50", "--format", "json", "--output"];
        command.args(small).arg(path);
        Outcome::of(&mut command).json()["id"].as_str().unwrap().to_owned()
    };
    let ids: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..4).map(|_| scope.spawn(|| (0..5).map(|_| shot()).collect::<Vec<_>>())).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let unique: HashSet<&String> = ids.iter().collect();
    assert_eq!(unique.len(), 20, "{ids:?}");
    assert!(ids.iter().all(|id| id.starts_with('s') && id[1..].parse::<u64>().is_ok()));
}

#[test]
fn window_is_selected_by_index() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Designer);
    let pid = program.pid_text();
    let windows = stage.windows();
    let titles: Vec<&str> = windows.iter().filter_map(|window| window["title"].as_str()).collect();
    assert!(titles.len() >= 2, "{titles:?}");
    for (index, title) in titles.iter().enumerate() {
        let number = index.to_string();
        let answer = stage
            .call("screenshot", &["--app", &pid, "--window-index", &number, "--timeout", "20"])
            .json();
        assert_eq!(answer["window"], *title);
    }
    let out_of_range = stage.call("screenshot", &["--app", &pid, "--window-index", "9"]);
    out_of_range.expect_error("window_not_found");
}
