"""Serves ClickHouse's engine, which PyPI has as a library (chdb-core), through ClickHouse's HTTP interface.

Statements, storage, merges, mutations and errors are ClickHouse's own. This file listens, and fails when a test asks it
to; README.md beside it says how, and what such a server cannot show.
"""

import argparse
import gzip
import json
import os
import re
import signal
import socket
import ssl
import sys
import threading
import time
import uuid
import zlib
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from chdb.state.sqlitelike import Connection

CHUNK = 1 << 20

# Exceptions of inserts that the library drops.
REFUSALS = {242: "TABLE_IS_READ_ONLY", 243: "NOT_ENOUGH_SPACE", 252: "TOO_MANY_PARTS"}

# ClickHouse's http_max_field_value_size and http_max_fields; and where proxies cut addresses.
LONGEST_FIELD = 131072
MOST_FIELDS = 1000
LONGEST_ADDRESS = 8192

# What ClickHouse answers to an exception's code; all others are 500.
STATUS = {194: 401, 192: 403, 193: 403, 516: 403, 497: 403, 512: 403}
STATUS |= {code: 400 for code in (36, 6, 25, 26, 38, 41, 72, 27, 675, 676, 376, 427, 15, 44, 8, 67, 167, 168, 162, 62, 117, 53, 321, 69, 457)}
STATUS |= {code: 404 for code in (60, 46, 47, 50, 56, 81, 115, 63, 73, 336, 78, 511)}
STATUS |= {48: 501, 291: 413, 209: 503, 76: 503, 439: 503, 381: 411, 159: 408, 720: 415}

# Formats whose chunks can be sent one after the other; all others are held back until they are whole.
STREAMED = {"jsoneachrow", "jsoncompacteachrow", "jsonstringseachrow", "tabseparated", "tsv", "csv", "rowbinary", "native", "ndjson", "jsonlines"}
NOT_SETTINGS = {
    "query", "database", "query_id", "session_id", "session_timeout", "session_check", "default_format", "wait_end_of_query",
    "buffer_size", "user", "password", "role", "quota_key", "stacktrace", "client_protocol_version", "compress", "decompress",
}
INSERT = re.compile(r"^\s*(insert\s+into\s+.*?)(?:\s+format\s+(\w+)\s*)?;?\s*$", re.I | re.S)
INSERT_TARGET = re.compile(r"\s*insert\s+into\s+(?:table\s+)?(?P<table>[^\s(]+)\s*(?:\((?P<columns>[^)]*)\))?", re.I)
HAS_SOURCE = re.compile(r"\b(values|select|with)\b", re.I)
CHANGES_SESSION = re.compile(r"^\s*(set\s|use\s|create\s+temporary)", re.I)
FORMAT = re.compile(r"\bformat\s+(\w+)\s*;?\s*$", re.I)
PLACEHOLDER = re.compile(r"\{(\w+)\s*:\s*Identifier\s*\}")


class Failure(Exception):
    def __init__(self, code, text):
        super().__init__(text)
        self.code = code
        self.text = text


def failure_of(error):
    text = str(error)
    found = re.search(r"Code: (\d+)\. DB::", text)
    text = text[found.start():] if found else "Code: 1001. DB::Exception: " + text + " (STD_EXCEPTION)"
    return Failure(int(found.group(1)) if found else 1001, text)


class Engine:
    """The one engine of this process and its connections; a connection is used again by who wants the same database and settings."""

    def __init__(self, path, config):
        self.address = path + (f"?config-file={config}" if config else "")
        self.lock = threading.Lock()
        self.idle = {}
        self.sessions = {}
        self.first = Connection(self.address)
        self.version = self.first.query("select version()", "TSV").data().strip()

    def open(self, database, settings):
        connection = Connection(self.address)
        try:
            if database and database != "default":
                connection.query(f"use `{database}`")
            # What comes behind readonly is refused, which it is not in the same statement.
            names = [name for name, _ in settings]
            split = names.index("readonly") + 1 if "readonly" in names else len(names)
            for part in (settings[:split], settings[split:]):
                if part:
                    connection.query("set " + ", ".join(f"{name} = {literal(value)}" for name, value in part))
        except Exception:
            connection.close()
            raise
        return connection

    def take(self, key):
        with self.lock:
            kept = self.idle.get(key)
            if kept:
                return kept.pop()
        return self.open(*key)

    def give_back(self, key, connection):
        with self.lock:
            if sum(map(len, self.idle.values())) < 64:
                self.idle.setdefault(key, []).append(connection)
                return
            oldest = next(iter(self.idle))
            out = self.idle.pop(oldest)
            self.idle.setdefault(key, []).append(connection)
        for one in out:
            one.close()


def form_fields(content_type, data):
    parsed = BytesParser().parsebytes(b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + data)
    for part in parsed.get_payload():
        yield part.get_param("name", header="content-disposition"), part.get_payload(decode=True).decode()


def bounded(fields):
    if len(fields) > MOST_FIELDS:
        raise Failure(1000, "Poco::Exception. Code: 1000, e.code() = 0, HTML Form Exception: Too many form fields (POCO_EXCEPTION)")
    if any(len(value.encode()) > LONGEST_FIELD for _, value in fields):
        raise Failure(1000, "Poco::Exception. Code: 1000, e.code() = 0, HTML Form Exception: Field value too long (POCO_EXCEPTION)")
    return fields


def literal(value):
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


class Faults:
    """What goes wrong on demand: POST /_bridge/faults with a list of rules replaces them, DELETE ends them.

    A rule: {"match": regex of the statement, "skip": n, "times": n, "kind": …}; kinds are
    delay (ms) · error (code, text) · drop_before (nothing is done, the connection ends) · drop_after (done, then the
    connection ends without an answer) · cut (bytes of the answer, then the connection ends) · status (a proxy's, with text) ·
    exception (bytes of the answer, then the code's exception; in the frame of a tag when there is one).
    """

    def __init__(self):
        self.lock = threading.Lock()
        self.rules = []
        self.hits = []

    def find(self, statement):
        with self.lock:
            for rule in self.rules:
                if rule.get("times", 1) <= 0 or not re.search(rule.get("match", ""), statement, re.I | re.S):
                    continue
                if rule.get("skip", 0) > 0:
                    rule["skip"] -= 1
                    continue
                rule["times"] = rule.get("times", 1) - 1
                self.hits.append({"kind": rule["kind"], "statement": statement[:200]})
                return rule
        return None


class Body:
    """The request's body, inflated, a piece at a time."""

    def __init__(self, handler):
        self.stream = handler.rfile
        self.left = int(handler.headers.get("Content-Length") or 0)
        self.chunked = "chunked" in (handler.headers.get("Transfer-Encoding") or "").lower()
        self.ended = not self.chunked and self.left == 0
        coding = (handler.headers.get("Content-Encoding") or "").lower()
        if coding not in ("", "identity", "gzip", "deflate"):
            raise Failure(48, f"Code: 48. DB::Exception: the bridge does not know Content-Encoding {coding}. (NOT_IMPLEMENTED)")
        self.inflate = zlib.decompressobj(47) if coding in ("gzip", "deflate") else None

    def raw(self):
        if self.ended:
            return b""
        if self.chunked:
            if self.left == 0:
                self.left = int(self.stream.readline().split(b";")[0] or b"0", 16)
                if self.left == 0:
                    self.stream.readline()
                    self.ended = True
                    return b""
            piece = self.stream.read(min(self.left, CHUNK))
            self.left -= len(piece)
            if self.left == 0:
                self.stream.readline()
        else:
            piece = self.stream.read(min(self.left, CHUNK))
            self.left -= len(piece)
            self.ended = self.left == 0
        if not piece:
            raise ConnectionError("the client ended within its request")
        return piece

    def pieces(self):
        while piece := self.raw():
            if self.inflate:
                piece = self.inflate.decompress(piece)
            if piece:
                yield piece

    def all(self):
        return b"".join(self.pieces())


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "ClickHouse-bridge"
    disable_nagle_algorithm = True
    wbufsize = 1 << 16

    def do_GET(self):
        self.serve(readonly=True)

    def do_POST(self):
        self.serve(readonly=False)

    def do_DELETE(self):
        self.serve(readonly=False)

    def serve(self, readonly):
        url = urlsplit(self.path)
        try:
            if url.path == "/ping" or url.path == "/replicas_status":
                return self.ping()
            if url.path.startswith("/_bridge/"):
                return self.manage(url.path)
            if len(self.path) > LONGEST_ADDRESS:
                self.close_connection = True
                return self.whole(414, b"<html>Request-URI Too Large</html>", {"Content-Type": "text/html"})
            self.answer_query(dict(bounded(parse_qsl(url.query, keep_blank_values=True))), readonly)
        except Failure as failure:
            self.fail(failure)
        except (ConnectionError, ssl.SSLError, socket.timeout, TimeoutError):
            self.close_connection = True

    def ping(self):
        rule = self.server.faults.find("/ping")
        if rule and self.misbehave_before(rule):
            return
        self.whole(200, b"Ok.\n", {})

    def manage(self, path):
        faults = self.server.faults
        if path == "/_bridge/faults" and self.command == "POST":
            rules = json.loads(Body(self).all() or b"[]")
            with faults.lock:
                faults.rules, faults.hits = rules, []
        elif path == "/_bridge/faults" and self.command == "DELETE":
            with faults.lock:
                faults.rules, faults.hits = [], []
        elif path == "/_bridge/counts":
            return self.whole(200, json.dumps(self.server.counts).encode() + b"\n", {})
        with faults.lock:
            self.whole(200, json.dumps({"rules": faults.rules, "hits": faults.hits}).encode() + b"\n", {})

    def who(self, params):
        given = self.headers.get("Authorization") or ""
        user = self.headers.get("X-ClickHouse-User") or params.get("user") or "default"
        password = self.headers.get("X-ClickHouse-Key") or params.get("password") or ""
        if given.startswith("Basic "):
            import base64

            user, _, password = base64.b64decode(given[6:]).decode().partition(":")
        known = self.server.users.get(user)
        if known is None or known[0] != password:
            raise Failure(516, f"Code: 516. DB::Exception: {user}: Authentication failed: password is incorrect, or there is no user with such name. (AUTHENTICATION_FAILED)")
        return user, known[1]

    def answer_query(self, params, readonly):
        self.begun = time.monotonic()
        self.query_id = params.get("query_id") or str(uuid.uuid4())
        body = Body(self)
        _, only_reads = self.who(params)
        if params.get("compress") == "1" or params.get("decompress") == "1":
            raise Failure(48, "Code: 48. DB::Exception: the bridge knows no compress=1 and decompress=1. (NOT_IMPLEMENTED)")
        statement = params.get("query", "")
        inserted = INSERT.match(statement) if statement else None
        has_data = inserted is not None and not HAS_SOURCE.search(re.sub(r"`[^`]*`|\"[^\"]*\"|'[^']*'", "", inserted.group(1)))
        if (self.headers.get("Content-Type") or "").startswith("multipart/form-data"):
            for name, value in bounded(list(form_fields(self.headers["Content-Type"], body.all()))):
                if name == "query":
                    statement = value
                else:
                    params[name] = value
        elif not has_data:
            statement = (statement + "\n" + body.all().decode()) if statement else body.all().decode()
        if not statement.strip():
            raise Failure(62, "Code: 62. DB::Exception: Empty query. (SYNTAX_ERROR)")
        asked = {name: value for name, value in sorted(params.items()) if name not in NOT_SETTINGS and not name.startswith("param_")}
        settings = self.server.profile | asked
        values = {name[6:]: value for name, value in params.items() if name.startswith("param_")}
        if only_reads:
            # As of the user's profile, so that what the request sets is refused.
            own = {name: value for name, value in self.server.profile.items() if name not in asked}
            settings = own | {"readonly": "1"} | asked | {"readonly": "1"}
        elif readonly and "readonly" not in settings:
            settings["readonly"] = "2"
        if self.server.verbose:
            sys.stderr.write(json.dumps({"statement": statement, "settings": settings, "params": values}) + "\n")
        rule = self.server.faults.find(statement)
        if rule and self.misbehave_before(rule):
            return
        if not self.server.turns.acquire(blocking=False):
            raise Failure(202, "Code: 202. DB::Exception: Too many simultaneous queries. (TOO_MANY_SIMULTANEOUS_QUERIES)")
        self.server.counts["queries"] += 1
        try:
            if has_data:
                self.insert(inserted, body, params, settings, values, rule)
            else:
                self.select(statement, params, settings, values, rule)
        finally:
            self.server.turns.release()

    def misbehave_before(self, rule):
        kind = rule["kind"]
        if kind == "delay":
            time.sleep(rule["ms"] / 1000)
        elif kind == "drop_before":
            self.drop()
            return True
        elif kind == "error":
            raise Failure(rule["code"], f"Code: {rule['code']}. DB::Exception: {rule.get('text', 'Made by the bridge. (BRIDGE)')}")
        elif kind == "status":
            self.whole(rule["status"], rule.get("text", "").encode(), {"Content-Type": "text/html"})
            self.close_connection = True
            return True
        return False

    def drop(self):
        self.close_connection = True
        try:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            self.connection.close()
        except OSError:
            pass

    def insert(self, inserted, body, params, settings, values, rule):
        head, form = inserted.group(1), inserted.group(2) or params.get("default_format") or "TabSeparated"
        head = PLACEHOLDER.sub(lambda found: "`" + values[found.group(1)].replace("`", "\\`") + "`", head)
        if settings:
            pairs = ", ".join(f"{name} = {literal(value)}" for name, value in settings.items())
            head += ("," if re.search(r"\bsettings\b", head, re.I) else " settings") + " " + pairs
        engine, key = self.server.engine, (params.get("database", ""), ())
        connection, known = None, self.server.refusals
        try:
            connection = engine.take(key)
            stream = connection.send_insert(head, form)
            has_rows = False
            try:
                for piece in body.pieces():
                    stream.append(piece)
                    has_rows = True
                done = stream.finish()
            except BaseException:
                stream.cancel()
                raise
            if has_rows and done.rows_written == 0:
                self.find_lost_failure(connection, head)
            self.find_refused_rows(connection, known)
        except (ConnectionError, Failure):
            raise
        except Exception as error:
            failure = failure_of(error)
            if failure.code in REFUSALS:
                self.count_refusals(connection)
            raise failure from None
        finally:
            if connection is not None:
                engine.give_back(key, connection)
        self.server.counts["rows_inserted"] += done.rows_written
        if rule and rule["kind"] == "drop_after":
            return self.drop()
        self.whole(200, b"", self.result_headers(form, written=(done.rows_written, done.bytes_written)))

    def find_lost_failure(self, connection, head):
        """The library drops the exception of an insert that is refused before its first row, such as 252: it is asked
        for with the same insert of no rows."""
        target = INSERT_TARGET.match(head)
        connection.query(f"{head} select {target.group('columns') or '*'} from {target.group('table')} limit 0", "Null")
        raise Failure(1001, "Code: 1001. DB::Exception: no row was written, and nobody knows why. (STD_EXCEPTION)")

    def find_refused_rows(self, connection, known):
        """The library drops the exception of an insert whose rows were read and then refused, such as those of more
        partitions than one insert may have (252), or for which there is no room (243). The engine counts its exceptions.
        Of inserts that run at once, one gets a 252, which may be that of another, and all get another code, as none may
        be acknowledged that is not stored."""
        last, counts = self.count_refusals(connection)
        for code, count in counts.items():
            if count > (last if code == 252 else known).get(code, 0):
                raise Failure(code, f"Code: {code}. DB::Exception: The rows were refused. ({REFUSALS[code]})")

    def count_refusals(self, connection):
        """As last counted, and now."""
        codes = ", ".join(map(str, REFUSALS))
        result = connection.query(f"select code, toUInt64(value) from system.errors where code in ({codes})", "TabSeparated")
        counts = dict(map(int, line.split("\t")) for line in bytes(result.bytes()).decode().splitlines())
        with self.server.refusals_lock:
            last = self.server.refusals
            self.server.refusals = last | {code: max(count, last.get(code, 0)) for code, count in counts.items()}
        return last, counts

    def select(self, statement, params, settings, values, rule):
        engine, key = self.server.engine, (params.get("database", ""), tuple(settings.items()))
        session = params.get("session_id")
        own = session is None and CHANGES_SESSION.match(statement)
        named = FORMAT.search(statement)
        form = named.group(1) if named else params.get("default_format") or self.headers.get("X-ClickHouse-Format") or "TabSeparated"
        connection = None
        try:
            if session is not None:
                connection = engine.sessions.get(session) or engine.sessions.setdefault(session, engine.open(*key))
            else:
                connection = engine.open(*key) if own else engine.take(key)
            streamed = form.lower() in STREAMED and params.get("wait_end_of_query") != "1" and re.match(r"\s*(select|with)\b", statement, re.I)
            if streamed:
                self.stream(connection, statement, form, values, rule)
            else:
                result = connection.query(statement, form, params=values)
                headers = self.result_headers(
                    form,
                    read=(result.storage_rows_read(), result.storage_bytes_read()),
                    written=(result.rows_written(), result.bytes_written()),
                    rows=result.rows_read(),
                )
                data = result.bytes()
                if rule and rule["kind"] == "drop_after":
                    return self.drop()
                if rule and rule["kind"] == "exception":
                    return self.end_in_exception(data, form, rule)
                self.whole(200, data, headers, rule)
        except (ConnectionError, Failure):
            raise
        except Exception as error:
            failure = failure_of(error)
            if failure.code in REFUSALS and connection is not None:
                self.count_refusals(connection)
            raise failure from None
        finally:
            if connection is not None and session is None:
                if own:
                    connection.close()
                else:
                    engine.give_back(key, connection)

    def stream(self, connection, statement, form, values, rule):
        result = connection.send_query(statement, form, params=values) if values else connection.send_query(statement, form)
        pieces = (piece.bytes() for piece in result)
        try:
            first = next(pieces, b"")
            self.head(200, self.result_headers(form), chunked=True)
            write, finish = self.body_writer()
            cut = rule["bytes"] if rule and rule["kind"] == "cut" else None
            sent = 0
            while True:
                if cut is not None and sent + len(first) >= cut:
                    write(first[: cut - sent])
                    self.wfile.flush()
                    return self.drop()
                write(first)
                sent += len(first)
                first = next(pieces, None)
                if first is None:
                    break
            finish()
        finally:
            result.close()

    def end_in_exception(self, data, form, rule):
        """As a server that has sent rows already: https://clickhouse.com/docs/interfaces/http#http_response_codes_caveats"""
        text = f"Code: {rule['code']}. DB::Exception: Made by the bridge. (BRIDGE)\n".encode()
        headers = self.result_headers(form)
        if tag := rule.get("tag"):
            headers["X-ClickHouse-Exception-Tag"] = tag
            text = b"\r\n__exception__\r\n%s\r\n%s%d %s\r\n__exception__\r\n" % (tag.encode(), text, len(text), tag.encode())
        self.head(200, headers, chunked=True)
        write, finish = self.body_writer()
        write(data[: rule["bytes"]])
        write(text)
        finish()

    def result_headers(self, form, read=(0, 0), written=(0, 0), rows=0):
        summary = {
            "read_rows": str(read[0]), "read_bytes": str(read[1]), "written_rows": str(written[0]), "written_bytes": str(written[1]),
            "total_rows_to_read": str(read[0]), "result_rows": str(rows), "result_bytes": "0",
            "elapsed_ns": str(int((time.monotonic() - self.begun) * 1e9)),
        }
        types = {"jsoneachrow": "application/x-ndjson; charset=UTF-8", "json": "application/json; charset=UTF-8", "jsoncompact": "application/json; charset=UTF-8"}
        return {
            "Content-Type": types.get(form.lower(), "text/tab-separated-values; charset=UTF-8" if "tab" in form.lower() else "application/octet-stream"),
            "X-ClickHouse-Query-Id": self.query_id,
            "X-ClickHouse-Format": form,
            "X-ClickHouse-Timezone": "UTC",
            "X-ClickHouse-Server-Display-Name": "bridge",
            "X-ClickHouse-Summary": json.dumps(summary, separators=(",", ":")),
        }

    def fail(self, failure):
        text = f"{failure.text.strip()} (version {self.server.engine.version} (bridge))\n".encode()
        self.close_connection = True  # what is left of the body is not read
        self.server.counts["failures"] += 1
        self.whole(
            STATUS.get(failure.code, 500), text,
            {"Content-Type": "text/plain; charset=UTF-8", "X-ClickHouse-Exception-Code": str(failure.code), "X-ClickHouse-Query-Id": getattr(self, "query_id", "")},
        )

    def compresses(self):
        return "gzip" in (self.headers.get("Accept-Encoding") or "") and "enable_http_compression=1" in self.path

    def head(self, status, headers, length=None, chunked=False, coded=None):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if chunked:
            self.send_header("Transfer-Encoding", "chunked")
            if self.compresses():
                self.send_header("Content-Encoding", "gzip")
        else:
            self.send_header("Content-Length", str(length))
            if coded:
                self.send_header("Content-Encoding", coded)
        self.send_header("Connection", "close" if self.close_connection else "Keep-Alive")
        self.end_headers()

    def whole(self, status, data, headers, rule=None):
        coded = None
        if data and self.compresses():
            data, coded = gzip.compress(data, 1), "gzip"
        self.head(status, headers, len(data), coded=coded)
        if rule and rule["kind"] == "cut":
            self.wfile.write(data[: rule["bytes"]])
            self.wfile.flush()
            return self.drop()
        if self.command != "HEAD":
            self.wfile.write(data)

    def body_writer(self):
        deflate = zlib.compressobj(1, zlib.DEFLATED, 31) if self.compresses() else None

        def chunk(data):
            if data:
                self.wfile.write(b"%x\r\n" % len(data) + data + b"\r\n")

        def write(data):
            chunk(deflate.compress(data) if deflate else data)

        def finish():
            if deflate:
                chunk(deflate.flush())
            self.wfile.write(b"0\r\n\r\n")

        return write, finish

    def log_message(self, form, *values):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256
    allow_reuse_address = True

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], (ConnectionError, ssl.SSLError, TimeoutError)):
            super().handle_error(request, client_address)


def main():
    parse = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parse.add_argument("--path", required=True, help="folder of the data; one process at a time")
    parse.add_argument("--port", type=int, default=8123, help="0 takes a free one")
    parse.add_argument("--host", default="127.0.0.1")
    parse.add_argument("--config", help="XML file with <merge_tree>, <remote_servers>, <max_server_memory_usage> and so on, for the engine")
    parse.add_argument("--user", action="append", default=[], help="name:password[:ro]; default with an empty password where none is given")
    parse.add_argument("--profile", action="append", default=[], help="name=value: a setting of the user's profile, which a request may override")
    parse.add_argument("--most-queries", type=int, default=100)
    parse.add_argument("--cert", help="PEM; serves https")
    parse.add_argument("--key")
    parse.add_argument("--verbose", action="store_true", help="write each statement with its settings and parameters to standard error")
    given = parse.parse_args()
    engine = Engine(os.path.abspath(given.path), given.config and os.path.abspath(given.config))
    server = Server((given.host, given.port), Handler)
    if given.cert:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(given.cert, given.key)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.engine, server.faults, server.verbose = engine, Faults(), given.verbose
    server.profile = dict(one.split("=", 1) for one in given.profile)
    server.users = {}
    for one in given.user or ["default:"]:
        name, password, *rights = one.split(":")
        server.users[name] = (password, "ro" in rights)
    server.turns = threading.Semaphore(given.most_queries)
    server.counts = {"queries": 0, "failures": 0, "rows_inserted": 0}
    server.refusals, server.refusals_lock = {}, threading.Lock()

    def stop(*_):
        threading.Thread(target=server.shutdown).start()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    print(f"ready {server.server_address[1]} {engine.version}", flush=True)
    server.serve_forever(poll_interval=0.2)
    os._exit(0)


main()
