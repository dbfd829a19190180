//! What the accessibility interface answers when it does not do what it was asked.

use deskhand_platform::Error;

macro_rules! faults {
    ($($variant:ident = $code:literal, $word:literal;)*) => {
        /// Why the accessibility interface of the system did not answer as asked.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Fault {
            $($variant,)*
            /// A number Apple does not document.
            Unknown(i32),
        }

        impl Fault {
            /// The meaning of a number; `None` is success.
            pub(crate) fn of(code: i32) -> Option<Self> {
                match code {
                    0 => None,
                    $($code => Some(Self::$variant),)*
                    other => Some(Self::Unknown(other)),
                }
            }

            /// The name the headers of the system give it.
            pub(crate) fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                    Self::Unknown(_) => "an error without a name",
                }
            }

            /// The number the system gives it.
            pub(crate) fn code(self) -> i32 {
                match self {
                    $(Self::$variant => $code,)*
                    Self::Unknown(code) => code,
                }
            }
        }
    };
}

faults! {
    Failure = -25200, "kAXErrorFailure";
    IllegalArgument = -25201, "kAXErrorIllegalArgument";
    InvalidElement = -25202, "kAXErrorInvalidUIElement";
    InvalidObserver = -25203, "kAXErrorInvalidUIElementObserver";
    CannotComplete = -25204, "kAXErrorCannotComplete";
    AttributeUnsupported = -25205, "kAXErrorAttributeUnsupported";
    ActionUnsupported = -25206, "kAXErrorActionUnsupported";
    NotificationUnsupported = -25207, "kAXErrorNotificationUnsupported";
    NotImplemented = -25208, "kAXErrorNotImplemented";
    AlreadyRegistered = -25209, "kAXErrorNotificationAlreadyRegistered";
    NotRegistered = -25210, "kAXErrorNotificationNotRegistered";
    ApiDisabled = -25211, "kAXErrorAPIDisabled";
    NoValue = -25212, "kAXErrorNoValue";
    ParameterizedUnsupported = -25213, "kAXErrorParameterizedAttributeUnsupported";
    NotEnoughPrecision = -25214, "kAXErrorNotEnoughPrecision";
}

/// What to do when the system keeps this program from looking into others.
const ALLOW: &str = "this program may not use accessibility; allow it in System Settings > \
                                Privacy & Security > Accessibility, then start it again";

impl Fault {
    /// Whether it only says that there is no such thing to be had from this element.
    pub(crate) fn is_absence(self) -> bool {
        match self {
            Self::AttributeUnsupported
            | Self::ActionUnsupported
            | Self::NotificationUnsupported
            | Self::ParameterizedUnsupported
            | Self::NotImplemented
            | Self::NoValue => true,
            Self::Failure
            | Self::IllegalArgument
            | Self::InvalidElement
            | Self::InvalidObserver
            | Self::CannotComplete
            | Self::AlreadyRegistered
            | Self::NotRegistered
            | Self::ApiDisabled
            | Self::NotEnoughPrecision
            | Self::Unknown(_) => false,
        }
    }

    /// The error of the seam for a question about something that failed this way.
    pub(crate) fn error(self, what: &str) -> Error {
        let what = what.to_owned();
        match self {
            Self::CannotComplete => Error::Timeout { what },
            Self::InvalidElement | Self::InvalidObserver => Error::Gone { what },
            Self::ApiDisabled => Error::NoAccessibility { why: ALLOW.to_owned() },
            Self::AttributeUnsupported
            | Self::ActionUnsupported
            | Self::NotificationUnsupported
            | Self::ParameterizedUnsupported
            | Self::NotImplemented
            | Self::NoValue => {
                Error::Unsupported { what, why: format!("the app says {}", self.word()) }
            }
            Self::Failure
            | Self::IllegalArgument
            | Self::AlreadyRegistered
            | Self::NotRegistered
            | Self::NotEnoughPrecision
            | Self::Unknown(_) => {
                Error::Unexpected { what, why: format!("{} ({})", self.word(), self.code()) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_the_headers_list_reads_back_as_itself() {
        for code in -25214..=-25200 {
            let fault = Fault::of(code).unwrap();
            assert_eq!(fault.code(), code);
            assert!(fault.word().starts_with("kAXError"), "{code}");
        }
        assert_eq!(Fault::of(0), None);
        assert_eq!(Fault::of(-1), Some(Fault::Unknown(-1)));
        assert_eq!(Fault::Unknown(-1).code(), -1);
    }

    #[test]
    fn an_app_that_does_not_answer_is_late_and_a_missing_element_is_gone() {
        assert!(matches!(Fault::CannotComplete.error("the app"), Error::Timeout { .. }));
        assert!(matches!(Fault::InvalidElement.error("the element"), Error::Gone { .. }));
        assert!(matches!(Fault::NoValue.error("the value"), Error::Unsupported { .. }));
    }

    #[test]
    fn a_missing_permission_says_where_it_is_given() {
        let Error::NoAccessibility { why } = Fault::ApiDisabled.error("the app") else {
            panic!("another error");
        };
        assert!(why.contains("Privacy & Security > Accessibility"), "{why}");
    }

    #[test]
    fn an_unknown_number_is_told_as_it_is() {
        let Error::Unexpected { why, .. } = Fault::Unknown(-7).error("the app") else {
            panic!("another error");
        };
        assert!(why.contains("-7"), "{why}");
    }

    #[test]
    fn only_what_says_there_is_nothing_counts_as_absence() {
        assert!(Fault::NoValue.is_absence() && Fault::AttributeUnsupported.is_absence());
        assert!(!Fault::CannotComplete.is_absence() && !Fault::ApiDisabled.is_absence());
    }
}
