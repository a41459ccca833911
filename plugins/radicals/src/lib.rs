//! Replaces radicals of Chinese characters, for the plugin that reads PDF files and the one that searches them. Some fonts
//! put a radical, such as ⽂ (U+2F42), in place of the character that looks the same, 文. A search for the character would
//! not find it.

/// Each radical and its character: `Equivalent_Unified_Ideograph` of Unicode.
const PAIRS: [&str; 12] = [
    "⺁厂⺂乛⺃乚⺄乙⺅亻⺆冂⺇𠘨⺈刀⺉刂⺊卜⺋㔾⺌小⺍小⺎兀⺏尣⺐尢⺑𡯂⺒巳⺓幺⺔彑⺕彐⺖忄⺗心⺘扌⺙攵⺛旡⺜日⺝月",
    "⺞歺⺟母⺠民⺡氵⺢氺⺣灬⺤爫⺥爫⺦丬⺧牛⺨犭⺩王⺪𤴔⺫目⺬示⺭礻⺮𥫗⺯糹⺰纟⺱罓⺲罒⺳㓁⺴冗⺵𦉫⺶羊⺷𦍌⺸𦍋⺹耂",
    "⺺肀⺻聿⺼肉⺽𦥑⺾艹⺿艹⻀艹⻁虎⻂衤⻃覀⻄西⻅见⻆角⻇𧢲⻈讠⻉贝⻊𧾷⻋车⻌辶⻍辶⻎辶⻏邑⻐钅⻑長⻒镸⻓长⻔门⻕𨸏",
    "⻖阝⻗雨⻘青⻙韦⻚页⻛风⻜飞⻝食⻞𩙿⻟飠⻠饣⻡𩠐⻢马⻣骨⻤鬼⻥鱼⻦鸟⻧卤⻨麦⻩黄⻪黾⻫斉⻬齐⻭歯⻮齿⻯竜⻰龙⻱龜",
    "⻲亀⻳龟⼀一⼁丨⼂丶⼃丿⼄乙⼅亅⼆二⼇亠⼈人⼉儿⼊入⼋八⼌冂⼍冖⼎冫⼏几⼐凵⼑刀⼒力⼓勹⼔匕⼕匚⼖匸⼗十⼘卜⼙卩",
    "⼚厂⼛厶⼜又⼝口⼞囗⼟土⼠士⼡夂⼢夊⼣夕⼤大⼥女⼦子⼧宀⼨寸⼩小⼪尢⼫尸⼬屮⼭山⼮巛⼯工⼰己⼱巾⼲干⼳幺⼴广⼵廴",
    "⼶廾⼷弋⼸弓⼹彐⼺彡⼻彳⼼心⼽戈⼾戶⼿手⽀支⽁攴⽂文⽃斗⽄斤⽅方⽆无⽇日⽈曰⽉月⽊木⽋欠⽌止⽍歹⽎殳⽏毋⽐比⽑毛",
    "⽒氏⽓气⽔水⽕火⽖爪⽗父⽘爻⽙爿⽚片⽛牙⽜牛⽝犬⽞玄⽟玉⽠瓜⽡瓦⽢甘⽣生⽤用⽥田⽦疋⽧疒⽨癶⽩白⽪皮⽫皿⽬目⽭矛",
    "⽮矢⽯石⽰示⽱禸⽲禾⽳穴⽴立⽵竹⽶米⽷糸⽸缶⽹网⽺羊⽻羽⽼老⽽而⽾耒⽿耳⾀聿⾁肉⾂臣⾃自⾄至⾅臼⾆舌⾇舛⾈舟⾉艮",
    "⾊色⾋艸⾌虍⾍虫⾎血⾏行⾐衣⾑襾⾒見⾓角⾔言⾕谷⾖豆⾗豕⾘豸⾙貝⾚赤⾛走⾜足⾝身⾞車⾟辛⾠辰⾡辵⾢邑⾣酉⾤釆⾥里",
    "⾦金⾧長⾨門⾩阜⾪隶⾫隹⾬雨⾭靑⾮非⾯面⾰革⾱韋⾲韭⾳音⾴頁⾵風⾶飛⾷食⾸首⾹香⾺馬⾻骨⾼高⾽髟⾾鬥⾿鬯⿀鬲⿁鬼",
    "⿂魚⿃鳥⿄鹵⿅鹿⿆麥⿇麻⿈黃⿉黍⿊黑⿋黹⿌黽⿍鼎⿎鼓⿏鼠⿐鼻⿑齊⿒齒⿓龍⿔龜⿕龠",
];

/// Returns `true` if a character is in one of the two blocks of radicals.
pub fn is_radical(character: char) -> bool {
    matches!(character, '\u{2e80}'..='\u{2fdf}')
}

/// Returns the character of a radical. Other characters stay.
pub fn fold(character: char) -> char {
    if !is_radical(character) {
        return character;
    }
    for pairs in PAIRS {
        let mut pairs = pairs.chars();
        while let (Some(radical), Some(same)) = (pairs.next(), pairs.next()) {
            if radical == character {
                return same;
            }
        }
    }
    character
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn radicals_are_the_characters_that_they_look_like() {
        for (radicals, expected) in [
            ("\u{2f42}件", "文件"),
            ("\u{2f08}\u{2f00}\u{2fd5}", "人一龠"),
            ("\u{2ec5}\u{2ed3}\u{2ee2}\u{2ef0}", "见长马龙"),
            ("\u{2e80}a中", "\u{2e80}a中"),
        ] {
            assert_eq!(radicals.chars().map(fold).collect::<String>(), expected);
        }
        // Every Kangxi radical has a character.
        assert!(('\u{2f00}'..='\u{2fd5}').all(|radical| fold(radical) != radical));
        assert!(PAIRS.iter().all(|pairs| pairs.chars().count() % 2 == 0));
    }
}
