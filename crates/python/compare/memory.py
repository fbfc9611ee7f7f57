"""Memory and time of many rows: in Python beyond the frame, against the command line on the same rows.

python memory.py ROWS PARAVENT_BINARY
"""

from __future__ import annotations

import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time
import warnings

import polars as pl

import paravent as pv


def rows(count: int) -> pl.DataFrame:
    """Made-up people."""
    n = pl.int_range(count, eager=True)
    return pl.DataFrame(
        {
            "age": 18 + (n * 7919 % 73),
            "sex": pl.Series(["f", "m"])[n % 2],
            "zip": (n * 104729 % 900 + 10000).cast(pl.String),
            "job": (n * 31 % 40).cast(pl.String),
            "illness": (n * n % 97).cast(pl.String),
        }
    )


def job() -> pv.Job:
    made = pv.Job()
    made["age"] = {"role": "quasi-identifier", "type": "integer", "hierarchy": pv.intervals([5, 10, 20], 0, 100)}
    made["sex"].role = "quasi-identifier"
    made["zip"] = {"role": "quasi-identifier", "hierarchy": pv.redact("right")}
    made["job"] = {"role": "quasi-identifier"}
    made["illness"].role = "sensitive"
    return made.promise(pv.k_anonymity(5), pv.distinct_l_diversity("illness", 2), suppression_limit=0.02).search(metric="loss")


def high_water() -> int:
    """Peak of resident memory since the last reset, in bytes."""
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024
    return 0


def resident() -> int:
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def processor(whose: int) -> float:
    """Seconds of the processor so far: other programs hardly count."""
    used = resource.getrusage(whose)
    return used.ru_utime + used.ru_stime


def main(count: int, binary: str) -> None:
    frame = rows(count)
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        frame.write_parquet(place / "table.parquet")
        described = job()
        described.document["input"] = {"path": "table.parquet"}
        described.save(place / "paravent.toml")
        began = time.perf_counter()
        subprocess.run([binary, "--quiet", "anonymize", "paravent.toml"], cwd=folder, check=True)
        command = time.perf_counter() - began
        worked = processor(resource.RUSAGE_CHILDREN)
        theirs = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        pathlib.Path("/proc/self/clear_refs").write_text("5")
        before, processed = resident(), processor(resource.RUSAGE_SELF)
        began = time.perf_counter()
        release = pv.Job.load(place / "paravent.toml").anonymize(frame)
        ours = high_water() - before
        made = pl.DataFrame(release)
        python, processed = time.perf_counter() - began, processor(resource.RUSAGE_SELF) - processed
        same = release.data() == (place / "release/data.csv").read_bytes()
        print(f"rows {count}, frame {frame.estimated_size() >> 20} MiB, output {made.estimated_size() >> 20} MiB, same bytes: {same}")
        print(f"command line: {theirs >> 20} MiB, {command:.1f} s, {worked:.1f} s of the processor")
        print(f"Python beyond the frame: {ours >> 20} MiB, {python:.1f} s, {processed:.1f} s of the processor ({ours / theirs:.2f} of the memory, {python / command:.2f} of the time, {processed / worked:.2f} of the processor's)")


if __name__ == "__main__":
    warnings.simplefilter("ignore", pv.ParaventWarning)
    main(int(sys.argv[1]), sys.argv[2])
