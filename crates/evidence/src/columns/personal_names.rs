//! Whether the cells of a column are names of people.

use super::given_names::{
    ARABIC, ARMENIAN, CYRILLIC, CYRILLIC_ENDINGS, DEVANAGARI, ETHIOPIC, GEORGIAN, GREEK, HAN, HANGUL, HEBREW,
    JAPANESE, LATIN, SURNAME_ENDINGS, THAI,
};
use std::collections::HashSet;

/// Share of the different cells that must have the form of a name.
const FORM: f64 = 0.8;
/// Share of the different cells that must contain a frequent name.
pub(super) const KNOWN: f64 = 0.25;
/// The same for a few values that many share: the names of a small circle, and nothing else.
pub(super) const SURELY_KNOWN: f64 = 0.6;
/// The same where one character decides: half of all words begin with one of them by chance.
const KNOWN_CHARACTER: f64 = 0.7;

/// Whether most of these different cells look like names of people; `least` is the share that must contain a frequent name.
pub(super) fn are_names<'a>(cells: impl Iterator<Item = &'a str>, least: f64) -> bool {
    let known = Known::new();
    let (mut all, mut form, mut names, mut characters) = (0usize, 0usize, 0usize, 0usize);
    let (mut initials, mut titled) = (0usize, 0usize);
    for cell in cells {
        all += 1;
        initials += usize::from(has_initials(cell));
        let written = written_out(cell);
        let cell = written.as_str();
        let without = without_title(cell);
        titled += usize::from(without.is_some_and(has_form));
        let cell = without.unwrap_or(cell);
        if has_form(cell) {
            form += 1;
            names += usize::from(known.contains(cell));
            characters += usize::from(begins_with_surname(cell));
        }
    }
    let share = |count: usize, least: f64| all > 0 && count as f64 >= least * all as f64;
    share(initials, FORM)
        || share(titled, FORM)
        || (share(form, FORM) && (share(names, least) || share(characters, KNOWN_CHARACTER)))
}

/// `peter_schmidt`, `Rossi;Lena`, `AnnaNovak` and `Lena Rossi (8)` with blanks between the words and nothing after them.
fn written_out(cell: &str) -> String {
    let cell = cell.split_once('(').map_or(cell, |(before, _)| before);
    let cell = cell.trim_end_matches(|c: char| c.is_ascii_digit() || c == '#' || c.is_whitespace());
    let is_one_word = !cell.contains(char::is_whitespace);
    let mut text = String::with_capacity(cell.len() + 1);
    let mut before = ' ';
    for c in cell.chars() {
        if is_one_word && before.is_lowercase() && c.is_uppercase() {
            text.push(' ');
        }
        text.push(if matches!(c, '_' | ';' | '|' | '/' | '+') { ' ' } else { c });
        before = c;
    }
    text
}

/// What stands after `Mr`, `Frau` and the like.
fn without_title(cell: &str) -> Option<&str> {
    const TITLES: &str = "Mr Mrs Ms Miss Mx Dr Prof Herr Frau Hr Fr Monsieur Madame Mme Mlle Señor Señora Sra Signor Signora Dhr Mevr \
                          MRS HERR FRAU herr frau mr mrs";
    let (title, rest) = cell.trim().split_once(char::is_whitespace)?;
    let title = title.trim_end_matches('.');
    let is_name = rest.trim().chars().next().is_some_and(|first| first.is_alphabetic());
    (is_name && TITLES.split_whitespace().any(|known| known == title)).then(|| rest.trim())
}

/// `A. Bakker`, `Bakker, J.-P.`: initials with their points beside words that begin with a capital letter. `E. coli` is no name.
fn has_initials(cell: &str) -> bool {
    let is_initials = |word: &str| {
        word.ends_with('.')
            && word.split(['.', '-']).filter(|part| !part.is_empty()).all(|part| {
                let mut letters = part.chars();
                letters.next().is_some_and(char::is_uppercase) && letters.next().is_none()
            })
            && word.chars().any(char::is_uppercase)
    };
    let words = cell.split([' ', ',', '\u{a0}']).filter(|word| !word.is_empty());
    let (initials, others): (Vec<&str>, Vec<&str>) = words.partition(|word| is_initials(word));
    let long = |word: &&str| word.chars().count() > 1;
    !initials.is_empty()
        && others.iter().any(long)
        && others.len() <= 4
        && has_form(&others.join(" "))
        && others.iter().any(|word| word.chars().next().is_some_and(char::is_uppercase))
}

/// One to five words of letters, each beginning with a capital one where the script has them.
fn has_form(cell: &str) -> bool {
    let words: Vec<&str> = words(cell).collect();
    let small = |word: &&str| {
        matches!(
            *word,
            "von" | "van" | "de" | "der" | "den" | "da" | "di" | "la" | "al" | "bin" | "zu" | "del" | "dos"
        )
    };
    let capital = |word: &&str| word.chars().next().is_some_and(|first| !first.is_lowercase());
    // `ANNA`, `anna` and `Anna` are names alike, but a sentence is not.
    let all_small = words.iter().all(|word| word.chars().all(char::is_lowercase));
    (1..=5).contains(&words.len())
        && cell.chars().all(|c| c.is_alphabetic() || is_mark(c) || " '’-.,\u{a0}・·".contains(c))
        && cell.chars().count() <= 60
        && words.iter().all(|word| word.chars().any(char::is_alphabetic))
        && (words.iter().all(|word| capital(word) || small(word)) || (all_small && words.len() <= 3))
}

/// Vowel signs of Indian scripts, points and accents are no letters, but belong to them.
fn is_mark(c: char) -> bool {
    matches!(u32::from(c), 0x300..=0x36f | 0x591..=0x5c7 | 0x610..=0x65f | 0x900..=0x903 | 0x93a..=0x94f | 0xe31..=0xe3a | 0xe47..=0xe4e | 0x200c | 0x200d)
}

fn words(cell: &str) -> impl Iterator<Item = &str> {
    cell.split(|c: char| c.is_whitespace() || matches!(c, ',' | '.' | '・' | '·'))
        .filter(|word| !word.is_empty())
}

/// Chinese and Korean names: two to four characters, the first of them a surname.
fn begins_with_surname(cell: &str) -> bool {
    let characters: Vec<char> = cell.chars().filter(|c| !c.is_whitespace()).collect();
    let script = |c: &char| matches!(u32::from(*c), 0x3400..=0x9fff | 0xac00..=0xd7a3);
    let surname = |c: &char| HAN.contains(*c) || HANGUL.contains(*c);
    (2..=4).contains(&characters.len()) && characters.iter().all(script) && surname(&characters[0])
}

/// Frequent names of several languages.
pub(super) struct Known {
    words: HashSet<&'static str>,
}

impl Known {
    pub(super) fn new() -> Known {
        let lists = [LATIN, CYRILLIC, ARABIC, HEBREW, GREEK, DEVANAGARI, THAI, GEORGIAN, ARMENIAN, ETHIOPIC];
        Known { words: lists.into_iter().flat_map(str::split_whitespace).collect() }
    }

    /// Whether a word of the cell is a frequent name.
    pub(super) fn contains(&self, cell: &str) -> bool {
        let japanese =
            || JAPANESE.split_whitespace().any(|name| cell.starts_with(name) && cell.chars().count() <= 8);
        words(cell).flat_map(|word| word.split('-')).any(|word| {
            let word = plain(word);
            self.words.contains(word.as_str())
                || self.words.contains(without_accents(&word).as_str())
                || is_cyrillic_surname(&word)
                || (word.chars().count() >= 5
                    && SURNAME_ENDINGS.split_whitespace().any(|end| word.ends_with(end)))
        }) || (has_han(cell) && japanese())
    }
}

fn has_han(cell: &str) -> bool {
    cell.chars().any(|c| matches!(u32::from(c), 0x3400..=0x9fff))
}

fn is_cyrillic_surname(word: &str) -> bool {
    word.chars().count() >= 5
        && word.chars().all(|c| matches!(u32::from(c), 0x400..=0x52f))
        && CYRILLIC_ENDINGS.split_whitespace().any(|end| word.ends_with(end))
}

/// Latin letters without what stands above, below or through them.
fn without_accents(word: &str) -> String {
    let plain = |c: char| match c {
        '\u{e0}'..='\u{e5}' | '\u{101}' | '\u{103}' | '\u{105}' | '\u{1ea1}'..='\u{1eb7}' => 'a',
        '\u{e7}' | '\u{107}' | '\u{10d}' => 'c',
        '\u{10f}' | '\u{111}' => 'd',
        '\u{e8}'..='\u{eb}' | '\u{113}' | '\u{117}' | '\u{119}' | '\u{11b}' | '\u{1eb9}'..='\u{1ec7}' => 'e',
        '\u{11f}' => 'g',
        '\u{ec}'..='\u{ef}' | '\u{12b}' | '\u{131}' | '\u{129}' | '\u{1ec9}' | '\u{1ecb}' => 'i',
        '\u{142}' => 'l',
        '\u{f1}' | '\u{144}' | '\u{148}' => 'n',
        '\u{f2}'..='\u{f6}' | '\u{f8}' | '\u{151}' | '\u{1a1}' | '\u{1ecd}'..='\u{1ee3}' => 'o',
        '\u{159}' => 'r',
        '\u{15b}' | '\u{15f}' | '\u{161}' | '\u{219}' => 's',
        '\u{163}' | '\u{165}' | '\u{21b}' => 't',
        '\u{f9}'..='\u{fc}'
        | '\u{16b}'
        | '\u{16f}'
        | '\u{171}'
        | '\u{1b0}'
        | '\u{169}'
        | '\u{1ee5}'..='\u{1ef1}' => 'u',
        '\u{fd}' | '\u{1ef3}'..='\u{1ef9}' => 'y',
        '\u{17a}' | '\u{17c}' | '\u{17e}' => 'z',
        c => c,
    };
    word.chars().filter(|c| *c != '\u{307}').map(plain).collect()
}

/// Small letters, Greek ones without accents.
fn plain(word: &str) -> String {
    let without = |c: char| match c {
        'ά' => 'α',
        'έ' => 'ε',
        'ή' => 'η',
        'ί' | 'ϊ' | 'ΐ' => 'ι',
        'ό' => 'ο',
        'ύ' | 'ϋ' => 'υ',
        'ώ' => 'ω',
        c => c,
    };
    word.chars().flat_map(char::to_lowercase).map(without).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(cells: &[&str]) -> bool {
        are_names(cells.iter().copied(), KNOWN)
    }

    #[test]
    fn names_are_told_in_many_scripts() {
        for cells in [
            &["Anna Schmidt", "Peter Xyz", "Zoltan Quirk", "Li, Maria"][..],
            &["ANNA", "BERT", "CARL", "DORA"],
            &["schmidt", "müller", "quork", "fischer"],
            &["Иван Петров", "Мария Иванова", "Ольга Ким", "Лев Толстой"],
            &["Кузнецов", "Смирнова", "Шевченко", "Попов"],
            &["王伟", "李娜", "张敏", "刘洋", "陈静"],
            &["김민준", "이서연", "박지훈", "최수빈"],
            &["佐藤 健", "鈴木花子", "高橋 一郎", "三木 里奈"],
            &["محمد علي", "فاطمة الزهراء", "خالد منصور", "سامي حداد"],
            &["Γιώργος Παππάς", "Ελένη Βλάχου", "Νίκος Δήμου"],
            &["दीपक शर्मा", "प्रिया सिंह", "राहुल वर्मा"],
            &["דוד כהן", "שרה לוי", "יואב בן דוד"],
            &["peter_schmidt", "anna_novak", "ivo_quirk", "lena_rossi"],
            &["Papadopoulos;Lena", "Quirk;Ivo", "Rossi;Anna"],
            &["AnnaNovak", "LenaRossi", "IvoQuirk", "PeterOBrien"],
            &["Lena Rossi (8)", "Ivo Quirk (3)", "Anna Novak (1)"],
            &["Mr Bakker", "Mr Quirk", "Mr Zorn"],
            &["Frau OBrien", "Frau Quirk", "Frau Zorn"],
            &[
                "Ay\u{15f}e Y\u{131}ld\u{131}z",
                "\u{c7}a\u{11f}la \u{c7}elik",
                "G\u{fc}l\u{15f}en \u{15e}ahin",
                "\u{d6}mer \u{d6}zt\u{fc}rk",
            ],
            &["Nguyễn Văn An", "Trần Thị Hoa", "Lê Văn Dũng", "Phạm Thị Lan"],
            &["สมชาย ใจดี", "สมหญิง แสงทอง", "วิชัย บุญมี", "มาลี ศรีสุข"],
            &["გიორგი ბერიძე", "ნინო კაპანაძე", "დავით გელაშვილი"],
            &["Արամ Պետրոսյան", "Անի Սարգսյան", "Դավիթ Գրիգորյան"],
            &["አበበ በቀለ", "ሰላም ተፈራ", "ሄለን ገብሬ"],
            &["A. Bakker", "B. Claasen", "J.-P. Quirk", "Q.R. van der Zorn", "Yxcv, W."],
        ] {
            assert!(names(cells), "{cells:?}");
        }
    }

    #[test]
    fn other_words_are_no_names() {
        for cells in [
            &["Influenza", "Gastritis", "Diabetes mellitus", "Morbus Crohn", "Asthma"][..],
            &["Exec-managerial", "Sales", "Craft-repair", "Armed-Forces"],
            &["Berlin", "Hamburg", "Stuttgart", "Bremen", "Austin", "Boston", "Chicago", "Denver"],
            &["Germany", "France", "Georgia", "Chad", "Peru"],
            &["Грипп", "Гастрит", "Астма", "Перелом"],
            &["高血压", "糖尿病", "白血病", "流感", "胃炎", "肺炎"],
            &["감기", "위염", "당뇨병", "고혈압", "폐렴"],
            &["E. coli", "S. aureus", "K. pneumoniae", "P. mirabilis"],
            &["Hepatitis A", "Hepatitis B", "Vitamin D", "Faktor V"],
            &["HbA1c (1)", "LDL (2)", "HDL (3)", "Natrium (4)"],
            &["blood_pressure", "heart_rate", "body_mass", "lung_volume"],
            &["BloodPressure", "HeartRate", "BodyMass", "LungVolume"],
            &["Grippe", "Masern", "Röteln", "Krebs"],
            &["ไข้หวัด", "เบาหวาน", "มะเร็ง"],
            &["A. femoralis", "V. cava", "N. ulnaris", "M. biceps"],
            &["1", "2", "3"],
            &["yes", "no"],
            &[],
        ] {
            assert!(!names(cells), "{cells:?}");
        }
    }
}
