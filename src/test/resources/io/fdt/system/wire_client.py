"""A client of fdt, which uses only what is in docs/formats.md: lists a directory, pushes a file, pulls a file.

    wire_client.py HOST PORT list PATH | push FILE PATH | pull PATH FILE

The key is in the environment variable FDT_KEY. Every copy uses one lane with TLS and SHA-256. It prints JSON.
"""

import base64
import hashlib
import hmac
import json
import os
import socket
import ssl
import struct
import sys

LEAF = 128 * 1024
CHUNK = 1024 * 1024
LIMIT_SECONDS = 240
SHA256 = 3

# Of requests.
PULL = 1
MODES_AND_TIMES = 1 | 2
OVERWRITE = 1


# CBOR, as far as messages use it.


def head(kind, number):
    for detail, form, end in ((None, ">B", 24), (24, ">B", 1 << 8), (25, ">H", 1 << 16), (26, ">I", 1 << 32)):
        if number < end:
            if detail is None:
                return bytes([kind << 5 | number])
            return bytes([kind << 5 | detail]) + struct.pack(form, number)
    return bytes([kind << 5 | 27]) + struct.pack(">Q", number)


def encode(value):
    if value is None or isinstance(value, bool):
        return {None: b"\xf6", False: b"\xf4", True: b"\xf5"}[value]
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(map(encode, value))
    return head(5, len(value)) + b"".join(encode(name) + encode(each) for name, each in value.items())


END = object()


def decode(data, at):
    """Returns the value and where it ends."""
    kind, detail = data[at] >> 5, data[at] & 31
    at += 1
    if kind == 7:
        return {20: False, 21: True, 22: None, 31: END}[detail], at
    number, endless = detail, detail == 31
    if 24 <= detail < 28:
        size = 1 << detail - 24
        number, at = int.from_bytes(data[at : at + size], "big"), at + size
    if kind < 2:
        return (number if kind == 0 else -1 - number), at
    if kind < 4 and not endless:
        value = data[at : at + number]
        return (value if kind == 2 else value.decode()), at + number
    parts = []
    while endless or len(parts) < number * (2 if kind == 5 else 1):
        value, at = decode(data, at)
        if value is END:
            break
        parts.append(value)
    if kind < 4:
        return (b"" if kind == 2 else "").join(parts), at
    return (parts if kind == 4 else dict(zip(parts[::2], parts[1::2]))), at


# Hashes.


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def tree(data):
    """The digest of a file or of a node of its tree."""
    if len(data) <= LEAF:
        return hashlib.sha256(data).digest()
    left = LEAF
    while 2 * left < len(data):
        left *= 2
    return hashlib.sha256(b"\1" + tree(data[:left]) + tree(data[left:])).digest()


def proof(key, label, *parts):
    framed = b"".join(struct.pack(">I", len(part)) + part for part in (label, *parts))
    return hmac.new(key, framed, hashlib.sha256).digest()


class Key:
    def __init__(self, line):
        assert line.startswith("fdt-key:")
        line = line[len("fdt-key:") :]
        raw = base64.urlsafe_b64decode(line + "=" * (-len(line) % 4))
        assert len(raw) == 77 and raw[0] == 1
        assert raw[73:] == hashlib.sha256(b"fdt key line" + raw[:73]).digest()[:4]
        self.id, self.fingerprint, self.secret = raw[1:9].hex(), raw[9:41], raw[41:73]

    def proof(self, nonce):
        verifier = hashlib.sha256(b"fdt 1 key" + self.secret).digest()
        mask = proof(verifier, b"fdt 1 client", self.fingerprint, self.id.encode(), nonce)
        return bytes(a ^ b for a, b in zip(mask, self.secret))


LINK, TLS_LANE = 1, 2


class Connection:
    """A connection with its preamble and TLS, to a server with the certificate that the key names."""

    def __init__(self, server, key, kind):
        plain = socket.create_connection(server, LIMIT_SECONDS)
        plain.sendall(b"\xfdfdt" + bytes([1, kind, 0, 0]))
        if kind == LINK:
            answer = b""
            while len(answer) < 8:
                answer += plain.recv(8 - len(answer))
            assert answer == b"\xfdfdt" + bytes([1, 1, 0, 0]), answer
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        self.socket = context.wrap_socket(plain)
        assert hashlib.sha256(self.socket.getpeercert(True)).digest() == key.fingerprint, "another server"

    def send(self, data):
        self.socket.sendall(data)

    def receive(self, length):
        data = bytearray()
        while len(data) < length:
            part = self.socket.recv(length - len(data))
            if not part:
                raise EOFError("the server closed the connection")
            data += part
        return bytes(data)


CHALLENGE, AUTHENTICATE, OPEN_TRANSFER, OPENED, FAILED = 1, 2, 3, 4, 5
SOURCE_SHAPE, MANIFEST_PAGE, VERDICTS, SOURCE_FAILED, ACKNOWLEDGED = 6, 7, 8, 9, 11
SEND_AGAIN, FILES_DONE, FILE_FAILED, WARNING, FINISH, FINISHED, HEARTBEAT, LEAVING = 12, 13, 14, 15, 16, 17, 18, 19
ASK_HOST, HOST_REPORT, STAGE_REPORT, COUNTED = 24, 25, 26, 30
VERIFY_PAGE, VERIFY_MORE, VERIFY_END, OPEN_LIST = 42, 43, 44, 45


class Failed(Exception):
    pass


class Session:
    """A session that this request opened."""

    def __init__(self, server, key, request):
        self.server, self.key, self.heard = server, key, 0
        self.link = Connection(server, key, LINK)
        nonce = self.next(CHALLENGE)["nonce"]
        self.send({"t": AUTHENTICATE, "key": key.id, "proof": key.proof(nonce), "software": "wire_client"})
        self.send(request)
        self.opened = self.next(OPENED)
        self.heard = 0
        assert self.opened.get("checksums", 0) == 0, "this client has no checksums"

    def send(self, message):
        data = encode(message)
        self.link.send(struct.pack(">I", len(data)) + data)

    def next(self, *expected):
        """Returns the next message of these types. Answers heartbeats, and passes over what is only for display."""
        while True:
            data = self.link.receive(struct.unpack(">I", self.link.receive(4))[0])
            message, end = decode(data, 0)
            assert end == len(data)
            kind = message["t"]
            if kind == HEARTBEAT:
                self.send({"t": HEARTBEAT, "heard": self.heard})
                continue
            if kind in (ASK_HOST, HOST_REPORT, STAGE_REPORT, COUNTED):
                continue
            self.heard += 1
            if self.heard % 16 == 0:
                self.send({"t": HEARTBEAT, "heard": self.heard})
            if kind in (FAILED, FILE_FAILED, SOURCE_FAILED):
                raise Failed(message["why"])
            if kind in expected:
                return message
            assert kind == WARNING, "unexpected: " + str(message)

    def lane(self):
        lane = Connection(self.server, self.key, TLS_LANE)
        session, numbers = self.opened["session"], struct.pack(">II", 0, 0)
        shown = proof(self.opened["secret"], b"fdt 1 lane", session, numbers)
        lane.send(b"FDTLANE " + session + numbers + shown + bytes(8))
        return lane

    def leave(self):
        self.send({"t": LEAVING})
        self.link.socket.close()


def copy_request(**values):
    return {
        "t": OPEN_TRANSFER,
        "lanes": [1, 1, 1],
        "timeout": 1000 * LIMIT_SECONDS,
        "digest": SHA256,
        "chunk_size": CHUNK,
        "preserve": MODES_AND_TIMES,
        "existing": OVERWRITE,
        "resume": False,
        **values,
    }


def frame(session, file, offset, data, attempt):
    leaves = (len(data) + LEAF - 1) // LEAF
    tag = session.opened["session"][:8]
    header = b"\xfd\x7c" + struct.pack(">HI", 0, file) + tag
    header += struct.pack(">IIQQI", attempt, len(data), offset, (1 << leaves) - 1, 0)
    trailer = struct.pack(">I", 0) + tree(data)
    return b"".join(
        (header, struct.pack(">I", crc32c(header)), data, trailer, struct.pack(">I", crc32c(trailer)))
    )


def push(server, key, file, target):
    with open(file, "rb") as source:
        data = source.read()
    about = os.stat(file)
    session = Session(server, key, copy_request(target=target.encode()))
    session.send({"t": SOURCE_SHAPE, "single": True})
    metadata = [about.st_mode & 0o7777, about.st_mtime_ns // 10**9, about.st_mtime_ns % 10**9, 0, 0, []]
    name = os.path.basename(file).encode()
    session.send({"t": MANIFEST_PAGE, "first": 0, "entries": [[name, 0, len(data), metadata, False, None, None]]})
    verdicts = session.next(VERDICTS)
    assert (verdicts["first"], verdicts["count"]) == (0, 1)
    for _, _, _, why, _ in verdicts["except"]:
        raise Failed(why)
    lane = session.lane()
    for offset in range(0, len(data), CHUNK):
        lane.send(frame(session, 0, offset, data[offset : offset + CHUNK], 0))
    acknowledged = 0
    while (message := session.next(ACKNOWLEDGED, FILES_DONE, SEND_AGAIN))["t"] != FILES_DONE:
        if message["t"] == ACKNOWLEDGED:
            acknowledged += sum(message["lengths"])
        else:
            offset = message["offset"]
            lane.send(frame(session, 0, offset, data[offset : offset + CHUNK], message["attempt"] + 1))
    assert message["files"] == [0] and message["digests"] == tree(data), "another digest"
    session.send({"t": FINISH, "sent": len(data), "resent": 0, "limit": "unknown", "percent": 0})
    finished = session.next(FINISHED)
    session.leave()
    return {"files": finished["files"], "bytes": finished["bytes"], "acknowledged": acknowledged}


def receive_frame(session, lane, digest_bytes):
    header = lane.receive(48)
    magic, flags, file, tag, attempt, length, offset, leaves, _, crc = struct.unpack(">HHI8sIIQQII", header)
    assert magic == 0xFD7C and flags == 0 and tag == session.opened["session"][:8] and crc == crc32c(header[:44])
    data = bytearray()
    for index in range((length + LEAF - 1) // LEAF):
        size = min(LEAF, length - index * LEAF)
        data += lane.receive(size) if leaves >> index & 1 else bytes(size)
    trailer = lane.receive(4 + digest_bytes + 4)
    assert struct.unpack(">I", trailer[-4:])[0] == crc32c(trailer[:-4])
    assert trailer[:4] == bytes(4), "the source failed"
    assert trailer[4:-4] == tree(bytes(data)), "damaged"
    return file, offset, bytes(data)


def pull(server, key, source, file):
    session = Session(server, key, copy_request(direction=PULL, sources=[source.encode()]))
    assert session.next(SOURCE_SHAPE)["single"]
    lane = session.lane()
    page = session.next(MANIFEST_PAGE)
    (path, kind, size, metadata, sparse, link, part), = page["entries"]
    assert kind == 0 and part is None
    session.send({"t": VERDICTS, "first": page["first"], "count": 1, "except": []})
    with open(file, "wb") as target:
        received = 0
        while received < size:
            number, offset, data = receive_frame(session, lane, 32)
            target.seek(offset)
            target.write(data)
            received += len(data)
            target.flush()
            os.fsync(target.fileno())
            session.send({"t": ACKNOWLEDGED, "files": [number], "offsets": [offset], "lengths": [len(data)]})
    with open(file, "rb") as written:
        digest = tree(written.read())
    os.chmod(file, metadata[0])
    os.utime(file, ns=(0, metadata[1] * 10**9 + metadata[2]))
    session.send({"t": FILES_DONE, "files": [page["first"]], "digests": digest})
    finish = session.next(FINISH)
    session.send(
        {
            "t": FINISHED,
            "files": 1,
            "bytes": size,
            "resumed": 0,
            "skipped": 0,
            "failed": 0,
            "limit": "unknown",
            "percent": 0,
            "renamed": True,
        }
    )
    session.leave()
    return {"name": path.decode(), "bytes": size, "sent": finish["sent"]}


def listed(server, key, path):
    request = {"t": OPEN_LIST, "path": path.encode(), "recursive": True, "space": False}
    session = Session(server, key, {**request, "timeout": 1000 * LIMIT_SECONDS})
    found = {}
    while True:
        message = session.next(VERIFY_PAGE, VERIFY_END)
        if message["t"] == VERIFY_END:
            session.leave()
            return found
        for checked in message["entries"]:
            if len(checked) > 2 and checked[2] is not None:
                raise Failed(checked[2])
            entry = checked[0]
            found[entry[0].decode()] = {"kind": entry[1], "size": entry[2], "mode": entry[3][0]}
        session.send({"t": VERIFY_MORE, "pages": 1})


def main(host, port, action, *paths):
    does = {"list": listed, "push": push, "pull": pull}[action]
    try:
        print(json.dumps(does((host, int(port)), Key(os.environ["FDT_KEY"]), *paths)))
    except Failed as failed:
        cause, code, *_ = failed.args[0]
        print(json.dumps({"cause": cause}))
        sys.exit(code)


main(*sys.argv[1:])
