//! What some systems have beside a desktop: leave that people give, words for scripts, a reader of pictures.

use std::path::Path;

use super::{AppUse, Check, Fault, Outcome, Part, Scene, ensure, soon};
use crate::{Capture, Error, Reading, ReadingPace};

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "what_must_be_allowed_is_told_and_allowed",
        covers: &["Permissions::all", "Permissions::open_settings"],
        needs: &[Part::Permissions],
        app: AppUse::Shared,
        run: allowed,
    },
    Check {
        name: "an_app_tells_what_scripts_can_tell_it",
        covers: &["Dictionaries::of"],
        needs: &[Part::Dictionaries],
        app: AppUse::Shared,
        run: scripted,
    },
    Check {
        name: "text_in_a_picture_is_read_where_it_stands",
        covers: &["Reader::read", "Reader::languages"],
        needs: &[Part::Reader, Part::Screen, Part::Windows],
        app: AppUse::Shared,
        run: read,
    },
];

fn allowed(scene: &Scene<'_>) -> Outcome {
    let permissions = scene.permissions()?;
    let all = permissions.all(soon())?;
    ensure!(!all.is_empty(), "nothing must be allowed, which is for a desktop without this part");
    for one in &all {
        let told = [&one.name, &one.needed_for, &one.who].iter().all(|text| !text.is_empty());
        ensure!(told, "{one:?} does not say what it is");
        ensure!(one.granted, "{one:?} is not allowed, and nothing here can be judged without");
    }
    // Nothing opens: there is no such place.
    let opened = permissions.open_settings("no such permission", soon());
    ensure!(matches!(opened, Err(Error::Unsupported { .. })), "it came to {opened:?}");
    Ok(())
}

fn scripted(scene: &Scene<'_>) -> Outcome {
    let app = scene.subject.scripted.as_ref().ok_or(Fault::NotInSubject("words for scripts"))?;
    let dictionaries = scene.dictionaries()?;
    let Some(dictionary) = dictionaries.of(app, soon())? else {
        return Err(Fault::Failed(format!("{} can be told nothing", app.display())));
    };
    let commands = dictionary.suites.iter().map(|suite| suite.commands.len()).sum::<usize>();
    let classes = dictionary.suites.iter().map(|suite| suite.classes.len()).sum::<usize>();
    ensure!(commands > 0 && classes > 0, "it has {commands} commands and {classes} classes");
    let nobody = dictionaries.of(Path::new("/no/such/app"), soon());
    ensure!(matches!(nobody, Err(Error::Gone { .. })), "what is not there came to {nobody:?}");
    Ok(())
}

fn read(scene: &Scene<'_>) -> Outcome {
    let wanted =
        scene.subject.legible.as_ref().ok_or(Fault::NotInSubject("text in its picture"))?;
    let reader = scene.reader()?;
    ensure!(!reader.languages(soon())?.is_empty(), "no language can be read");
    let window = scene.to_front()?;
    let picture = scene.screen()?.capture(Capture::Window(window.id), soon())?;
    let how = Reading { languages: Vec::new(), least_confidence: 0.0, pace: ReadingPace::Careful };
    let lines = reader.read(&picture, &how, soon())?;
    let Some(line) = lines.iter().find(|line| line.text.contains(wanted.as_str())) else {
        let all: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        return Err(Fault::Failed(format!("{wanted:?} is not among {all:?}")));
    };
    let inside = window.frame.meet(line.rect) == line.rect && !line.rect.is_empty();
    ensure!(inside, "{line:?} stands outside the window {:?}", window.frame);
    ensure!((0.0..=1.0).contains(&line.confidence), "{line:?} is surer than sure");
    Ok(())
}
