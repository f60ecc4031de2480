"""Fetching from a server on this machine that breaks off, forgets ranges, changes its files, or has none."""

from __future__ import annotations

import base64
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

import pytest

from harness.data.download import FolderSource, HttpSource, NotThereError, fetch, open_source
from harness.errors import DataError, UsageError

BODY = bytes(range(256)) * 40


class Server:
    """What the server does, and what it was asked: `cuts` are the bytes it sends before it hangs up, answer by answer."""

    def __init__(self):
        self.files = {"/d/a b.tsv": BODY}
        self.cuts, self.status, self.ranges, self.tags = [], [], True, True
        self.version = "one"
        self.asked, self.headers = [], []


@pytest.fixture
def server():
    told = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            told.asked.append(self.headers.get("Range"))
            told.headers.append((self.path, self.headers))
            body = told.files.get(unquote(urlsplit(self.path).path))
            status = told.status.pop(0) if told.status else 200
            if body is None or status != 200:
                self.send_error(status if status != 200 else 404)
                return
            first, wanted = 0, self.headers.get("Range")
            fresh = self.headers.get("If-Range") in (None, f'"{told.version}"')
            if wanted and told.ranges and fresh:
                first = int(re.fullmatch(r"bytes=(\d+)-", wanted)[1])
                if first >= len(body):
                    self.send_response(416)
                    self.send_header("Content-Range", f"bytes */{len(body)}")
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                self.send_response(206)
                self.send_header("Content-Range", f"bytes {first}-{len(body) - 1}/{len(body)}")
            else:
                self.send_response(200)
            self.send_header("Content-Length", str(len(body) - first))
            if told.tags:
                self.send_header("ETag", f'"{told.version}"')
            self.end_headers()
            cut = told.cuts.pop(0) if told.cuts else len(body)
            self.wfile.write(body[first : first + cut])
            self.close_connection = True

        def log_message(self, *_):
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    told.url = f"http://127.0.0.1:{http.server_port}/d"
    yield told
    http.shutdown()
    http.server_close()


def get(server, tmp_path, **options):
    part = tmp_path / "a.part"
    pauses = []
    kept = fetch(open_source(server.url), "a b.tsv", part, pause=pauses.append, **options)
    return kept, part.read_bytes(), pauses


def test_a_line_that_breaks_is_taken_up_where_it_broke(server, tmp_path):
    server.cuts = [3000, 3000]
    seen = []
    kept, found, pauses = get(server, tmp_path, progress=lambda there, total: seen.append((there, total)))
    assert found == BODY
    assert server.asked == [None, "bytes=3000-", "bytes=6000-"]
    assert not kept
    assert len(pauses) == 2
    assert seen[-1] == (len(BODY), len(BODY))
    assert {total for _, total in seen} == {len(BODY)}


def test_a_later_call_goes_on(server, tmp_path):
    (tmp_path / "a.part").write_bytes(BODY[:5000])
    kept, found, _ = get(server, tmp_path)
    assert (kept, found, server.asked) == (True, BODY, ["bytes=5000-"])


@pytest.mark.parametrize("body", [BODY, b""])
def test_a_part_that_is_complete_is_not_fetched_again(server, tmp_path, body):
    server.files["/d/a b.tsv"] = body
    (tmp_path / "a.part").write_bytes(body)
    assert get(server, tmp_path)[1] == body
    assert len(server.asked) == 1


def test_a_part_that_is_longer_than_the_file_is_thrown_away(server, tmp_path):
    (tmp_path / "a.part").write_bytes(BODY + b"more")
    kept, found, _ = get(server, tmp_path)
    assert (kept, found) == (False, BODY)


def test_a_server_without_ranges_begins_anew(server, tmp_path):
    server.ranges, server.cuts = False, [3000]
    kept, found, _ = get(server, tmp_path)
    assert (kept, found) == (False, BODY)
    assert server.asked == [None, "bytes=3000-"]


def test_two_versions_are_never_joined(server, tmp_path):
    server.cuts = [3000]
    other = BODY[::-1] + b"!"

    def change(_):
        server.files["/d/a b.tsv"], server.version = other, "two"

    part = tmp_path / "a.part"
    assert not fetch(open_source(server.url), "a b.tsv", part, pause=change)
    assert part.read_bytes() == other


def test_after_some_attempts_without_a_new_byte_the_part_is_kept(server, tmp_path):
    server.cuts = [3000, 0, 0, 0, 0, 0]
    with pytest.raises(DataError, match=r"a b\.tsv broke off 3 times .*the same command goes on"):
        get(server, tmp_path, attempts=3)
    assert (tmp_path / "a.part").read_bytes() == BODY[:3000]


def test_progress_keeps_the_attempts_going(server, tmp_path):
    server.cuts = [1000] * 10
    assert get(server, tmp_path, attempts=2)[1] == BODY


@pytest.mark.parametrize("status", [500, 503, 429])
def test_a_busy_server_is_asked_again(server, tmp_path, status):
    server.status = [status, status]
    _, found, pauses = get(server, tmp_path)
    assert found == BODY
    assert pauses == sorted(pauses)
    assert len(pauses) == 2


@pytest.mark.parametrize(("status", "error"), [(404, NotThereError), (410, NotThereError), (403, DataError)])
def test_some_answers_are_final(server, tmp_path, status, error):
    server.status = [status]
    with pytest.raises(error, match=str(status)):
        get(server, tmp_path)
    assert len(server.asked) == 1


def test_a_file_larger_than_allowed_is_cut_off(server, tmp_path):
    with pytest.raises(DataError, match="larger than it may be"):
        get(server, tmp_path, largest=4000)


def test_the_query_and_the_password_are_sent_but_not_shown(server, tmp_path):
    url = server.url.replace("//", "//me:p%40ss@") + "?sig=secret"
    source = open_source(url)
    fetch(source, "a b.tsv", tmp_path / "x.part")
    path, headers = server.headers[0]
    assert path == "/d/a%20b.tsv?sig=secret"
    assert base64.b64decode(headers["Authorization"].removeprefix("Basic ")) == b"me:p@ss"
    assert source.shown == server.url
    with pytest.raises(NotThereError) as caught:
        source.open("none.tsv", 0, None)
    assert "secret" not in str(caught.value)


def test_nobody_listens(tmp_path):
    with pytest.raises(DataError, match="broke off 2 times"):
        fetch(HttpSource(urlsplit("http://127.0.0.1:9/x")), "a", tmp_path / "p", attempts=2, pause=lambda _: None)


def test_a_folder_is_a_source(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.tsv").write_bytes(BODY)
    part = tmp_path / "a.part"
    part.write_bytes(BODY[:100])
    for base in (str(tmp_path / "data"), (tmp_path / "data").as_uri()):
        source = open_source(base)
        assert isinstance(source, FolderSource)
        assert fetch(source, "a.tsv", part)
        assert part.read_bytes() == BODY
    with pytest.raises(NotThereError):
        fetch(source, "b.tsv", part)


@pytest.mark.parametrize(
    ("base", "error", "words"),
    [
        ("ftp://host/x", UsageError, "http, https, file"),
        ("http:///x", UsageError, "names no host"),
        ("file://host/x", UsageError, "file:///DIR"),
        ("no/such/folder", DataError, "no folder and no archive"),
    ],
)
def test_what_is_no_source(tmp_path, monkeypatch, base, error, words):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=words):
        open_source(base)
