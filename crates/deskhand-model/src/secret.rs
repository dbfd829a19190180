//! Fields that are for a secret by what they are called: some toolkits do not tell them from others,
//! and a field that shows what was typed, because somebody asked it to, is no password field any more.

/// What fields for a password are called, also as a part of a longer word.
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

/// What they are called in one word that means other things as a part of another.
const SECRET_WORDS: &[&str] = &[
    "pin", "puk", "cvv", "cvc", "cvv2", "cvc2", "otp", "pwd", "pass", "parola", "parole", "geslo",
    "tan",
];

/// Names with more words than this are sentences, and one short word in them says nothing.
const MAX_NAME_WORDS: usize = 3;

/// What is looked for or told in clear, though a password is spoken of.
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

/// Whether a field of this name, placeholder or identifier takes a secret.
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
    fn fields_for_secrets_are_known_in_many_languages() {
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
    fn other_fields_are_not() {
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
