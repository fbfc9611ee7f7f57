//! Structures of public code systems: which codes belong together. The titles are their owners'; the ranges are facts.
//!
//! ICD-10: chapters and blocks of the WHO's version (2019) and of the German modification (ICD-10-GM). The two differ by a few codes at the
//! end of a block (D90, O09, T89, U50 and up are German); a range here covers both, and the older blocks that began earlier (A90-A99).
//! Where blocks are nested, the smallest are taken (C15-C26, not C00-C75). ICD-10-CM: chapters and sections of the clinical modification
//! of the United States (National Center for Health Statistics, 2024). Codes compare as texts, so its C7A, C7B and D3A lie in C76-C80 and
//! D37-D48, and C4A, M1A and Z3A, which come after C49, M19 and Z39, stand by themselves.
//! ATC: WHO Collaborating Centre for Drug Statistics Methodology. NUTS: Regulation (EC) No 1059/2003.

use super::{Align, CodeLevel, CodeRange, Codes};

/// The names of all structures.
pub const STRUCTURES: [&str; 6] = ["icd-10", "icd-10-cm", "atc", "nuts", "plz", "zip"];

/// The structure of that name.
///
/// `icd-10`, `icd-10-cm`: category, block, chapter. `atc`: chemical, pharmacological, therapeutic, anatomical group. `nuts`: NUTS 2, NUTS 1,
/// country. `plz` and `zip`: German and US postcodes, digit by digit.
pub fn structure(name: &str) -> Option<Codes> {
    let keep = |counts: &[u8]| counts.iter().copied().map(CodeLevel::Keep).collect::<Vec<_>>();
    let made = match name {
        "icd-10" => {
            let levels = vec![CodeLevel::Keep(3), ranges(ICD_BLOCKS), ranges(ICD_CHAPTERS)];
            Codes::new(levels, None, Align::Left)
        }
        "icd-10-cm" => {
            let levels = vec![CodeLevel::Keep(3), ranges(CM_SECTIONS), ranges(CM_CHAPTERS)];
            Codes::new(levels, None, Align::Left)
        }
        "atc" => Codes::new(keep(&[5, 4, 3, 1]), None, Align::Left),
        "nuts" => Codes::new(keep(&[4, 3, 2]), None, Align::Left),
        "plz" | "zip" => Codes::new(keep(&[4, 3, 2, 1]), Some(5), Align::Right),
        _ => return None,
    };
    made.ok()
}

fn ranges(texts: &str) -> CodeLevel {
    CodeLevel::Ranges(texts.split_ascii_whitespace().filter_map(CodeRange::parse).collect())
}

const ICD_CHAPTERS: &str = "A00-B99 C00-D48 D50-D90 E00-E90 F00-F99 G00-G99 H00-H59 H60-H95 I00-I99 J00-J99 K00-K93 L00-L99 \
                            M00-M99 N00-N99 O00-O99 P00-P96 Q00-Q99 R00-R99 S00-T98 U00-U99 V01-Y98 Z00-Z99";

const ICD_BLOCKS: &str = "
A00-A09 A15-A19 A20-A28 A30-A49 A50-A64 A65-A69 A70-A74 A75-A79 A80-A89 A90-A99
B00-B09 B15-B19 B20-B24 B25-B34 B35-B49 B50-B64 B65-B83 B85-B89 B90-B94 B95-B98 B99
C00-C14 C15-C26 C30-C39 C40-C41 C43-C44 C45-C49 C50 C51-C58 C60-C63 C64-C68 C69-C72 C73-C75 C76-C80 C81-C96 C97
D00-D09 D10-D36 D37-D48
D50-D53 D55-D59 D60-D64 D65-D69 D70-D77 D80-D90
E00-E07 E10-E14 E15-E16 E20-E35 E40-E46 E50-E64 E65-E68 E70-E90
F00-F09 F10-F19 F20-F29 F30-F39 F40-F48 F50-F59 F60-F69 F70-F79 F80-F89 F90-F98 F99
G00-G09 G10-G14 G20-G26 G30-G32 G35-G37 G40-G47 G50-G59 G60-G64 G70-G73 G80-G83 G90-G99
H00-H06 H10-H13 H15-H22 H25-H28 H30-H36 H40-H42 H43-H45 H46-H48 H49-H52 H53-H54 H55-H59
H60-H62 H65-H75 H80-H83 H90-H95
I00-I02 I05-I09 I10-I15 I20-I25 I26-I28 I30-I52 I60-I69 I70-I79 I80-I89 I95-I99
J00-J06 J09-J18 J20-J22 J30-J39 J40-J47 J60-J70 J80-J84 J85-J86 J90-J94 J95-J99
K00-K14 K20-K31 K35-K38 K40-K46 K50-K52 K55-K64 K65-K67 K70-K77 K80-K87 K90-K93
L00-L08 L10-L14 L20-L30 L40-L45 L50-L54 L55-L59 L60-L75 L80-L99
M00-M03 M05-M14 M15-M19 M20-M25 M30-M36 M40-M43 M45-M49 M50-M54 M60-M63 M65-M68 M70-M79 M80-M85 M86-M90 M91-M94 M95-M99
N00-N08 N10-N16 N17-N19 N20-N23 N25-N29 N30-N39 N40-N51 N60-N64 N70-N77 N80-N98 N99
O00-O08 O09 O10-O16 O20-O29 O30-O48 O60-O75 O80-O84 O85-O92 O94-O99
P00-P04 P05-P08 P10-P15 P20-P29 P35-P39 P50-P61 P70-P74 P75-P78 P80-P83 P90-P96
Q00-Q07 Q10-Q18 Q20-Q28 Q30-Q34 Q35-Q37 Q38-Q45 Q50-Q56 Q60-Q64 Q65-Q79 Q80-Q89 Q90-Q99
R00-R09 R10-R19 R20-R23 R25-R29 R30-R39 R40-R46 R47-R49 R50-R69 R70-R79 R80-R82 R83-R89 R90-R94 R95-R99
S00-S09 S10-S19 S20-S29 S30-S39 S40-S49 S50-S59 S60-S69 S70-S79 S80-S89 S90-S99
T00-T07 T08-T14 T15-T19 T20-T25 T26-T28 T29-T32 T33-T35 T36-T50 T51-T65 T66-T78 T79 T80-T88 T89 T90-T98
U00-U49 U50-U52 U55 U60-U61 U69 U80-U89 U99
V01-V09 V10-V19 V20-V29 V30-V39 V40-V49 V50-V59 V60-V69 V70-V79 V80-V89 V90-V94 V95-V97 V98-V99
W00-W19 W20-W49 W50-W64 W65-W74 W75-W84 W85-W99 X00-X09 X10-X19 X20-X29 X30-X39 X40-X49 X50-X57 X58-X59 X60-X84 X85-Y09
Y10-Y34 Y35-Y36 Y40-Y59 Y60-Y69 Y70-Y82 Y83-Y84 Y85-Y89 Y90-Y98
Z00-Z13 Z20-Z29 Z30-Z39 Z40-Z54 Z55-Z65 Z70-Z76 Z80-Z99";

const CM_CHAPTERS: &str = "A00-B99 C00-D49 D50-D89 E00-E89 F01-F99 G00-G99 H00-H59 H60-H95 I00-I99 J00-J99 K00-K95 L00-L99 \
                           M00-M99 N00-N99 O00-O9A P00-P96 Q00-QA0 R00-R99 S00-T88 U00-U85 V00-Y99 Z00-Z99";

const CM_SECTIONS: &str = "
A00-A09 A15-A19 A20-A28 A30-A49 A50-A64 A65-A69 A70-A74 A75-A79 A80-A89 A90-A99
B00-B09 B10 B15-B19 B20 B25-B34 B35-B49 B50-B64 B65-B83 B85-B89 B90-B94 B95-B97 B99
C00-C14 C15-C26 C30-C39 C40-C41 C43-C44 C45-C49 C4A C50 C51-C58 C60-C63 C64-C68 C69-C72 C73-C75 C76-C80 C81-C96
D00-D09 D10-D36 D37-D48 D49
D50-D53 D55-D59 D60-D64 D65-D69 D70-D77 D78 D80-D89
E00-E07 E08-E13 E15-E16 E20-E35 E36 E40-E46 E50-E64 E65-E68 E70-E88 E89
F01-F09 F10-F19 F20-F29 F30-F39 F40-F48 F50-F59 F60-F69 F70-F79 F80-F89 F90-F98 F99
G00-G09 G10-G14 G20-G26 G30-G32 G35-G37 G40-G47 G50-G59 G60-G65 G70-G73 G80-G83 G89-G99
H00-H05 H10-H11 H15-H22 H25-H28 H30-H36 H40-H42 H43-H44 H46-H47 H49-H52 H53-H54 H55-H57 H59
H60-H62 H65-H75 H80-H83 H90-H94 H95
I00-I02 I05-I09 I10-I1A I20-I25 I26-I28 I30-I5A I60-I69 I70-I79 I80-I89 I95-I99
J00-J06 J09-J18 J20-J22 J30-J39 J40-J4A J60-J70 J80-J84 J85-J86 J90-J94 J95 J96-J99
K00-K14 K20-K31 K35-K38 K40-K46 K50-K52 K55-K64 K65-K68 K70-K77 K80-K87 K90-K95
L00-L08 L10-L14 L20-L30 L40-L45 L49-L54 L55-L59 L60-L75 L76 L80-L99
M00-M02 M04 M05-M14 M15-M19 M1A M20-M25 M26-M27 M30-M36 M40-M43 M45-M49 M50-M54 M60-M63 M65-M67 M70-M79 M80-M85 M86-M90 M91-M94
M95 M96 M97 M99
N00-N08 N10-N16 N17-N19 N20-N23 N25-N29 N30-N39 N40-N53 N60-N65 N70-N77 N80-N98 N99
O00-O08 O09 O10-O16 O20-O29 O30-O48 O60-O77 O80-O82 O85-O92 O94-O9A
P00-P04 P05-P08 P09 P10-P15 P19-P29 P35-P39 P50-P61 P70-P74 P76-P78 P80-P83 P84 P90-P96
Q00-Q07 Q10-Q18 Q20-Q28 Q30-Q34 Q35-Q37 Q38-Q45 Q50-Q56 Q60-Q64 Q65-Q79 Q80-Q89 Q90-Q99 QA0
R00-R09 R10-R19 R20-R23 R25-R29 R30-R39 R40-R46 R47-R49 R50-R69 R70-R79 R80-R82 R83-R89 R90-R94 R97 R99
S00-S09 S10-S19 S20-S29 S30-S39 S40-S49 S50-S59 S60-S69 S70-S79 S80-S89 S90-S99
T07 T14 T15-T19 T20-T25 T26-T28 T30-T32 T33-T34 T36-T50 T51-T65 T66-T78 T79 T80-T88
U00-U49 U50-U85
V00-V09 V10-V19 V20-V29 V30-V39 V40-V49 V50-V59 V60-V69 V70-V79 V80-V89 V90-V94 V95-V97 V98-V99
W00-W19 W20-W49 W50-W64 W65-W74 W85-W99 X00-X08 X10-X19 X30-X39 X50 X52-X58 X71-X83 X92-Y09
Y21-Y33 Y35-Y38 Y62-Y69 Y70-Y82 Y83-Y84 Y90-Y99
Z00-Z13 Z14-Z15 Z16 Z17 Z18 Z19 Z20-Z29 Z30-Z39 Z3A Z40-Z53 Z55-Z65 Z66 Z67 Z68 Z69-Z76 Z77-Z99";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_structure_is_a_hierarchy() {
        for name in STRUCTURES {
            assert!(structure(name).is_some(), "{name}");
        }
    }

    /// Ranges ascend and are apart, every block lies in one chapter, and every chapter begins and ends with a block of its own.
    #[test]
    fn blocks_fill_their_chapters_in_order() {
        for (chapters, blocks) in [(ICD_CHAPTERS, ICD_BLOCKS), (CM_CHAPTERS, CM_SECTIONS)] {
            let parsed = |texts: &'static str| -> Vec<CodeRange> {
                let all = texts.split_ascii_whitespace();
                all.map(|text| CodeRange::parse(text).unwrap_or_else(|| panic!("{text}"))).collect()
            };
            let (chapters, blocks) = (parsed(chapters), parsed(blocks));
            assert_eq!(chapters.len(), 22);
            for ranges in [&chapters, &blocks] {
                assert!(ranges.windows(2).all(|pair| pair[0].to < pair[1].from), "{ranges:?}");
            }
            let inside = |chapter: &CodeRange| {
                let of = |block: &&CodeRange| chapter.from <= block.from && block.to <= chapter.to;
                blocks.iter().filter(of).collect::<Vec<_>>()
            };
            assert_eq!(chapters.iter().map(|chapter| inside(chapter).len()).sum::<usize>(), blocks.len());
            for chapter in &chapters {
                let own = inside(chapter);
                assert_eq!(own.first().map(|block| &block.from), Some(&chapter.from));
                assert_eq!(own.last().map(|block| &block.to), Some(&chapter.to));
            }
        }
    }
}
