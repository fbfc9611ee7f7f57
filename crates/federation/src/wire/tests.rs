//! Hostile bytes never panic, and what is read is what would be written.

use super::*;
use crate::crypto::Token;
use crate::evidence::{Occurrence, Population, Reference};
use crate::outcome::Facts;
use crate::parties::PartyId;
use proptest::prelude::*;

fn header() -> Header {
    Header { plan: [7; 16], from: PartyId(1), to: PartyId(2), number: 3 }
}

fn token(text: &str) -> Token {
    Token(text.as_bytes().into())
}

fn part() -> EncryptedPart {
    EncryptedPart {
        rows: 3,
        identifiers: vec![token("x"), token("y"), token("z")],
        columns: vec![
            EncryptedColumn {
                column: 0,
                tokens: vec![token("a"), token("b"), token("c")],
                values: vec![0, 2],
                levels: vec![vec![1, 1], vec![1, 1]],
                shares: vec![vec![2.0, 2.0], vec![3.0, 3.0]],
                leaves: 3,
                placeholder: Some(1),
                cells: vec![0, 1, 0],
            },
            EncryptedColumn { column: 4, cells: vec![1, 0, 1], ..EncryptedColumn::default() },
        ],
        counters: CounterList(vec![[1; 64], [2; 64], [3; 64]]),
        population: CounterList(vec![[6; 64]; 3]),
    }
}

fn release() -> SealedRelease {
    let facts =
        Facts { node: vec![1, 0], loss: 2.5, suppressed_rows: 1, checks: 9, subset_tests: 2, optimal: true };
    let occurrence = |rows| Occurrence { rows, branches: vec![0, rows] };
    let reference = Reference { shown: vec![occurrence(1), occurrence(2)], withheld: vec![occurrence(3)] };
    let column = SealedColumn {
        column: 2,
        opened: vec![token("a")],
        sealed: vec![token("b")],
        cells: vec![1, 0],
        reference: Some(reference),
    };
    let population = Some(Population { rows: 9, empty_classes: 1, of_row: vec![4, 5] });
    let (counters, class_sizes) = (CounterList::default(), CounterList(vec![[8; 64]; 2]));
    let totals =
        vec![ProfileColumn { levels: Vec::new(), shares: Vec::new(), counters: CounterList(vec![[7; 64]]) }];
    SealedRelease { facts, rows: 2, columns: vec![column], counters, population, class_sizes, totals }
}

fn messages() -> Vec<Message> {
    let classes = ClassCounters {
        views: 2,
        lengths: vec![1, 0, 1, 1],
        numbers: vec![3, 1],
        counters: CounterList(vec![[5; 64]; 3]),
    };
    let check = Check { node: vec![0, 1], visible_rows: 10, classes };
    vec![
        Message::Contribution([1; 32]),
        Message::Confirmation([2; 32]),
        Message::CounterKey([3; 32]),
        Message::Part(part()),
        Message::Part(EncryptedPart::default()),
        Message::Integrated { part: part(), identifiers: [9; 32] },
        Message::Profile(vec![ProfileColumn {
            levels: vec![vec![0, 0]],
            shares: vec![vec![1.0, 1.0]],
            counters: CounterList(vec![[4; 64]; 2]),
        }]),
        Message::Check(check.clone()),
        Message::Answer(Answer { monotone_part_holds: true, loss: Some(28.0) }),
        Message::Answer(Answer { monotone_part_holds: false, loss: None }),
        Message::Finish(check),
        Message::Fates(vec![true, false]),
        Message::Release(Some(release())),
        Message::Release(None),
        Message::Decoding(Some(release())),
        Message::Totals(Totals {
            visible_rows: 7,
            columns: vec![ProfileColumn {
                levels: vec![vec![0, 1]],
                shares: Vec::new(),
                counters: CounterList(vec![[4; 64]; 2]),
            }],
        }),
        Message::People(vec![token("a"), token("b")]),
        Message::Everyone(Vec::new()),
        Message::Values(vec![token("a"), token("b")]),
        Message::Union(vec![token("a")]),
        Message::Opening(Vec::new()),
        Message::Searched,
        Message::Sums(ShareSums {
            rows: 9,
            left_out: 4,
            failing: 2,
            kept_classes: 1,
            kept_squares: 25,
            all_squares: 33,
            population: 11,
            absent_classes: 1,
        }),
    ]
}

fn body(message: &Message) -> Vec<u8> {
    let mut writer = Writer::default();
    message.write(&mut writer);
    writer.into_bytes()
}

const MOST: u64 = 1 << 20;

#[test]
fn messages_survive_the_wire() {
    for message in messages() {
        let bytes = Frame::encode(&header(), &message);
        let frame = Frame::decode(&bytes, MOST).unwrap();
        assert_eq!(frame.header, header());
        assert_eq!(frame.message.kind(), message.kind());
        assert_eq!(body(&frame.message), body(&message));
    }
}

#[test]
fn every_truncation_and_every_surplus_is_refused() {
    for message in messages() {
        let whole = body(&message);
        for length in 0..whole.len() {
            assert!(Message::read(message.kind(), &whole[..length]).is_err());
        }
        let mut longer = whole.clone();
        longer.push(0);
        assert!(Message::read(message.kind(), &longer).is_err());
        let bytes = Frame::encode(&header(), &message);
        for length in 0..bytes.len() {
            assert!(Frame::decode(&bytes[..length], MOST).is_err());
        }
    }
}

#[test]
fn a_message_that_unpacks_to_more_than_it_says_is_refused() {
    // A megabyte of zeros packs into a few bytes; the header announces ten.
    let mut bytes = Frame::encode(&header(), &Message::Contribution([0; 32]));
    bytes.truncate(4 + 2 + 16 + 2 + 2 + 4 + 1 + 8 + 16);
    bytes.extend(zstd::bulk::compress(&vec![0u8; 1 << 20], 3).unwrap());
    bytes[31..39].copy_from_slice(&10u64.to_le_bytes());
    // A liar gets the checksum right.
    let digest = frame::checksum(&bytes[..39], &bytes[55..]);
    bytes[39..55].copy_from_slice(&digest);
    assert_eq!(Frame::decode(&bytes, MOST).unwrap_err(), DecodeError::Compression);
    bytes[31..39].copy_from_slice(&(1u64 << 40).to_le_bytes());
    assert_eq!(Frame::decode(&bytes, MOST).unwrap_err(), DecodeError::TooLong(1 << 40));
}

#[test]
fn a_list_longer_than_the_message_is_refused() {
    let mut bytes = body(&Message::Part(part()));
    bytes[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(Message::read(MessageKind::Part, &bytes).unwrap_err(), DecodeError::ListTooLong);
}

#[test]
fn what_has_another_form_is_refused() {
    let refused = |change: &dyn Fn(&mut EncryptedPart)| {
        let mut part = part();
        change(&mut part);
        assert!(Message::read(MessageKind::Part, &body(&Message::Part(part))).is_err());
    };
    refused(&|part| part.columns[0].tokens.swap(0, 1));
    refused(&|part| part.columns[0].tokens[1] = part.columns[0].tokens[0].clone());
    refused(&|part| part.columns[0].cells[0] = 2);
    refused(&|part| part.columns[0].levels[0][0] = 3);
    refused(&|part| part.columns[0].placeholder = Some(2));
    refused(&|part| part.columns[1].cells[0] = 2);
    refused(&|part| part.columns.swap(0, 1));
    refused(&|part| part.rows = 4);
    refused(&|part| part.counters.0.push([0; 64]));
    refused(&|part| part.population.0.resize(part.rows as usize + 1, [0; 64]));
    refused(&|part| part.identifiers.truncate(1));
    refused(&|part| part.columns[0].shares[0][0] = f64::NAN);
}

fn kind() -> impl Strategy<Value = MessageKind> {
    (1u8..18).prop_map(|code| MessageKind::from_code(code).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn random_bytes_are_read_canonically_or_refused(kind in kind(), bytes in prop::collection::vec(prop_oneof![0u8..4, any::<u8>()], 0..200)) {
        if let Ok(message) = Message::read(kind, &bytes) {
            prop_assert_eq!(body(&message), bytes);
        }
    }

    #[test]
    fn random_frames_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(Frame::decode(&bytes, MOST).is_err());
    }

    #[test]
    fn damaged_bodies_are_read_canonically_or_refused(number in 0usize..18, position in any::<prop::sample::Index>(), value in any::<u8>()) {
        let message = &messages()[number];
        let mut bytes = body(message);
        let at = position.index(bytes.len());
        bytes[at] = value;
        if let Ok(read) = Message::read(message.kind(), &bytes) {
            prop_assert_eq!(body(&read), bytes);
        }
    }

    #[test]
    fn damaged_frames_are_refused(number in 0usize..18, position in any::<prop::sample::Index>(), flip in 1u8..) {
        let mut bytes = Frame::encode(&header(), &messages()[number]);
        let at = position.index(bytes.len());
        bytes[at] ^= flip;
        prop_assert!(Frame::decode(&bytes, MOST).is_err());
    }
}
