//! Words and icons of elements that may lose data when pressed.

use deskhand_model::Node;

use crate::RiskCause;

/// Risky words, matched as whole words.
const WORDS: &[&[&str]] = &[
    // English
    &["delete", "remove", "erase", "quit", "close", "format", "reset"],
    &["discard", "uninstall", "overwrite", "wipe", "purge", "shred", "destroy"],
    // German
    &["löschen", "entfernen", "beenden", "schließen", "schliessen", "formatieren", "zurücksetzen"],
    &["verwerfen", "deinstallieren", "überschreiben", "leeren"],
    // French
    &["supprimer", "effacer", "quitter", "fermer", "formater", "réinitialiser", "enlever"],
    &["retirer", "désinstaller", "écraser", "vider"],
    // Spanish
    &["eliminar", "borrar", "quitar", "salir", "cerrar", "formatear", "restablecer"],
    &["descartar", "desinstalar", "sobrescribir", "vaciar"],
    // Italian
    &["elimina", "eliminare", "rimuovi", "rimuovere", "cancella", "cancellare", "esci", "chiudi"],
    &["formatta", "ripristina", "scarta", "disinstalla", "sovrascrivi", "svuota"],
    // Portuguese
    &["excluir", "apagar", "remover", "sair", "fechar", "formatar", "redefinir", "descartar"],
    &["desinstalar", "sobrescrever", "esvaziar"],
    // Dutch
    &["verwijderen", "wissen", "afsluiten", "sluiten", "formatteren", "herstellen", "verwerpen"],
    // Polish
    &["usuń", "skasuj", "zakończ", "zamknij", "formatuj", "sformatuj", "zresetuj", "odrzuć"],
    // Czech and Slovak
    &["smazat", "odstranit", "ukončit", "zavřít", "formátovat", "zahodit", "zmazať", "odstrániť"],
    // Russian
    &["удалить", "стереть", "выйти", "закрыть", "форматировать", "сбросить", "очистить"],
    // Ukrainian
    &["видалити", "вилучити", "вийти", "закрити", "форматувати", "скинути", "очистити"],
    // Swedish, Danish, Norwegian, Finnish
    &["radera", "avsluta", "stäng", "återställ", "slet", "fjern", "afslut", "luk", "avslutt"],
    &["lukk", "tilbakestill", "nulstil", "poista", "lopeta", "sulje", "alusta", "hylkää", "slett"],
    // Turkish
    &["sil", "kaldır", "çık", "kapat", "biçimlendir", "sıfırla"],
    // Hungarian, Romanian
    &["törlés", "eltávolítás", "kilépés", "bezárás", "formázás", "visszaállítás"],
    &["șterge", "elimină", "ieșire", "închide", "formatează", "resetează"],
    // Greek
    &["διαγραφή", "αφαίρεση", "έξοδος", "κλείσιμο", "μορφοποίηση", "επαναφορά"],
    // Arabic, Hebrew
    &["حذف", "إزالة", "مسح", "إنهاء", "إغلاق", "تهيئة", "מחק", "הסר", "יציאה", "סגור", "אתחל"],
    // Hindi
    &["हटाएँ", "मिटाएँ", "बंद"],
];

/// Risky words of languages without spaces between words.
const SUBSTRINGS: &[&str] = &[
    // Chinese
    "删除",
    "刪除",
    "移除",
    "清除",
    "退出",
    "关闭",
    "關閉",
    "格式化",
    "重置",
    "重設",
    "卸载",
    // Japanese
    "削除",
    "消去",
    "終了",
    "閉じる",
    "初期化",
    "リセット",
    "破棄",
    // Korean
    "삭제",
    "제거",
    "지우기",
    "종료",
    "닫기",
    "포맷",
    "초기화",
];

/// Parts of freedesktop icon names that stand for a loss.
const ICONS: &[&str] = &[
    "edit-delete",
    "edit-clear-all",
    "user-trash",
    "trash",
    "window-close",
    "application-exit",
    "list-remove",
    "system-shutdown",
    "system-log-out",
    "document-revert",
];

/// Returns the word or icon that makes an element risky.
pub(crate) fn risk_cause(node: &Node) -> Option<RiskCause> {
    let text = format!("{} {}", node.name, node.description).to_lowercase();
    let whole = text.split(|c: char| !c.is_alphanumeric() && !is_combining_mark(c));
    let word = whole.into_iter().find(|word| WORDS.iter().any(|all| all.contains(word)));
    let part = || SUBSTRINGS.iter().copied().find(|part| text.contains(part));
    if let Some(word) = word.or_else(part) {
        return Some(RiskCause::Word(word.to_owned()));
    }
    if !node.name.trim().is_empty() {
        return None;
    }
    let named = format!("{} {}", node.description, node.identifier).to_lowercase();
    let icon = ICONS.iter().copied().find(|icon| named.contains(icon));
    icon.map(|icon| RiskCause::Icon(icon.to_owned()))
}

/// Returns `true` if a character belongs to the letter before it, like the vowel signs of Hindi.
fn is_combining_mark(c: char) -> bool {
    matches!(c, '\u{0300}'..='\u{036f}' | '\u{0900}'..='\u{097f}')
}

#[cfg(test)]
mod tests {
    use deskhand_model::{NodeId, Role};

    use super::*;

    fn cause(name: &str, description: &str) -> Option<String> {
        let mut node = Node::new(NodeId::new("n"), Role::Button);
        (node.name, node.description) = (name.to_owned(), description.to_owned());
        super::risk_cause(&node).map(|sign| match sign {
            RiskCause::Word(word) => word,
            RiskCause::Icon(icon) => format!("icon {icon}"),
            RiskCause::Key(key) => format!("key {key}"),
        })
    }

    #[test]
    fn only_whole_words_are_risky() {
        assert_eq!(cause("Delete file…", "").as_deref(), Some("delete"));
        assert_eq!(cause("X", "CLOSE this tab").as_deref(), Some("close"));
        assert_eq!(cause("Information", "Disclosed formats"), None);
        assert_eq!(cause("Silver", "Resettle"), None);
    }

    #[test]
    fn risky_words_of_common_languages_are_known() {
        for (name, word) in [
            ("Datei löschen", "löschen"),
            ("SCHLIESSEN", "schliessen"),
            ("Tout supprimer", "supprimer"),
            ("Удалить всё", "удалить"),
            ("文件永久删除", "删除"),
            ("すべて削除", "削除"),
            ("모두 삭제", "삭제"),
            ("फ़ाइल हटाएँ", "हटाएँ"),
            ("حذف الملف", "حذف"),
        ] {
            assert_eq!(cause(name, "").as_deref(), Some(word), "{name}");
        }
    }

    #[test]
    fn an_icon_is_risky_only_without_a_name() {
        assert_eq!(cause("", "user-trash-symbolic").as_deref(), Some("icon user-trash"));
        assert_eq!(cause("Basket", "user-trash-symbolic"), None);
    }
}
