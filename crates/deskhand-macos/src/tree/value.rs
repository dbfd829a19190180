//! What an attribute of an element can hold, in plain Rust.

use deskhand_model::Rect;

use super::Fault;

/// The value of an attribute, copied out of the app; elements in it stay handles of the system.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value<E> {
    /// A text, with or without styles.
    Text(String),
    /// Yes or no.
    Flag(bool),
    /// A whole number.
    Whole(i64),
    /// A number with a fraction.
    Real(f64),
    /// A place on the screen, in points from the top left corner of the main display.
    Point(f64, f64),
    /// A width and a height in points.
    Size(f64, f64),
    /// A place with its width and height.
    Rect(f64, f64, f64, f64),
    /// A range of UTF-16 units: where it begins and how long it is.
    Range(i64, i64),
    /// Another element.
    Element(E),
    /// Several values.
    List(Vec<Value<E>>),
    /// The address of a document or a page.
    Link(String),
    /// A moment, in seconds since 1 January 2001.
    Date(f64),
    /// The reason why there is no value.
    Fault(Fault),
    /// Something else, as the system prints it.
    Other(String),
}

impl<E: Clone> Value<E> {
    /// The text it is.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Link(text) => Some(text),
            Self::Flag(_)
            | Self::Whole(_)
            | Self::Real(_)
            | Self::Point(..)
            | Self::Size(..)
            | Self::Rect(..)
            | Self::Range(..)
            | Self::Element(_)
            | Self::List(_)
            | Self::Date(_)
            | Self::Fault(_)
            | Self::Other(_) => None,
        }
    }

    /// The number it is; yes is 1 and no is 0.
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Self::Flag(on) => Some(f64::from(u8::from(*on))),
            #[allow(clippy::cast_precision_loss)] // Numbers of elements are far below 2^52.
            Self::Whole(number) => Some(*number as f64),
            Self::Real(number) => Some(*number),
            Self::Text(_)
            | Self::Point(..)
            | Self::Size(..)
            | Self::Rect(..)
            | Self::Range(..)
            | Self::Element(_)
            | Self::List(_)
            | Self::Link(_)
            | Self::Date(_)
            | Self::Fault(_)
            | Self::Other(_) => None,
        }
    }

    /// Whether it says yes: apps answer with a truth value or with a number.
    pub(crate) fn flag(&self) -> Option<bool> {
        self.number().map(|number| number != 0.0)
    }

    /// The element it is.
    pub(crate) fn element(&self) -> Option<&E> {
        if let Self::Element(element) = self { Some(element) } else { None }
    }

    /// The elements it holds.
    pub(crate) fn elements(&self) -> Vec<E> {
        match self {
            Self::Element(element) => vec![element.clone()],
            Self::List(values) => values.iter().filter_map(Self::element).cloned().collect(),
            Self::Text(_)
            | Self::Flag(_)
            | Self::Whole(_)
            | Self::Real(_)
            | Self::Point(..)
            | Self::Size(..)
            | Self::Rect(..)
            | Self::Range(..)
            | Self::Link(_)
            | Self::Date(_)
            | Self::Fault(_)
            | Self::Other(_) => Vec::new(),
        }
    }

    /// The range it is, in UTF-16 units; a range the app does not know is none.
    pub(crate) fn range(&self) -> Option<(usize, usize)> {
        let Self::Range(start, length) = self else { return None };
        Some((usize::try_from(*start).ok()?, usize::try_from(*length).ok()?))
    }

    /// The rectangle it is, in whole points.
    pub(crate) fn rect(&self) -> Option<Rect> {
        let Self::Rect(x, y, width, height) = self else { return None };
        placed((*x, *y), (*width, *height))
    }

    /// How a person reads it.
    pub(crate) fn printed(&self) -> String {
        match self {
            Self::Text(text) | Self::Link(text) | Self::Other(text) => text.clone(),
            Self::Flag(on) => on.to_string(),
            Self::Whole(number) => number.to_string(),
            Self::Real(number) => number.to_string(),
            Self::Point(x, y) => format!("{x}, {y}"),
            Self::Size(width, height) => format!("{width} x {height}"),
            Self::Rect(x, y, width, height) => format!("{x}, {y}, {width} x {height}"),
            Self::Range(start, length) => format!("{length} from {start}"),
            Self::Element(_) => "an element".to_owned(),
            Self::List(values) if values.iter().all(|one| one.element().is_some()) => {
                format!("{} elements", values.len())
            }
            Self::List(values) => values.iter().map(Self::printed).collect::<Vec<_>>().join(", "),
            Self::Date(seconds) => moment(*seconds),
            Self::Fault(fault) => fault.word().to_owned(),
        }
    }
}

/// The rectangle of a place and a size; `None` when a number in it is none.
pub(crate) fn placed(at: (f64, f64), size: (f64, f64)) -> Option<Rect> {
    let all = [at.0, at.1, size.0, size.1];
    if !all.iter().all(|number| number.is_finite()) {
        return None;
    }
    #[allow(clippy::cast_possible_truncation)] // Saturates, which is what a broken place deserves.
    let whole = |number: f64| number.round() as i32;
    Some(Rect::new(whole(at.0), whole(at.1), whole(size.0), whole(size.1)))
}

/// A moment as people write it, from the seconds since the beginning of 2001.
fn moment(seconds: f64) -> String {
    const DAY: i64 = 86_400;
    // From 0000-03-01, where the calendar of the arithmetic begins, to 2001-01-01.
    const BEFORE: i64 = 730_791;
    const LONGEST: f64 = 1e12;
    if !seconds.is_finite() || seconds.abs() > LONGEST {
        return "an unknown moment".to_owned();
    }
    #[allow(clippy::cast_possible_truncation)] // Bounded above.
    let whole = seconds.floor() as i64;
    let (days, time) = (whole.div_euclid(DAY) + BEFORE, whole.rem_euclid(DAY));
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (time / 3_600, time / 60 % 60, time % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
}
