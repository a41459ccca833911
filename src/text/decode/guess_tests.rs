//! Tests the detection of encodings with texts in many languages that declare none.

use std::path::Path;

use encoding_rs::Encoding;

use super::pages::Page;
use super::tables::PAGES;
use super::*;

/// Languages, a few sentences in each, and code pages in which people write them.
const TEXTS: [(&str, &str, &[&str]); 17] = [
    (
        "German",
        "Die Größe des Gebäudes überraschte alle Gäste. Während der Prüfung müssen die Schüler ruhig bleiben; für Rückfragen öffnet das Büro um zehn Uhr.",
        &["437", "850", "858", "macintosh", "windows-1252", "500", "273"],
    ),
    (
        "French",
        "L'élève a été très étonné par la réponse. Où sont passés les châteaux français ? Ça dépend de la forêt, déjà brûlée l'été dernier.",
        &["850", "863", "macintosh", "windows-1252", "037"],
    ),
    (
        "Danish",
        "Kære læser, vi ønsker dig en god rejse på øen. Æbler og pærer må købes på torvet, når båden lægger til.",
        &["850", "865", "macintosh", "windows-1252"],
    ),
    (
        "Portuguese",
        "A reunião começará amanhã às três horas. Não é possível alterar as condições da inscrição após a confirmação do órgão público.",
        &["850", "860", "macintosh", "windows-1252", "1140"],
    ),
    (
        "Icelandic",
        "Það er mikilvægt að allir þátttakendur skrái sig fyrir miðnætti. Börnin léku sér á ströndinni og sungu þjóðvísur.",
        &["850", "861", "mac-iceland", "windows-1252"],
    ),
    (
        "Czech",
        "Příliš žluťoučký kůň úpěl ďábelské ódy. Ředitel školy oznámil, že výuka začne až v pondělí, protože se opravují střechy.",
        &["852", "mac-centraleurope", "windows-1250", "iso-8859-2"],
    ),
    (
        "Polish",
        "Zażółć gęślą jaźń. Dziś rano pociąg spóźnił się o dwadzieścia minut, więc wszyscy czekali na peronie i pili gorącą herbatę.",
        &["852", "mac-centraleurope", "windows-1250", "iso-8859-2"],
    ),
    (
        "Hungarian",
        "Az ülést délelőtt tíz órakor nyitották meg. A külföldi vendégek örömmel nézték meg a gyönyörű könyvtárat és a régi erődöt.",
        &["852", "windows-1250", "iso-8859-2"],
    ),
    (
        "Lithuanian",
        "Šiandien mokykloje įvyko susirinkimas, į kurį atėjo daug tėvų. Žmonės kalbėjo apie naują biblioteką ir būsimą šventę.",
        &["775", "windows-1257", "iso-8859-13"],
    ),
    (
        "Latvian",
        "Rīgā šodien līst lietus, tāpēc bērni spēlējas mājās. Vakarā ģimene dosies uz teātri, kur rādīs jaunu izrādi.",
        &["775", "windows-1257", "iso-8859-13"],
    ),
    (
        "Esperanto",
        "Ĉiuj homoj estas denaske liberaj kaj egalaj. Ŝi diris, ke ĝi okazos ĵaŭde, ĉar la aŭtobuso ne veturas dimanĉe.",
        &["iso-8859-3"],
    ),
    (
        "Turkish",
        "Öğrenciler bugün müzeye gittiler ve çok ilginç şeyler gördüler. Işıklar söndüğünde sınıfta kimse kalmamıştı.",
        &["857", "mac-turkish", "windows-1254", "1026"],
    ),
    (
        "Russian",
        "Сегодня утром директор школы объявил, что занятия начнутся в понедельник. Все ученики обрадовались этой новости и пошли домой.",
        &["855", "ibm866", "koi8-r", "x-mac-cyrillic", "windows-1251", "iso-8859-5", "1025"],
    ),
    (
        "Ukrainian",
        "Сьогодні вранці діти пішли до школи, а їхні батьки поїхали на роботу. Увечері вся родина зустрінеться в театрі.",
        &["855", "1125", "koi8-u", "x-mac-cyrillic", "windows-1251"],
    ),
    (
        "Greek",
        "Η συνάντηση θα γίνει αύριο το πρωί στο σχολείο. Όλοι οι μαθητές πρέπει να φέρουν τα βιβλία τους και ένα μολύβι.",
        &["737", "869", "mac-greek", "windows-1253", "iso-8859-7", "875"],
    ),
    (
        "Hebrew",
        "הישיבה תתקיים מחר בבוקר בבית הספר. כל התלמידים צריכים להביא את הספרים שלהם ואת המחברות החדשות.",
        &["862", "856", "windows-1255", "424"],
    ),
    (
        "Arabic",
        "سيعقد الاجتماع غدا صباحا في المدرسة. على جميع الطلاب إحضار كتبهم ودفاترهم الجديدة قبل الساعة العاشرة.",
        &["720", "windows-1256", "iso-8859-6"],
    ),
];

/// Encodes a text in a code page. `None` if the page lacks a character.
fn written(page: &Page, text: &str) -> Option<Vec<u8>> {
    let table = page.table();
    // EBCDIC has two line ends. The last one is used.
    let byte = |character: char| table.iter().rposition(|it| *it == character);
    text.chars().map(|character| byte(character).map(|byte| byte as u8)).collect()
}

fn bytes_of(page: &Page, text: &str) -> Vec<u8> {
    written(page, text).unwrap()
}

/// Returns forms of a text: unchanged, repeated, one word a line, as values, the first sentence, in capitals.
fn kinds(language: &str, text: &str) -> Vec<String> {
    let first = text.split_inclusive('.').next().unwrap();
    let capitals = text.to_uppercase();
    let words: Vec<&str> =
        text.split([' ', '.', ',', ';', '?']).filter(|it| !it.is_empty()).collect();
    let mut values = String::from("id;name;note;value\n");
    for (number, pair) in words.chunks_exact(2).enumerate() {
        values.push_str(&format!("{number};{};{};{}50\n", pair[0], pair[1], number * 7));
    }
    let mut all =
        vec![text.into(), format!("{text}\n").repeat(40), text.replace(' ', "\n"), values];
    // A single sentence of letters that most pages have is too little evidence for a rare page.
    if !first.is_ascii() && !matches!(language, "Lithuanian" | "Latvian" | "Icelandic") {
        all.push(first.into());
    }
    // Greek capitals lose their accents, and some capitals are two letters.
    if capitals.chars().count() == text.chars().count() && language != "Greek" {
        all.push(capitals);
    }
    all
}

#[test]
fn every_page_is_recognized_by_its_letters() {
    let (mut count, mut wrong) = (0, Vec::new());
    for (language, text, labels) in TEXTS {
        for label in labels {
            let page = PAGES.iter().find(|page| page.label == *label).unwrap();
            for (kind, text) in kinds(language, text).into_iter().enumerate() {
                let Some(bytes) = written(page, &text) else {
                    // Some pages lack capitals.
                    assert!(kind > 3, "{language} in {label}, {kind}");
                    continue;
                };
                count += 1;
                let Decoded { text: read, warnings } = decode(bytes);
                if read != text {
                    wrong.push(format!("{language} in {label}, {kind}: {warnings:?}"));
                } else if Coding::Page(page).encoding().is_none() {
                    assert!(warnings[0].contains(", which is a guess"), "{warnings:?}");
                }
            }
        }
    }
    // A short text may be read in a page that has nearly the same letters.
    assert!(wrong.len() * 100 <= count, "{} of {count} are wrong: {wrong:#?}", wrong.len());
}

/// Returns a list of values in English, with one of the names in some rows.
fn list(names: &[&str]) -> String {
    let mut text = String::from("id,name,city,amount\n");
    for number in 0..40 {
        let name = if number % 9 == 4 { names[number / 9 % names.len()] } else { "Smith" };
        text.push_str(&format!("{number},{name},Springfield,{}.50\n", number * 137));
    }
    text
}

#[test]
fn few_letters_beyond_ascii_leave_a_list_as_browsers_read_it() {
    for (label, names) in [
        ("windows-1252", &["Müller"][..]),
        ("windows-1252", &["José", "Peña"]),
        ("windows-1252", &["François", "Hélène", "Søren"]),
        ("windows-1252", &["O’Neill"]),
        ("windows-1252", &["12 €", "30 °C"]),
        ("windows-1252", &["£825", "Caf\u{e9}"]),
        ("windows-1250", &["Dvořák", "Nováček"]),
        ("windows-1251", &["Иванов", "Москва"]),
        ("windows-1253", &["Παπαδόπουλος", "Αθήνα"]),
        ("windows-1254", &["Yılmaz", "Şahin"]),
        ("Shift_JIS", &["田中太郎", "鈴木花子"]),
        ("GBK", &["王小明", "北京市"]),
        ("Big5", &["臺北市", "陳先生"]),
        ("EUC-KR", &["김철수", "서울시"]),
        ("UTF-8", &["Müller", "王小明"]),
    ] {
        let encoding = Encoding::for_label(label.as_bytes()).unwrap();
        let text = list(names);
        let (bytes, _, has_errors) = encoding.encode(&text);
        assert!(!has_errors, "{label}");
        let decoded = decode(bytes.into_owned());
        assert_eq!(decoded.text, text, "{label} {names:?} {:?}", decoded.warnings);
        assert!(!is_before_the_web(&encoding.encode(&text).0), "{label}");
    }
}

#[test]
fn wide_characters_stay_what_they_are() {
    let chinese = "本年度公司完成了会员体系升级，付费转化率稳步提升。请各部门在月底之前提交报告。";
    let japanese = "本日の会議は午後三時から始まります。資料は受付でお受け取りください。";
    let korean = "내일 아침에 학교에서 회의가 열립니다. 모든 학생은 책과 공책을 가져와야 합니다.";
    let taiwan = "本公司將於明天上午召開會議，請所有員工準時參加，並攜帶相關的資料。";
    for (label, text) in [
        ("gb18030", chinese),
        ("gb18030", "㐀㐁 是罕见的汉字，扩展区的字符𠀀𠀁需要四个字节。价格为€100。"),
        ("Big5", taiwan),
        ("Shift_JIS", japanese),
        ("EUC-JP", japanese),
        ("ISO-2022-JP", japanese),
        ("EUC-KR", korean),
    ] {
        let encoding = Encoding::for_label(label.as_bytes()).unwrap();
        for text in [text.to_owned(), text.repeat(60), text.replace(['，', '。', ' '], "\n")] {
            let decoded = decode(encoding.encode(&text).0.into_owned());
            assert_eq!(decoded.text, text, "{label} {:?}", decoded.warnings);
            let rest = decoded.warnings[0].strip_prefix("the text was read as ").unwrap();
            assert!(rest.eq_ignore_ascii_case(label), "{rest}");
        }
    }
}

#[test]
fn nearly_as_likely_readings_are_named_with_a_way_out() {
    let page = Page::declared("cp850").unwrap();
    let text = "Le café est fermé.";
    let Decoded { text: read, warnings } = decode(bytes_of(page, text));
    assert_eq!(read, text);
    assert_eq!(warnings, ["the text was read as DOS code page 850, which is a guess"]);
    // One letter is ambiguous: a German one in DOS code pages, a Spanish or Greek one elsewhere.
    let warning = decode(b"Stra\xe1e 5\n".to_vec()).warnings.remove(0);
    assert!(
        warning.contains(
            " would be nearly as likely: if letters are wrong, save the file as UTF-8 (`iconv -f "
        ),
        "{warning}"
    );
}

#[test]
fn ascii_is_not_taken_for_a_mainframe() {
    for text in [
        "anna@example.com;bert@example.com;carla@example.com;dora@example.com",
        "%E4%BD%A0%E5%A5%BD%E4%B8%96%E7%95%8C%E4%BD%A0%E5%A5%BD",
        "@a@b@c@d@e@f@g@h@i@j@k",
        "user@host:path@host:file@host:other@host",
        "100%@200%@300%@400%@500%@600%",
    ] {
        let decoded = decode(text.as_bytes().to_vec());
        assert_eq!((decoded.text.as_str(), decoded.warnings.len()), (text, 0));
    }
}

#[test]
fn noise_is_decoded_as_before() {
    // Noise has words in no encoding, so the result of the detector stays.
    let mut state = 1_u32;
    for length in [1, 2, 7, 64, 1000, 40_000] {
        let noise: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        })
        .take(length)
        .collect();
        let _ = (decode(noise.clone()), beginning(&noise), is_before_the_web(&noise));
    }
    for byte in 0..=u8::MAX {
        let _ = decode(vec![byte; 100]);
    }
    // A single symbol.
    assert_eq!(decode(b"10 \x80\n".to_vec()).text, "10 €\n");
}

/// Returns the encoding that the name of a folder of the corpus names.
fn named(folder: &str) -> Option<Coding> {
    let folder = folder.to_ascii_lowercase();
    let label = ["iso-8859-", "windows-"].into_iter().find_map(|kind| {
        let number = folder.strip_prefix(kind)?;
        Some(format!("{kind}{}", number.split('-').next().unwrap_or_default()))
    });
    let label = label.unwrap_or(folder);
    match label.as_str() {
        "cp932" => return Encoding::for_label(b"shift_jis").map(Coding::Known),
        "gb2312" => return Some(Coding::Known(GB18030)),
        "utf-8-sig" | "ascii" => return Some(Coding::Known(UTF_8)),
        "iso-2022-kr" => return Some(Coding::Seven(Seven::Korean)),
        _ => {}
    }
    let known = Encoding::for_label(label.as_bytes()).map(Coding::Known);
    known.or_else(|| Coding::declared(label.as_bytes()))
}

#[test]
fn texts_of_others_are_read_right() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora/encodings");
    let Ok(folders) = std::fs::read_dir(&folder) else {
        #[expect(clippy::print_stderr, reason = "says why the test is skipped")]
        {
            eprintln!("skipped: ../shared/corpora/encodings is not there");
        }
        return;
    };
    let (mut count, mut wrong) = (0, Vec::new());
    for folder in folders {
        let folder = folder.unwrap();
        let name = folder.file_name().into_string().unwrap();
        // UTF-32 has no other decoder to compare with.
        let Some(coding) = named(&name) else { continue };
        for file in std::fs::read_dir(folder.path()).unwrap() {
            let file = file.unwrap();
            let bytes = std::fs::read(file.path()).unwrap();
            count += 1;
            let wanted = clean::text(&coding.decode(&bytes).0).into_owned();
            if decode(bytes).text != wanted {
                wrong.push(format!("{name}/{}", file.file_name().to_string_lossy()));
            }
        }
    }
    assert!(count > 300, "{count}");
    assert!(wrong.len() <= 1, "{} of {count} are wrong: {wrong:#?}", wrong.len());
}

/// Web pages and exports often have one character that a program cut in two.
#[test]
fn a_few_wrong_bytes_leave_utf8_what_it_is() {
    let polish = "Stanisław Łukasz zażądał 653 tys. paczek papierosów, choć nie wiedział, że źródła są już wyschnięte. ".repeat(4);
    let damaged = |text: &str, at: usize| {
        let mut bytes = text.as_bytes().to_vec();
        // The second byte of a letter is gone.
        let place = text.char_indices().filter(|(_, letter)| !letter.is_ascii()).nth(at).unwrap().0;
        bytes.remove(place + 1);
        bytes
    };
    for text in [polish.clone(), format!("<meta charset=utf-8><p>{polish}"), "机密文件".repeat(20)]
    {
        let Decoded { text: read, warnings } = decode(damaged(&text, 9));
        assert_eq!(read.matches('\u{FFFD}').count(), 1, "{read}");
        assert_eq!(warnings, [LOSSY], "{read}");
    }
    // One valid character of two is enough only if the text declares UTF-8.
    let short = "Łukasz i Ewa są tu".to_owned();
    let declared = format!("<meta charset=\"utf-8\">{short} ść");
    assert!(decode(damaged(&declared, 1)).text.contains("Łukasz"));
    // Text in other encodings is not damaged UTF-8.
    for (label, text) in
        [("windows-1250", &polish), ("gbk", &"机密文件的内容不能给别人看".repeat(9))]
    {
        let bytes = Encoding::for_label(label.as_bytes()).unwrap().encode(text).0;
        assert!(!is_damaged_utf8(&bytes, true), "{label}");
    }
}
