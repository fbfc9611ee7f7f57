//! Frequent given names and surnames of several languages and scripts, in small letters.
//!
//! A column of names has many of them, a column of anything else few: the lists need not be complete.

/// Given names and surnames in Latin letters.
pub(super) const LATIN: &str = "\
aaron abdul abigail adam adrian agnes ahmed aisha alan albert alejandro aleksandra alex alexander alexandra alexis alfred ali alice \
alina alma amanda amelia amir amy ana anastasia andre andrea andreas andrew angela anita anja ann anna anne annette anni anthony \
antje anton antonia antonio arthur arturo astrid audrey ava axel ayse barbara bastian beate beatrice ben benjamin bernd bernhard bert \
berta bettina bianca birgit bjorn björn brandon brenda brian brigitte bruno bryan burak camila carina carl carla carlos carmen carol \
carolin caroline catherine cecilia charles charlotte chloe chris christa christian christina christine christoph christopher clara \
claudia clemens conrad cornelia cynthia daniel daniela david deborah dennis diana diego dieter dirk dmitri dominik donald dora dorothy \
dylan edith eduard edward elena elias elif elisabeth elizabeth ella elke ella ellen emil emilia emily emine emma emre enrico eric erik \
erika ernst erwin esra esther ethan eva evelyn fabian fatima fatma felix fernando finn florian frances francesca francesco francis \
francisco frank franz frederik frieda friedrich fritz gabriel gabriela gabriele gary georg george gerald gerd gerhard gertrud gisela giulia \
giuseppe gloria grace greta gregor gregory guido gunther gustav hanna hannah hannelore hannes hans harald hasan hassan heather heike \
heinrich heinz helen helena helga helmut hendrik henri henry herbert hermann hilde holger horst hugo hussein ibrahim ida igor ilse imke ines \
inga inge ingrid irene irina irmgard isaac isabel isabella ivan jack jacob jacqueline jakob james jan jana jane janet janina jason \
javier jean jeffrey jennifer jens jeremy jessica joachim joan johan johann johanna johannes john jonas jonathan jordan jorge jose josé josef \
joseph joshua juan judith julia julian juliane jürgen juergen justin kai karen karin karl karolina katarzyna katharina kathleen \
kathrin katja kelly kenneth kerstin kevin khalid kim klara klaus konrad kristin kurt kyle lara larissa larry lars laura lea lena leon \
leonie lewis liam lina linda lisa logan lothar louis louise luca lucas lucia ludwig luis luisa lukas luke luna lydia madison magdalena \
malgorzata manfred manuel manuela marc marcel marco marcus margaret margarete margot maria mariam marie marina mario marion mark markus \
marlene marta martha martin martina mary mateo mathias matilda matteo matthew matthias max maximilian maya mehmet melanie melissa mia \
michael michelle miguel mila miriam mohamed mohammad mohammed monika moritz muhammad mustafa nadine nadja nancy natalia natalie natascha \
nathan nicholas nick nico nicole niklas nikolai nils nina noah nora norbert oksana olaf olga oliver olivia omar oscar oskar otto pablo \
pamela patricia patrick paul paula pauline pedro petra peter philip philipp pia piotr rachel rafael ralf ralph ramona raymond rebecca \
regina renate ricardo richard rita robert roberto roger roland rolf ronald rosa rosemarie rudolf ruth ryan sabine samantha samuel sandra \
sara sarah scott sean sebastian selina sergei sharon sigrid silke silvia simon simone sofia sofie sonja sophia sophie stefan stefanie \
steffen stephan stephanie stephen steven susan susanne svenja sven sylvia tamara tanja teresa theo theodor theresa thomas thorsten tim timo \
tina tobias tom tomas tomasz torsten tyler udo ulrich ulrike ursula ute uwe valentin valentina vanessa vera verena veronika victor \
victoria viktor viktoria vincent virginia vladimir volker walter waltraud werner wilhelm william willi wolfgang xavier yannick yasmin \
yusuf yvonne zachary zeynep zoe \
smith johnson williams brown jones garcia miller davis rodriguez martinez hernandez lopez gonzalez wilson anderson taylor moore jackson \
lee perez thompson white harris sanchez clark ramirez robinson walker young allen wright torres nguyen hill flores müller mueller \
schmidt schneider fischer weber meyer wagner becker schulz hoffmann schäfer schaefer koch bauer richter klein wolf schröder schroeder neumann \
schwarz zimmermann braun krüger krueger hofmann hartmann lange schmitt werner krause meier lehmann schmid schulze maier köhler koehler herrmann \
könig koenig walter mayer huber kaiser fuchs lang weiß weiss yilmaz kaya demir sahin celik yildiz öztürk aydin nowak kowalski wisniewski \
wojcik kaminski lewandowski rossi russo ferrari esposito bianchi romano colombo ricci martin bernard dubois durand leroy moreau laurent \
lefebvre hansen johansen olsen larsen andersen nielsen jensen pedersen johansson andersson karlsson nilsson eriksson ivanov petrov tran pham \
huynh hoang phan vu dang bui singh kumar sharma patel gupta khan reddy wang zhang chen liu yang huang zhao kim park choi tanaka suzuki sato \
takahashi watanabe yamamoto nakamura kobayashi silva santos oliveira souza pereira costa almeida ferreira novak horvat kovacs nagy szabo popescu \
bakker jansen visser smit okafor mensah haddad papadopoulos obrien kofi marek noor ivo wei gulsen omer cagla murat hatice zehra kemal yildirim \
arslan dogan kilic aslan cetin ozdemir minh duc huong thanh";

/// Given names in Cyrillic letters.
pub(super) const CYRILLIC: &str = "\
александр александра алексей алена алина анастасия анатолий андрей анна антон артем борис вадим валентин валентина валерий василий вера \
виктор виктория виталий владимир вячеслав галина геннадий георгий григорий дарья денис дмитрий евгений евгения екатерина елена елизавета иван \
игорь илья ирина кирилл константин ксения лариса лев леонид лидия любовь людмила максим маргарита марина мария михаил надежда наталия наталья \
никита николай нина оксана олег ольга павел петр петро полина раиса роман светлана сергей софия станислав степан тамара татьяна тимур федор юлия юрий яна \
олександр олена андрій дмитро сергій наталія тетяна юлія іван ірина оксана микола володимир";

/// Endings of surnames in Cyrillic letters.
pub(super) const CYRILLIC_ENDINGS: &str = "ов ев ёв ова ева ёва ин ина ский ская цкий цкая енко чук юк ян";

/// Given names in Arabic and Persian letters.
pub(super) const ARABIC: &str = "\
محمد أحمد احمد محمود علي حسن حسين عمر خالد يوسف إبراهيم ابراهيم مصطفى عبدالله عبد سعيد كريم طارق حمزة فاطمة عائشة مريم زينب خديجة سارة نور ليلى \
هدى سلمى ياسمين آمنة امنة رضا مهدی زهرا فاطمه رضا امیر سمیرا";

/// Given names and surnames in Hebrew letters.
pub(super) const HEBREW: &str = "\
דוד יוסף משה אברהם יעקב יצחק שרה רחל לאה מרים רבקה חנה אסתר דניאל מיכאל יונתן נועם אורי תמר נועה מאיה כהן לוי מזרחי פרץ ביטון";

/// Given names and surnames in Greek letters.
pub(super) const GREEK: &str = "\
γιωργος γεωργιος δημητρης δημητριος κωνσταντινος γιαννης ιωαννης νικος νικολαος χρηστος παναγιωτης βασιλης μαρια ελενη αικατερινη κατερινα \
βασιλικη σοφια αγγελικη γεωργια δημητρα αννα παπαδοπουλος παπαδοπουλου παππας οικονομου";

/// Given names and surnames in Devanagari.
pub(super) const DEVANAGARI: &str = "\
राम श्याम मोहन राज राजेश सुरेश रमेश अमित अनिल सुनील विजय संजय प्रिया पूजा नेहा सीता गीता अनीता सुनीता आशा लक्ष्मी शर्मा वर्मा गुप्ता सिंह कुमार पटेल यादव";

/// Surnames in Chinese characters, one character each.
pub(super) const HAN: &str = "王李张張刘劉陈陳杨楊赵趙黄黃周吴吳徐孙孫胡朱高林何郭马馬罗羅梁宋郑鄭谢謝韩韓唐冯馮于董萧程曹袁邓鄧许許傅沈曾彭吕呂苏蘇卢盧蒋蔡贾丁魏薛叶葉阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段";

/// Surnames in Hangul, one syllable each.
pub(super) const HANGUL: &str = "김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구나민진지엄원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모";

/// Surnames in Japanese characters.
pub(super) const JAPANESE: &str = "佐藤 鈴木 高橋 田中 伊藤 渡辺 渡邊 山本 中村 小林 加藤 吉田 山田 佐々木 山口 松本 井上 木村 斎藤 清水 山崎 阿部 森 池田 橋本 山下 石川 \
中島 前田 藤田 小川 後藤 岡田 長谷川 村上 近藤 石井 坂本 遠藤 青木 藤井 西村 福田 太田 三浦 岡本 松田";

/// Given names and surnames in Thai letters.
pub(super) const THAI: &str = "\
สมชาย สมหญิง วิชัย มาลี สมศักดิ์ ประเสริฐ สุดา นภา อรุณ สุรชัย ปราณี วันดี กมล มานะ สมบัติ ศิริพร สมพร บุญมี ใจดี แสงทอง ศรีสุข";

/// Given names in Georgian letters.
pub(super) const GEORGIAN: &str = "\
გიორგი ნინო დავით მარიამ ანა ლუკა ნიკა თამარ ეკატერინე ლევან ირაკლი ზურაბ მანანა ნათია ქეთევან სოფიო ალექსანდრე თინათინ";

/// Given names in Armenian letters.
pub(super) const ARMENIAN: &str = "\
արամ անի դավիթ մարիամ հայկ տիգրան նարե աննա լիլիթ գոռ արմեն կարեն գայանե սուրեն վահան";

/// Given names in Ethiopic letters.
pub(super) const ETHIOPIC: &str = "\
አበበ ሰላም ተስፋዬ ሄለን በቀለ ተፈራ ከበደ ገብሬ አለሙ ታደሰ ሙሉ ዳዊት ሳራ ማርያም ዮሐንስ ብርሃኑ ግርማ ኃይሉ መኮንን አስቴር ትዕግስት";

/// Endings of surnames in Georgian and Armenian letters.
pub(super) const SURNAME_ENDINGS: &str = "ძე შვილი յան յանց";
