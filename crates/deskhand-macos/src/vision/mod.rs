//! Text in pictures.

mod lines;

use std::sync::Arc;

use deskhand_platform::{Deadline, Error, Pixels, Reader, Reading, ReadingPace, Result, TextLine};

use crate::patience::within;

pub(crate) use lines::Found;

/// What reads, in words for errors.
const READER: &str = "the system's text recognition";

/// How text is to be recognised, as the system takes it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wanted {
    /// What matters more.
    pub(crate) pace: ReadingPace,
    /// Codes the system knows, the likeliest first; none where it shall guess.
    pub(crate) languages: Vec<String>,
}

/// What is needed of the system to read text.
pub(crate) trait Recognizer: Send + Sync {
    /// The codes of the languages it knows at a pace.
    fn languages(&self, pace: ReadingPace) -> Result<Vec<String>>;

    /// What it finds in a picture, in its own order and coordinates.
    fn recognize(&self, picture: &Pixels, wanted: &Wanted) -> Result<Vec<Found>>;
}

/// Reads text in pictures by the system's own recognition.
pub(crate) struct MacReader<G>(Arc<G>);

impl<G: Recognizer + 'static> MacReader<G> {
    pub(crate) fn new(system: G) -> Self {
        Self(Arc::new(system))
    }
}

impl<G: Recognizer + 'static> Reader for MacReader<G> {
    fn read(&self, picture: &Pixels, how: &Reading, by: Deadline) -> Result<Vec<TextLine>> {
        check(picture)?;
        let (system, how, rect) = (Arc::clone(&self.0), how.clone(), picture.rect);
        // It goes on alone when nobody waits any more, so it has a picture of its own.
        let picture = picture.clone();
        within(by, READER, move || {
            let languages = match how.languages.as_slice() {
                [] => Vec::new(),
                wanted => known(wanted, &system.languages(how.pace)?)?,
            };
            let wanted = Wanted { pace: how.pace, languages };
            let found = system.recognize(&picture, &wanted)?;
            Ok(lines::in_order(found, rect, how.least_confidence))
        })
    }

    fn languages(&self, by: Deadline) -> Result<Vec<String>> {
        let system = Arc::clone(&self.0);
        within(by, READER, move || system.languages(ReadingPace::Careful))
    }
}

/// Refuses a picture whose bytes are not what its size says: the system would read past their end.
fn check(picture: &Pixels) -> Result<()> {
    let bytes = u64::from(picture.width) * u64::from(picture.height) * 4;
    if bytes > 0 && picture.data.len() as u64 == bytes {
        return Ok(());
    }
    let Pixels { width, height, data, .. } = picture;
    Err(Error::Unsupported {
        what: "reading the picture".to_owned(),
        why: format!("{width}x{height} pixels do not take {} bytes", data.len()),
    })
}

/// The system's codes for languages a caller names: `de` is the first German it knows.
fn known(wanted: &[String], known: &[String]) -> Result<Vec<String>> {
    let find = |word: &String| {
        let word = word.replace('_', "-");
        let same = |code: &&String| code.eq_ignore_ascii_case(&word);
        let kind = |code: &&String| {
            code.split('-').next().is_some_and(|first| first.eq_ignore_ascii_case(&word))
        };
        known.iter().find(same).or_else(|| known.iter().find(kind)).cloned()
    };
    let mut all: Vec<String> = Vec::new();
    for code in wanted.iter().filter_map(find) {
        if !all.contains(&code) {
            all.push(code);
        }
    }
    if all.is_empty() {
        return Err(Error::Unsupported {
            what: format!("reading {}", wanted.join(", ")),
            why: format!("the system reads {}", known.join(", ")),
        });
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use std::{sync::Mutex, time::Duration};

    use deskhand_model::Rect;

    use super::*;

    #[derive(Default)]
    struct Recorded(Arc<Mutex<Vec<Wanted>>>);

    impl Recognizer for Recorded {
        fn languages(&self, pace: ReadingPace) -> Result<Vec<String>> {
            let all: &[&str] = match pace {
                ReadingPace::Careful => &["en-US", "fr-FR", "de-DE", "zh-Hans", "zh-Hant"],
                ReadingPace::Quick => &["en-US", "fr-FR", "de-DE"],
            };
            Ok(all.iter().map(|&one| one.to_owned()).collect())
        }

        fn recognize(&self, _: &Pixels, wanted: &Wanted) -> Result<Vec<Found>> {
            self.0.lock().unwrap().push(wanted.clone());
            Ok(vec![
                Found::new("below", 0.9, [0.0, 0.0, 0.5, 0.25]),
                Found::new("above", 1.0, [0.0, 0.75, 0.5, 0.25]),
                Found::new("noise", 0.2, [0.5, 0.5, 0.1, 0.1]),
            ])
        }
    }

    fn picture(bytes: usize) -> Pixels {
        let rect = Rect::new(-100, 50, 20, 10);
        Pixels { rect, width: 40, height: 20, data: vec![0; bytes], flaws: Vec::new() }
    }

    fn soon() -> Deadline {
        Deadline::after(Duration::from_secs(10))
    }

    fn how(languages: &[&str], pace: ReadingPace) -> Reading {
        let languages = languages.iter().map(|&one| one.to_owned()).collect();
        Reading { languages, least_confidence: 0.3, pace }
    }

    #[test]
    fn a_picture_is_read_in_the_desktops_own_coordinates() {
        let reader = MacReader::new(Recorded::default());
        let lines = reader.read(&picture(3200), &how(&[], ReadingPace::Careful), soon()).unwrap();
        let told: Vec<_> = lines.iter().map(|line| (line.text.as_str(), line.rect)).collect();
        // Twice as many pixels as units of length, as on a Retina display.
        assert_eq!(
            told,
            [("above", Rect::new(-100, 50, 10, 3)), ("below", Rect::new(-100, 57, 10, 3))]
        );
        assert_eq!(lines[1].confidence, 0.9);
    }

    #[test]
    fn a_picture_that_is_none_never_reaches_the_system() {
        let system = Recorded::default();
        let asked = Arc::clone(&system.0);
        let reader = MacReader::new(system);
        for bytes in [0, 3199, 3201] {
            let refused = reader.read(&picture(bytes), &how(&[], ReadingPace::Careful), soon());
            assert!(matches!(refused, Err(Error::Unsupported { .. })), "{refused:?}");
        }
        let nothing = Pixels { width: 0, data: Vec::new(), ..picture(0) };
        assert!(reader.read(&nothing, &how(&[], ReadingPace::Careful), soon()).is_err());
        assert!(asked.lock().unwrap().is_empty());
    }

    #[test]
    fn languages_are_those_the_system_knows_at_that_pace() {
        let system = Recorded::default();
        let asked = Arc::clone(&system.0);
        let reader = MacReader::new(system);
        assert_eq!(reader.languages(soon()).unwrap().len(), 5);
        let read = |words: &[&str], pace| reader.read(&picture(3200), &how(words, pace), soon());
        read(&["de", "EN_us", "de-DE", "tlh"], ReadingPace::Quick).unwrap();
        let wanted = asked.lock().unwrap().pop().unwrap();
        assert_eq!(wanted.languages, ["de-DE", "en-US"]);
        assert_eq!(wanted.pace, ReadingPace::Quick);
        read(&["zh"], ReadingPace::Careful).unwrap();
        assert_eq!(asked.lock().unwrap().pop().unwrap().languages, ["zh-Hans"]);
        let refused = read(&["zh"], ReadingPace::Quick).unwrap_err();
        assert!(refused.to_string().contains("en-US, fr-FR, de-DE"), "{refused}");
    }
}
