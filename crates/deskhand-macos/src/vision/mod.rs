//! Text recognition in pictures.

mod lines;

use std::sync::Arc;

use deskhand_platform::{
    Deadline, Error, Pixels, RecognitionLevel, RecognitionOptions, RecognizedLine, Result,
    TextRecognizer,
};

use crate::blocking::run_with_deadline;

pub(crate) use lines::TextObservation;

/// The callee in errors.
const RECOGNITION: &str = "the system's text recognition";

/// A request to Vision.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct VisionRequest {
    pub(crate) pace: RecognitionLevel,
    /// Language codes that Vision supports, the most likely first. If empty, Vision detects the language.
    pub(crate) languages: Vec<String>,
}

/// The system calls for text recognition.
pub(crate) trait VisionApi: Send + Sync {
    /// The language codes that are supported at a pace.
    fn languages(&self, pace: RecognitionLevel) -> Result<Vec<String>>;

    /// Recognizes the text in a picture, in no particular order.
    fn recognize(&self, picture: &Pixels, request: &VisionRequest) -> Result<Vec<TextObservation>>;
}

/// Recognizes text with Apple's Vision framework.
pub(crate) struct MacTextRecognizer<S>(Arc<S>);

impl<S: VisionApi + 'static> MacTextRecognizer<S> {
    pub(crate) fn new(system: S) -> Self {
        Self(Arc::new(system))
    }
}

impl<S: VisionApi + 'static> TextRecognizer for MacTextRecognizer<S> {
    fn recognize(
        &self,
        picture: &Pixels,
        options: &RecognitionOptions,
        deadline: Deadline,
    ) -> Result<Vec<RecognizedLine>> {
        check_size(picture)?;
        let (system, options, rect) = (Arc::clone(&self.0), options.clone(), picture.rect);
        // The recognition may outlive this call, so it gets a copy of the picture.
        let picture = picture.clone();
        run_with_deadline(deadline, RECOGNITION, move || {
            let languages = match options.languages.as_slice() {
                [] => Vec::new(),
                requested => supported_codes(requested, &system.languages(options.level)?)?,
            };
            let request = VisionRequest { pace: options.level, languages };
            let observations = system.recognize(&picture, &request)?;
            Ok(lines::in_reading_order(observations, rect, options.min_confidence))
        })
    }

    fn languages(&self, deadline: Deadline) -> Result<Vec<String>> {
        let system = Arc::clone(&self.0);
        run_with_deadline(deadline, RECOGNITION, move || {
            system.languages(RecognitionLevel::Accurate)
        })
    }
}

/// Rejects a picture whose data does not match its size. The system would read past its end.
fn check_size(picture: &Pixels) -> Result<()> {
    let bytes = u64::from(picture.width) * u64::from(picture.height) * 4;
    if bytes > 0 && picture.data.len() as u64 == bytes {
        return Ok(());
    }
    let Pixels { width, height, data, .. } = picture;
    Err(Error::Unsupported {
        what: "reading the picture".to_owned(),
        why: format!("{width}x{height} pixels do not have {} bytes", data.len()),
    })
}

/// The supported codes of the requested languages: `de` means the first supported German.
fn supported_codes(requested: &[String], supported: &[String]) -> Result<Vec<String>> {
    let find = |language: &String| {
        let language = language.replace('_', "-");
        let same = |code: &&String| code.eq_ignore_ascii_case(&language);
        let same_language = |code: &&String| {
            code.split('-').next().is_some_and(|first| first.eq_ignore_ascii_case(&language))
        };
        supported.iter().find(same).or_else(|| supported.iter().find(same_language)).cloned()
    };
    let mut codes: Vec<String> = Vec::new();
    for code in requested.iter().filter_map(find) {
        if !codes.contains(&code) {
            codes.push(code);
        }
    }
    if codes.is_empty() {
        return Err(Error::Unsupported {
            what: format!("reading text in {}", requested.join(", ")),
            why: format!("macOS supports only {}", supported.join(", ")),
        });
    }
    Ok(codes)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use deskhand_model::Rect;
    use parking_lot::Mutex;

    use super::*;

    #[derive(Default)]
    struct FakeVision(Arc<Mutex<Vec<VisionRequest>>>);

    impl VisionApi for FakeVision {
        fn languages(&self, pace: RecognitionLevel) -> Result<Vec<String>> {
            let all: &[&str] = match pace {
                RecognitionLevel::Accurate => &["en-US", "fr-FR", "de-DE", "zh-Hans", "zh-Hant"],
                RecognitionLevel::Fast => &["en-US", "fr-FR", "de-DE"],
            };
            Ok(all.iter().map(|&one| one.to_owned()).collect())
        }

        fn recognize(&self, _: &Pixels, request: &VisionRequest) -> Result<Vec<TextObservation>> {
            self.0.lock().push(request.clone());
            Ok(vec![
                TextObservation::new("below", 0.9, [0.0, 0.0, 0.5, 0.25]),
                TextObservation::new("above", 1.0, [0.0, 0.75, 0.5, 0.25]),
                TextObservation::new("noise", 0.2, [0.5, 0.5, 0.1, 0.1]),
            ])
        }
    }

    fn picture(bytes: usize) -> Pixels {
        let rect = Rect::new(-100, 50, 20, 10);
        Pixels { rect, width: 40, height: 20, data: vec![0; bytes], flaws: Vec::new() }
    }

    fn test_deadline() -> Deadline {
        Deadline::after(Duration::from_secs(10))
    }

    fn options(languages: &[&str], pace: RecognitionLevel) -> RecognitionOptions {
        let languages = languages.iter().map(|&one| one.to_owned()).collect();
        RecognitionOptions { languages, min_confidence: 0.3, level: pace }
    }

    #[test]
    fn lines_are_in_desktop_coordinates() {
        let recognizer = MacTextRecognizer::new(FakeVision::default());
        let lines = recognizer
            .recognize(&picture(3200), &options(&[], RecognitionLevel::Accurate), test_deadline())
            .unwrap();
        let found: Vec<_> = lines.iter().map(|line| (line.text.as_str(), line.rect)).collect();
        // Two pixels per point, as on a Retina display.
        assert_eq!(
            found,
            [("above", Rect::new(-100, 50, 10, 3)), ("below", Rect::new(-100, 57, 10, 3))]
        );
        assert_eq!(lines[1].confidence, 0.9);
    }

    #[test]
    fn an_invalid_picture_never_reaches_the_system() {
        let system = FakeVision::default();
        let log = Arc::clone(&system.0);
        let recognizer = MacTextRecognizer::new(system);
        for bytes in [0, 3199, 3201] {
            let refused = recognizer.recognize(
                &picture(bytes),
                &options(&[], RecognitionLevel::Accurate),
                test_deadline(),
            );
            assert!(matches!(refused, Err(Error::Unsupported { .. })), "{refused:?}");
        }
        let nothing = Pixels { width: 0, data: Vec::new(), ..picture(0) };
        assert!(
            recognizer
                .recognize(&nothing, &options(&[], RecognitionLevel::Accurate), test_deadline())
                .is_err()
        );
        assert!(log.lock().is_empty());
    }

    #[test]
    fn languages_are_mapped_to_supported_codes() {
        let system = FakeVision::default();
        let log = Arc::clone(&system.0);
        let recognizer = MacTextRecognizer::new(system);
        assert_eq!(recognizer.languages(test_deadline()).unwrap().len(), 5);
        let read = |words: &[&str], pace| {
            recognizer.recognize(&picture(3200), &options(words, pace), test_deadline())
        };
        read(&["de", "EN_us", "de-DE", "tlh"], RecognitionLevel::Fast).unwrap();
        let wanted = log.lock().pop().unwrap();
        assert_eq!(wanted.languages, ["de-DE", "en-US"]);
        assert_eq!(wanted.pace, RecognitionLevel::Fast);
        read(&["zh"], RecognitionLevel::Accurate).unwrap();
        assert_eq!(log.lock().pop().unwrap().languages, ["zh-Hans"]);
        let refused = read(&["zh"], RecognitionLevel::Fast).unwrap_err();
        assert!(refused.to_string().contains("en-US, fr-FR, de-DE"), "{refused}");
    }
}
