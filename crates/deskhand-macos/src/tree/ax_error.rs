//! Errors of the accessibility API.

use deskhand_platform::Error;

macro_rules! ax_errors {
    ($($variant:ident = $code:literal, $name:literal;)*) => {
        /// An error of the accessibility API, after `AXError` in `AXError.h`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum AxError {
            $($variant,)*
            /// A code that Apple does not document.
            Unknown(i32),
        }

        impl AxError {
            /// The error of a code, or `None` for success.
            pub(crate) fn from_code(code: i32) -> Option<Self> {
                match code {
                    0 => None,
                    $($code => Some(Self::$variant),)*
                    other => Some(Self::Unknown(other)),
                }
            }

            /// The name of the constant in Apple's headers.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Unknown(_) => "an undocumented error",
                }
            }

            /// The numeric code.
            pub(crate) fn code(self) -> i32 {
                match self {
                    $(Self::$variant => $code,)*
                    Self::Unknown(code) => code,
                }
            }
        }
    };
}

ax_errors! {
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

/// The advice when macOS denies this process access to other apps.
const ALLOW_ACCESSIBILITY: &str = "this program may not use accessibility; allow it in System Settings > \
                                   Privacy & Security > Accessibility, then start it again";

impl AxError {
    /// Returns `true` if the element only lacks the attribute, action or value.
    pub(crate) fn is_absent(self) -> bool {
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

    /// The platform error for a failed call about `what`.
    pub(crate) fn into_platform_error(self, what: &str) -> Error {
        let what = what.to_owned();
        match self {
            Self::CannotComplete => Error::Timeout { what },
            Self::InvalidElement | Self::InvalidObserver => Error::Gone { what },
            Self::ApiDisabled => Error::NoAccessibility { why: ALLOW_ACCESSIBILITY.to_owned() },
            Self::AttributeUnsupported
            | Self::ActionUnsupported
            | Self::NotificationUnsupported
            | Self::ParameterizedUnsupported
            | Self::NotImplemented
            | Self::NoValue => {
                Error::Unsupported { what, why: format!("the app answered {}", self.name()) }
            }
            Self::Failure
            | Self::IllegalArgument
            | Self::AlreadyRegistered
            | Self::NotRegistered
            | Self::NotEnoughPrecision
            | Self::Unknown(_) => {
                Error::Unexpected { what, why: format!("{} ({})", self.name(), self.code()) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_documented_code_round_trips() {
        for code in -25214..=-25200 {
            let error = AxError::from_code(code).unwrap();
            assert_eq!(error.code(), code);
            assert!(error.name().starts_with("kAXError"), "{code}");
        }
        assert_eq!(AxError::from_code(0), None);
        assert_eq!(AxError::from_code(-1), Some(AxError::Unknown(-1)));
        assert_eq!(AxError::Unknown(-1).code(), -1);
    }

    #[test]
    fn an_app_that_does_not_answer_times_out_and_an_invalid_element_is_gone() {
        assert!(matches!(
            AxError::CannotComplete.into_platform_error("the app"),
            Error::Timeout { .. }
        ));
        assert!(matches!(
            AxError::InvalidElement.into_platform_error("the element"),
            Error::Gone { .. }
        ));
        assert!(matches!(
            AxError::NoValue.into_platform_error("the value"),
            Error::Unsupported { .. }
        ));
    }

    #[test]
    fn a_missing_permission_names_the_settings_pane() {
        let Error::NoAccessibility { why } = AxError::ApiDisabled.into_platform_error("the app")
        else {
            panic!("another error");
        };
        assert!(why.contains("Privacy & Security > Accessibility"), "{why}");
    }

    #[test]
    fn an_unknown_code_is_in_the_message() {
        let Error::Unexpected { why, .. } = AxError::Unknown(-7).into_platform_error("the app")
        else {
            panic!("another error");
        };
        assert!(why.contains("-7"), "{why}");
    }

    #[test]
    fn only_missing_attributes_actions_and_values_are_absent() {
        assert!(AxError::NoValue.is_absent() && AxError::AttributeUnsupported.is_absent());
        assert!(!AxError::CannotComplete.is_absent() && !AxError::ApiDisabled.is_absent());
    }
}
