//! Slices, noise and answers as Parquet, Arrow and workbooks: made, verified, and found out where a byte was changed.

use super::noise::{NOISY_JOB, noise};
use super::support::{JOB, Place, patients};

const FORMATS: [&str; 3] = ["parquet", "arrow", "xlsx"];

fn in_format(job: &str, format: &str) -> String {
    job.replace("path = \"release\"", &format!("path = \"release\"\nformat = \"{format}\""))
}

/// The release is sound, and no changed byte of its data goes unnoticed, nor one behind its end with a digest that fits.
fn is_guarded(place: &Place, release: &str, format: &str) {
    place.run(&["verify", release]).expect(0);
    let file = format!("{release}/data.{format}");
    let bytes = place.bytes(&file);
    for at in (0..bytes.len()).step_by(bytes.len().div_ceil(8)) {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        place.write(&file, changed);
        let code = place.run(&["verify", release]).code;
        assert!(matches!(code, Some(1 | 4)), "{file}, byte {at}: {code:?}");
    }
    let longer = [&bytes[..], b" "].concat();
    place.write(&file, &longer);
    std::fs::remove_dir_all(place.path(&format!("{release}.private"))).unwrap();
    let mut manifest = place.json(&format!("{release}/manifest.json"));
    manifest["output"]["sha256"] = digest(&longer).into();
    place.write(&format!("{release}/manifest.json"), format!("{manifest:#}\n"));
    let code = place.run(&["verify", release]).code;
    assert!(matches!(code, Some(1 | 4)), "{file}, a byte more: {code:?}");
}

fn digest(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Cells that look like numbers and are none of the format's: no column may be taken for another by whoever reads the file again.
fn strange() -> String {
    let mut text = String::from("n,nothing,plus,large,zeros,decimal,power,mixed,signed,ward\n");
    for row in 0..120u32 {
        let drawn = |salt: u32| {
            let mixed = (row + 1).wrapping_mul(0x9e37_79b9) ^ salt.wrapping_mul(0x85eb_ca6b);
            (mixed ^ mixed >> 15).wrapping_mul(0x2c1b_3c6d) >> 12
        };
        let cells = [
            drawn(9).to_string(),
            String::new(),
            format!("+{}", drawn(1) % 5),
            format!("922337203685477580{}", drawn(2) % 10),
            format!("00{}", drawn(3) % 4),
            format!("{}.{}", drawn(4) % 3, 1 + drawn(4) / 3 % 4),
            format!("{}e3", drawn(5) % 3),
            if drawn(6) % 6 == 0 { "unknown".to_owned() } else { (drawn(7) % 4).to_string() },
            format!("{}{}", ["-", ""][drawn(8) as usize % 2], 1 + drawn(10) % 3),
            ["north", "south", ""][drawn(11) as usize % 3].to_owned(),
        ];
        text.push_str(&(cells.join(",") + "\n"));
    }
    text
}

#[test]
fn slices() {
    for format in FORMATS {
        let place = Place::with(&in_format(JOB, format), patients());
        let slice = "slice patients.csv --job paravent.toml --groups age;sex;zip;diagnosis --bucket 20 --release sliced";
        place.run(&slice.split(' ').collect::<Vec<_>>()).expect(0);
        is_guarded(&place, "sliced", format);
        // Every kind of cell.
        let names = ["n", "nothing", "plus", "large", "zeros", "decimal", "power", "mixed", "signed", "ward"];
        let columns = names.map(|name| {
            let role = if name == "ward" { "quasi-identifier" } else { "insensitive" };
            format!("[[attributes]]\nname = \"{name}\"\nrole = \"{role}\"\n")
        });
        let rest = "[privacy]\nmodels = [{ model = \"k-anonymity\", k = 2 }]\n[output]\npath = \"release\"\n";
        let job = format!("version = 1\n[input]\npath = \"patients.csv\"\n{}{rest}", columns.concat());
        let job = in_format(&job, format);
        let place = Place::with(&job, strange());
        let groups = names.join(";");
        let slice = "slice patients.csv --job paravent.toml --bucket 30 --allow-identifying --release sliced --groups";
        place.run(&[&slice.split(' ').collect::<Vec<_>>()[..], &[&groups]].concat()).expect(0);
        is_guarded(&place, "sliced", format);
    }
}

#[test]
fn noise_on_a_grid() {
    for format in FORMATS {
        // Half years from 0 to 100, and nobody is drawn near 100: the widest cell of the grid does not leave.
        let job = in_format(NOISY_JOB, format).replace(
            "epsilon = \"0.5\", min = \"0\", max = \"100\", step = \"5\"",
            "epsilon = \"20\", min = \"0\", max = \"100\", step = \"0.5\"",
        );
        let place = Place::with(&job.replace("epsilon = \"5\"", "epsilon = \"500\""), patients());
        noise(&place, &["--job", "paravent.toml", "--release", "noisy"]).expect(0);
        is_guarded(&place, "noisy", format);
    }
}

/// A value that the format does not have, and a row of which a sheet shows nothing: refused, before anything is paid.
#[test]
fn noise_that_might_not_be_written_costs_nothing() {
    let sex = "[[attributes]]\nname = \"sex\"\nrole = \"quasi-identifier\"\n";
    let small = format!(
        "version = 1\n[input]\npath = \"patients.csv\"\n{sex}[privacy]\nbudget = {{ epsilon = 9 }}\n\
         models = [{{ model = \"k-anonymity\", k = 2 }}]\n[output]\npath = \"release\"\n"
    );
    let windows = small.replace("[output]\n", "[output]\nencoding = \"windows-1252\"\n");
    let workbook = in_format(&small, "xlsx");
    for (job, noisy) in
        [(&windows, "sex=0.5:uniform('f', 'm', '\u{436}')"), (&workbook, "sex=0.5:uniform('f', 'm', NULL)")]
    {
        let place = Place::with(job, patients());
        let before = place.names();
        for more in [&[][..], &["--dry-run"]] {
            let args = ["--job", "paravent.toml", "--column", noisy, "--release", "noisy"];
            let told = noise(&place, &[&args[..], more].concat());
            assert!(told.code != Some(0), "{noisy}: {}", told.out);
            assert_eq!(place.names(), before, "{noisy}: nothing was paid");
        }
        place.write("paravent.toml", &small);
        noise(&place, &["--job", "paravent.toml", "--column", noisy, "--release", "noisy"]).expect(0);
    }
}

#[cfg(feature = "sql")]
#[test]
fn answers() {
    let generalized = "SELECT age, sex, zip, diagnosis FROM generalize(patients, k => 3)";
    let noisy = "SELECT * FROM randomize((SELECT sex, diagnosis FROM patients), columns => ((sex, 0.5, uniform('f', 'm'))))";
    for format in FORMATS {
        for statement in [generalized, noisy] {
            let job =
                in_format(JOB, format).replace("[privacy]\n", "[privacy]\nbudget = { epsilon = 500 }\n");
            let place = Place::with(&job, patients());
            place.run(&["sql", statement, "--job", "paravent.toml", "--release", "answer"]).expect(0);
            is_guarded(&place, "answer", format);
        }
    }
}
