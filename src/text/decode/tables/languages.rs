//! Made by `make.py` in this folder: letters of languages.

use super::Language;

pub(crate) const LANGUAGES: [Language; 45] = [
    Language { name: "english", letters: "abcdefghijklmnopqrstuvwxyz", start: 0 },
    Language { name: "german", letters: "abcdefghijklmnopqrstuvwxyzßäöü", start: 841 },
    Language {
        name: "french", letters: "abcdefghijklmnopqrstuvwxyzàâæçèéêëîïôùûüœ", start: 1930
    },
    Language { name: "spanish", letters: "abcdefghijklmnopqrstuvwxyzáéíñóúü", start: 3866 },
    Language {
        name: "portuguese",
        letters: "abcdefghijklmnopqrstuvwxyzàáâãçéêíóôõúü",
        start: 5162,
    },
    Language { name: "italian", letters: "abcdefghijklmnopqrstuvwxyzàèéìòù", start: 6926 },
    Language { name: "dutch", letters: "abcdefghijklmnopqrstuvwxyzèéëïöü", start: 8151 },
    Language { name: "afrikaans", letters: "abcdefghijklmnopqrstuvwxyzéêëïôû", start: 9376 },
    Language {
        name: "catalan", letters: "abcdefghijklmnopqrstuvwxyzàçèéíïòóúü", start: 10601
    },
    Language { name: "danish", letters: "abcdefghijklmnopqrstuvwxyzåæéø", start: 12122 },
    Language { name: "bokmal", letters: "abcdefghijklmnopqrstuvwxyzåæéòø", start: 13211 },
    Language { name: "swedish", letters: "abcdefghijklmnopqrstuvwxyzäåéö", start: 14367 },
    Language { name: "finnish", letters: "abcdefghijklmnopqrstuvwxyzäåö", start: 15456 },
    Language {
        name: "icelandic", letters: "abcdefghijklmnopqrstuvwxyzáæéíðóöúýþ", start: 16480
    },
    Language { name: "irish", letters: "abcdefghijklmnopqrstuvwxyzáéíóú", start: 18001 },
    Language {
        name: "welsh", letters: "abcdefghijklmnopqrstuvwxyzáâêëîïôöûŵŷ", start: 19157
    },
    Language {
        name: "maltese", letters: "abcdefghijklmnopqrstuvwxyzàèìòùċġħż", start: 20757
    },
    Language { name: "esperanto", letters: "abcdefghijklmnopqrstuvwxyzĉĝĥĵŝŭ", start: 22201 },
    Language { name: "estonian", letters: "abcdefghijklmnopqrstuvwxyzäõöüšž", start: 23426 },
    Language {
        name: "latvian", letters: "abcdefghijklmnopqrstuvwxyzāčēģīķļņšūž", start: 24651
    },
    Language {
        name: "lithuanian", letters: "abcdefghijklmnopqrstuvwxyząčėęįšūųž", start: 26251
    },
    Language {
        name: "polish", letters: "abcdefghijklmnopqrstuvwxyzóąćęłńśźż", start: 27695
    },
    Language {
        name: "czech",
        letters: "abcdefghijklmnopqrstuvwxyzáéíóúýăąčďěľňřšťůž",
        start: 29139,
    },
    Language {
        name: "slovak",
        letters: "abcdefghijklmnopqrstuvwxyzáäéíóôúýčďĺľňŕšťž",
        start: 31348,
    },
    Language {
        name: "hungarian", letters: "abcdefghijklmnopqrstuvwxyzáéíóöúüőű", start: 33464
    },
    Language { name: "romanian", letters: "abcdefghijklmnopqrstuvwxyzâîăşţ", start: 34908 },
    Language { name: "slovene", letters: "abcdefghijklmnopqrstuvwxyzćčšž", start: 36064 },
    Language { name: "croatian", letters: "abcdefghijklmnopqrstuvwxyzćčđšž", start: 37153 },
    Language { name: "albanian", letters: "abcdefghijklmnopqrstuvwxyzçë", start: 38309 },
    Language {
        name: "turkish", letters: "abcdefghijklmnopqrstuvwxyzâçîöûüğış", start: 39270
    },
    Language {
        name: "vietnamese",
        letters: "abcdefghijklmnopqrstuvwxyzàáâèéêíóôùúăđơự̀́̃̉",
        start: 40714,
    },
    Language {
        name: "russian", letters: "абвгдежзийклмнопрстуфхцчшщыьэюяё", start: 43115
    },
    Language {
        name: "ukrainian", letters: "абвгдежзийклмнопрстуфхцчшщьюяєіїґ", start: 44340
    },
    Language {
        name: "belarusian", letters: "абвгдежзийклмнопрстуфхцчшыьэюяёіў", start: 45636
    },
    Language {
        name: "bulgarian", letters: "абвгдежзийклмнопрстуфхцчшщъьюяѝ", start: 46932
    },
    Language {
        name: "macedonian", letters: "абвгдежзиклмнопрстуфхцчшѐѓѕјњќѝџ", start: 48088
    },
    Language {
        name: "serbian", letters: "абвгдежзиклмнопрстуфхцчшђјљњћџ", start: 49313
    },
    Language {
        name: "kazakh",
        letters: "абвгдежзийклмнопрстуфхцчшщъыьэюяёіғқңүұһәө",
        start: 50402,
    },
    Language {
        name: "tajik", letters: "абвгдежзийклмнопрстуфхцчшщъыэюяёғқҳҷӣӯ", start: 52427
    },
    Language {
        name: "greek", letters: "ΐάέήίΰαβγδεζηθικλμνξοπρςστυφχψωϊϋόύώ", start: 54108
    },
    Language {
        name: "hebrew",
        letters: "\u{5d0}\u{5d1}\u{5d2}\u{5d3}\u{5d4}\u{5d5}\u{5d6}\u{5d7}\u{5d8}\u{5d9}\u{5da}\u{5db}\u{5dc}\u{5dd}\u{5de}\u{5df}\u{5e0}\u{5e1}\u{5e2}\u{5e3}\u{5e4}\u{5e5}\u{5e6}\u{5e7}\u{5e8}\u{5e9}\u{5ea}",
        start: 55629,
    },
    Language {
        name: "arabic",
        letters: "\u{621}\u{622}\u{623}\u{624}\u{625}\u{626}\u{627}\u{628}\u{629}\u{62a}\u{62b}\u{62c}\u{62d}\u{62e}\u{62f}\u{630}\u{631}\u{632}\u{633}\u{634}\u{635}\u{636}\u{637}\u{638}\u{639}\u{63a}\u{640}\u{641}\u{642}\u{643}\u{644}\u{645}\u{646}\u{647}\u{648}\u{649}\u{64a}",
        start: 56529,
    },
    Language {
        name: "persian",
        letters: "\u{622}\u{623}\u{626}\u{627}\u{628}\u{62a}\u{62b}\u{62c}\u{62d}\u{62e}\u{62f}\u{630}\u{631}\u{632}\u{633}\u{634}\u{635}\u{636}\u{637}\u{638}\u{639}\u{63a}\u{641}\u{642}\u{643}\u{644}\u{645}\u{646}\u{647}\u{648}\u{64a}\u{67e}\u{686}\u{698}\u{6af}",
        start: 58129,
    },
    Language {
        name: "urdu",
        letters: "\u{621}\u{622}\u{624}\u{626}\u{627}\u{628}\u{62a}\u{62b}\u{62c}\u{62d}\u{62e}\u{62f}\u{630}\u{631}\u{632}\u{633}\u{634}\u{635}\u{636}\u{637}\u{638}\u{639}\u{63a}\u{641}\u{642}\u{643}\u{644}\u{645}\u{646}\u{647}\u{648}\u{64a}\u{679}\u{67e}\u{686}\u{688}\u{691}\u{6af}\u{6ba}\u{6be}\u{6c1}\u{6d2}",
        start: 59573,
    },
    Language {
        name: "thai",
        letters: "กขคงจฉชซญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรฤลวศษสหฬอฮฯะัาำิีึืุูเแโใไๆ็่้๊์",
        start: 61598,
    },
];
