//! Recognizes secret fields by their names.
//!
//! Some toolkits do not mark password fields, and a field that currently shows its password no
//! longer counts as one for its toolkit.

/// Words for password fields in many languages. They also match inside longer words.
const SECRET_SUBSTRINGS: &[&str] = &[
    "password",
    "passwort",
    "passphrase",
    "passcode",
    "passwd",
    "kennwort",
    "geheimzahl",
    "contraseña",
    "contrasena",
    "contrasenya",
    "mot de passe",
    "senha",
    "palavra-passe",
    "palavra passe",
    "wachtwoord",
    "lösenord",
    "adgangskode",
    "passord",
    "lykilorð",
    "salasana",
    "salasõna",
    "hasło",
    "heslo",
    "jelszó",
    "lozinka",
    "slaptažodis",
    "parolă",
    "şifre",
    "парол",
    "гасло",
    "лозинка",
    "κωδικός πρόσβασης",
    "συνθηματικό",
    "סיסמה",
    "סיסמא",
    "كلمة المرور",
    "كلمة السر",
    "رمز عبور",
    "گذرواژه",
    "पासवर्ड",
    "รหัสผ่าน",
    "mật khẩu",
    "kata sandi",
    "密码",
    "密碼",
    "口令",
    "パスワード",
    "暗証番号",
    "비밀번호",
    "암호",
];

/// Short words for secret fields. They match only as whole words, because they occur inside
/// unrelated words.
const SECRET_WORDS: &[&str] = &[
    "pin", "puk", "cvv", "cvc", "cvv2", "cvc2", "otp", "pwd", "pass", "parola", "parole", "geslo",
    "tan",
];

/// A name with more words than this is a sentence, in which a short word is not enough evidence.
const MAX_NAME_WORDS: usize = 3;

/// Words that show that a field is not secret, although its name mentions a password.
const NOT_SECRET: &[&str] = &[
    "search",
    "suche",
    "rechercher",
    "buscar",
    "cerca",
    "filter",
    "filtr",
    "hint",
    "hinweis",
    "indice",
    "length",
    "länge",
    "user name",
    "username",
];

/// Returns `true` if a field with this name, placeholder or identifier takes a secret.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_lowercase();
    if NOT_SECRET.iter().any(|word| name.contains(word)) {
        return false;
    }
    let words = || name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    SECRET_SUBSTRINGS.iter().any(|part| name.contains(part))
        || (words().count() <= MAX_NAME_WORDS && words().any(|word| SECRET_WORDS.contains(&word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_fields_are_recognized_in_many_languages() {
        for name in [
            "Password:",
            "New password",
            "user_password",
            "Passwort wiederholen",
            "Contraseña",
            "Mot de passe",
            "Пароль:",
            "密码",
            "パスワード（確認）",
            "비밀번호",
            "PIN",
            "PIN code",
            "CVC",
            "wifi-passphrase",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn other_fields_are_not_secret() {
        for name in [
            "",
            "Name",
            "Search passwords",
            "Password hint",
            "Pinboard",
            "Spinner",
            "Compass",
            "Boarding pass of the traveller",
            "Opinion",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
    }
}
