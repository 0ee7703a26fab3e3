// SPDX-License-Identifier: Apache-2.0
//! Traffic files as people write them: what is read, and where an error points.

mod common;

use common::{replay, seed, Random};
use noc::{traffic, Network, NetworkConfig, Packet};

const HEADER: &str = "packet_id,src_x,src_y,dst_x,dst_y,length_flits,inject_cycle";

fn parse(bytes: &[u8]) -> Result<Vec<Packet>, (usize, usize, String)> {
    let network = Network::new(&NetworkConfig::mesh(4, 2)).expect("a network");
    traffic::parse(bytes, &network).map_err(|e| (e.line, e.column, e.what))
}

fn error(text: &str) -> (usize, usize, String) {
    parse(text.as_bytes()).expect_err("a wrong file")
}

/// The error of a row under the usual header, which must be in line 2.
fn row(text: &str) -> (usize, String) {
    let (line, column, what) = error(&format!("{HEADER}\n{text}\n"));
    assert_eq!(line, 2);
    (column, what)
}

#[test]
fn what_is_read() {
    let one = vec![Packet { id: 7, from: 6, to: 1, length: 3, inject: 40 }];
    let good = [
        format!("{HEADER}\n7,2,1,1,0,3,40\n"),
        format!("{HEADER}\n7,2,1,1,0,3,40"),
        format!("\u{feff}{HEADER}\r\n7,2,1,1,0,3,40\r\n\r\n"),
        format!("# a comment\n\n{HEADER}\n\n  # another\n 7 , 2,1 ,1, 0,3,  40 \n   \n"),
        format!("{HEADER},header_accept_cycle\n7,2,1,1,0,3,40,\n"),
        format!("{HEADER}\n7,2,1,1,0,3,40,,,,\n"),
        format!("\"{}\"\n\"7\",2,1,1,0,3,\"40\"\n", HEADER.replace(',', "\",\"")),
        "inject_cycle,note,Packet_ID,src_y,src_x,dst_y,dst_x,length_flits\n40,hello,7,1,2,0,1,003\n".to_string(),
    ];
    for text in &good {
        assert_eq!(parse(text.as_bytes()), Ok(one.clone()), "{text:?}");
    }
    assert_eq!(parse(HEADER.as_bytes()), Ok(vec![]));
}

#[test]
fn wrong_files() {
    assert!(error("").2.contains("the file is empty"));
    assert!(error("\n\n").2.contains("packet_id,src_x,src_y,dst_x,dst_y,length_flits,inject_cycle"));
    assert!(error("0,1,1,2,2,16,0\n").2.contains("there is no header line"));
    assert_eq!(error("\nsrc_x,src_y\n").0, 2);
    assert!(error("packet_id,src_x,src_y,dst_x,dst_y,length_flits\n").2.contains("column inject_cycle is missing"));
    let (line, column, what) = error(&format!("{HEADER},src_x\n"));
    assert_eq!((line, column, what.as_str()), (1, HEADER.len() + 2, "column src_x is there twice"));
    assert!(error(&HEADER.replace(',', ";")).2.contains("column packet_id is missing"));
    let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain(HEADER.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    assert_eq!(parse(&utf16).expect_err("UTF-16").2, "this is UTF-16; save the file as UTF-8");
    let mut binary = format!("{HEADER}\n0,1,").into_bytes();
    binary.extend([0xc3, 0x28, b'\n']);
    assert_eq!(parse(&binary), Err((2, 5, "byte 0xc3 is not UTF-8 text".into())));
}

#[test]
fn wrong_rows() {
    assert_eq!(row("0,1,1,2").0, 8);
    assert_eq!(row("0,1,1,2").1, "dst_y is missing: the line has 4 fields, the header needs 7");
    assert_eq!(row("0,1,1,2,,3,4"), (9, "dst_y: is empty; a whole number is needed".into()));
    assert_eq!(row("0,1,1,2,1.0,3,4"), (9, "dst_y: `1.0` is not a whole number".into()));
    assert_eq!(row("0,1,1,2,0x1,3,4"), (9, "dst_y: `0x1` is not a whole number".into()));
    assert_eq!(row("0, -1,1,2,1,3,4"), (4, "src_x: -1 is negative; a whole number from 0 is needed".into()));
    assert_eq!(row("0,1,1,2,1,3,1e5").1, "inject_cycle: `1e5` is not a whole number");
    assert_eq!(row("a\u{0}b,1,1,2,1,3,1").1, "packet_id: `a\\0b` is not a whole number");
    assert_eq!(row("0,4,1,2,1,3,4"), (3, "src_x: 4 is outside the mesh of 4x2 routers; x is 0 to 3".into()));
    assert_eq!(row("0,3,1,2,2,3,4"), (9, "dst_y: 2 is outside the mesh of 4x2 routers; y is 0 to 1".into()));
    assert_eq!(row("0,3,1,99999999999,1,3,4").0, 7);
    assert_eq!(row("0,3,1,2,1,0,4"), (11, "length_flits: 0 is not between 1 and 1000000000".into()));
    assert_eq!(row("0,3,1,2,1,1,18446744073709551615").0, 13);
    assert_eq!(row("0,3,1,2,1,1,18446744073709551616").1, "inject_cycle: 18446744073709551616 is too large");
    // Lines are counted as an editor counts them, characters too.
    let (line, column, _) = error(&format!("# ä\r\n{HEADER}\r\n\r\n0,1,1,1,1,1,1\r\n0,\u{a0}ä,1,1,1,1,1\r\n"));
    assert_eq!((line, column), (5, 4));
}

#[test]
fn damaged_files_are_read_or_refused_at_a_place() {
    let good = format!("{HEADER},header_accept_cycle\r\n0,0,0,3,1,16,0,0\r\n1,3,1,0,0,2,7,9\n\n2,1,0,1,0,1,900,\n");
    let first = seed(1);
    let mut read = 0;
    for seed in first..first + 4000 {
        let mut random = Random(seed);
        let mut bytes = good.clone().into_bytes();
        for _ in 0..1 + random.below(4) {
            let at = random.below(bytes.len() as u64) as usize;
            let odd = b",,\n\r\"-#09\xff\x00 ;.x";
            match random.below(3) {
                0 => bytes[at] = odd[random.below(odd.len() as u64) as usize],
                1 => bytes.insert(at, odd[random.below(odd.len() as u64) as usize]),
                _ => bytes.truncate(at.max(1)),
            }
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        match parse(&bytes) {
            Ok(packets) => {
                read += 1;
                let network = Network::new(&NetworkConfig::mesh(4, 2)).expect("a network");
                // What is read can be run to its end; the lengths of this file are short, those of a damaged one may not be.
                let short: Vec<Packet> = packets.into_iter().filter(|p| p.length < 1000).collect();
                assert_eq!(replay(network, &short).missing(), 0, "SIGNALBOX_SEED={seed}");
            }
            Err((line, column, what)) => {
                assert!(line >= 1 && line <= text.split('\n').count(), "SIGNALBOX_SEED={seed}: {line} {text:?}");
                let longest = text.split('\n').map(|l| l.chars().count()).max().unwrap_or(0);
                assert!(column >= 1 && column <= longest + 1, "SIGNALBOX_SEED={seed}: {column} {text:?}");
                assert!(!what.is_empty());
            }
        }
    }
    assert!(read > 200, "some damage is harmless: {read}");
}
