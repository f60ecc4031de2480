"""The stand-in encoder: the same bytes in every process, and an honest answer where a pack has no samples."""

from __future__ import annotations

import subprocess
import sys

import pytest

from harness.encoder import fingerprint, open_embedder
from harness.errors import EncoderError
from harness.languages import open_pack
from harness.standin import encoder_folder, standin_folder


def test_it_is_the_same_in_every_process(tmp_path, monkeypatch):
    code = "from harness.standin import *; from harness.languages import *; from harness.encoder import *\n"
    code += "print(fingerprint(str(standin_folder(open_pack('en')))))"
    seen = set()
    for run in ("a", "b"):
        monkeypatch.setenv("AUGBENCH_CACHE", str(tmp_path / run))
        monkeypatch.setenv("PYTHONHASHSEED", {"a": "1", "b": "2"}[run])
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        seen.add(done.stdout.strip())
    assert len(seen) == 1
    assert len(seen.pop()) == 64


def test_it_knows_its_own_corpus(tmp_path, monkeypatch):
    monkeypatch.setenv("AUGBENCH_CACHE", str(tmp_path))
    pack = open_pack("en")
    folder = standin_folder(pack)
    embedder = open_embedder(encoder_folder("standin", pack))
    rows = embedder.encoder.vocabulary.rows(["the house was not sold", "日本"])
    unknown = embedder.encoder.vocabulary.unknown
    assert unknown not in rows[0]
    assert unknown in rows[1]
    assert fingerprint(str(folder)) == fingerprint(str(standin_folder(pack)))
    assert encoder_folder("./other", pack) == "./other"


def test_a_pack_without_samples_says_what_to_do(tmp_path):
    pack = open_pack("en")

    class Bare(type(pack)):
        def __init__(self):
            self.__dict__.update(pack.__dict__)
            self.samples = tmp_path

    with pytest.raises(EncoderError, match="--encoder PATH"):
        standin_folder(Bare())
