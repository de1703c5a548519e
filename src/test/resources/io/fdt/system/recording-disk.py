"""A block device that records every write and flush, with a file system on it, and copies of it as a power cut may leave
them.

    unshare --mount --propagation private python3 recording-disk.py DIRECTORY FILESYSTEM

The device is a file of a FUSE file system with this one file, under a loop device. The kernel's loop device writes to
it what the file system writes, and calls fsync for each flush; it has no writes with FUA, so the block layer flushes
after them. A disk may keep what it has acknowledged in its cache, and write it in any order, until it is flushed. So a
power cut leaves all writes before the last flush, and any of those after it, of which one may be torn.

Everything is mounted in DIRECTORY and in a mount namespace that ends with this process. Others reach the mounts
through /proc/PID/root. Until the recording ends, the kernel has another boot id in the namespace, as before a power
cut. Standard input has one command a line, each gets one line, and its end ends the process:

    position                         the number of writes and flushes so far
    fail                             from now on every call of the device fails with EIO
    read-only                        the file system finds an error: ext4 becomes read-only, XFS is shut down
    unmount                          ends the recording; answers its length
    before-flush POSITION            a position soon after it at which many writes wait for a flush
    state POSITION KIND SEED         mounts what a power cut at this position may leave; answers the mount point
    forget                           unmounts it

KIND is dropped (nothing after the last flush), subset, torn or kept (everything).
"""
import ctypes, errno, fcntl, os, random, struct, subprocess, sys, threading, time, uuid

MIB = 1 << 20
# Size, options of mkfs and mount, and what the file system expects to be written as a whole: XFS and btrfs believe that
# a block is as new as its header. ext4 compares the checksum in the second half of its superblock before it replays the
# journal, which would repair it.
FILE_SYSTEMS = {
    "ext4": (128 * MIB, ["-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"], "errors=remount-ro", 512),
    "xfs": (320 * MIB, ["-q", "-K"], "nouuid", 4096),
    "btrfs": (320 * MIB, ["-q", "-K"], "nodiscard,commit=1", 4096),
}
FUSE_GETATTR, FUSE_OPEN, FUSE_READ, FUSE_WRITE, FUSE_RELEASE, FUSE_FSYNC = 3, 14, 15, 16, 18, 20
FUSE_FLUSH, FUSE_INIT = 25, 26
FUSE_FORGET, FUSE_INTERRUPT, FUSE_BATCH_FORGET = 2, 36, 42
ENOSYS = 38
MAX_WRITE = MIB
LOOK_AHEAD = 300
BTRFS_IOC_START_SYNC = 0x80089418
XFS_IOC_GOINGDOWN = 0x8004587D
SECOND_HALF_OF_SUPERBLOCK = 1536
BOOT_ID = "/proc/sys/kernel/random/boot_id"


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError("%s: %s%s" % (" ".join(words), done.stdout, done.stderr))


def unmount(mounted):
    """A server may close its last files a little after its client has ended."""
    for left in range(300, -1, -1):
        try:
            return run("umount", mounted)
        except RuntimeError as busy:
            if left == 0 or "busy" not in str(busy):
                raise
            time.sleep(0.1)


def call_mount(source, target, kind, options):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(source.encode(), target.encode(), kind.encode(), 0, options.encode()) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), target)


class Recording:
    """Serves the file, on its own thread. Writes are in the order in which the device has acknowledged them."""

    def __init__(self, image, log, mountpoint):
        self.image = os.open(image, os.O_RDWR)
        self.log = os.open(log, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        self.log_length = 0
        # (offset on the device, length, offset in the log), or None for a flush. Only the thread appends.
        self.records = []
        self.size = os.fstat(self.image).st_size
        open(mountpoint, "w").close()
        self.failing = False
        self.fuse = os.open("/dev/fuse", os.O_RDWR)
        call_mount("fdt", mountpoint, "fuse", "fd=%d,rootmode=100000,user_id=0,group_id=0" % self.fuse)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        buffer = bytearray(MAX_WRITE + 65536)
        while True:
            try:
                length = os.readv(self.fuse, [buffer])
            except OSError:
                return
            _, opcode, unique, _, _, _, _, _ = struct.unpack_from("<IIQQIIII", buffer)
            if opcode in (FUSE_FORGET, FUSE_INTERRUPT, FUSE_BATCH_FORGET):
                continue
            try:
                answer, error = self.answer(opcode, memoryview(buffer)[40:length]), 0
            except OSError as failure:
                answer, error = b"", failure.errno
            try:
                os.write(self.fuse, struct.pack("<IiQ", 16 + len(answer), -error, unique) + answer)
            except OSError:
                pass  # The caller has been interrupted.

    def answer(self, opcode, request):
        if self.failing and opcode in (FUSE_READ, FUSE_WRITE, FUSE_FSYNC):
            raise OSError(errno.EIO, "the device fails")
        if opcode == FUSE_WRITE:
            _, offset, size = struct.unpack_from("<QQI", request)
            self.write(offset, request[40:40 + size])
            return struct.pack("<II", size, 0)
        if opcode == FUSE_FSYNC:
            self.records.append(None)
            return b""
        if opcode == FUSE_READ:
            _, offset, size = struct.unpack_from("<QQI", request)
            return os.pread(self.image, size, offset)
        if opcode == FUSE_INIT:
            readahead, = struct.unpack_from("<I", request, 8)
            big_writes, max_pages = 1 << 5, 1 << 22
            return struct.pack("<IIIIHHIIHHI28x", 7, 31, readahead, big_writes | max_pages, 16, 12, MAX_WRITE, 1,
                               MAX_WRITE // 4096, 0, 0)
        if opcode == FUSE_GETATTR:
            return struct.pack("<QII", 1, 0, 0) + struct.pack(
                "<QQQQQQIIIIIIIIII", 1, self.size, self.size // 512, 0, 0, 0, 0, 0, 0, 0o100600, 1, 0, 0, 0, 4096, 0)
        if opcode == FUSE_OPEN:
            direct_io = 1
            return struct.pack("<QII", 0, direct_io, 0)
        if opcode in (FUSE_RELEASE, FUSE_FLUSH):
            return b""
        raise OSError(ENOSYS, "not a request of a loop device")

    def write(self, offset, data):
        os.pwrite(self.log, data, self.log_length)
        os.pwrite(self.image, data, offset)
        self.records.append((offset, len(data), self.log_length))
        self.log_length += len(data)

    def before_flush(self, position):
        """Returns where most writes wait for a flush, soon after the position."""
        best, most, waiting = position, 0, 0
        for i in range(position, min(position + LOOK_AHEAD, len(self.records))):
            waiting = waiting + 1 if self.records[i] is not None else 0
            if waiting > most:
                best, most = i + 1, waiting
        return best

    def leave(self, image, position, kind, chance, sector):
        """Makes an image what a power cut at the position may leave of it."""
        flushed = max((i for i in range(position) if self.records[i] is None), default=0)
        pending = [i for i in range(flushed, position) if self.records[i] is not None]
        keep_share = chance.random()
        kept = {
            "dropped": lambda: [],
            "subset": lambda: [i for i in pending if chance.random() < keep_share],
            "torn": lambda: [i for i in pending if chance.random() < keep_share] or pending[:1],
            "kept": lambda: pending,
        }[kind]()
        torn = chance.choice(kept) if kind == "torn" and kept else -1
        fd = os.open(image, os.O_RDWR)
        for i in [*range(flushed), *kept]:
            if self.records[i] is not None:
                offset, length, at = self.records[i]
                data = os.pread(self.log, length, at)
                if i != torn:
                    os.pwrite(fd, data, offset)
                else:
                    starts = [s for s in range(0, length, sector) if offset + s != SECOND_HALF_OF_SUPERBLOCK]
                    for start, end in zip(starts, [*starts[1:], length]):
                        if chance.random() < 0.5:
                            os.pwrite(fd, data[start:end], offset + start)
        os.close(fd)
        return "%d of %d" % (len(kept), len(pending))


class Nudges:
    """Has the file system commit its metadata at any time, before data that it has not written yet."""

    def __init__(self, mounted, kind):
        self.path = os.path.join(mounted, ".nudge")
        self.kind = kind
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.nudge)
        self.thread.start()

    def nudge(self):
        chance = random.Random(1)
        fd = os.open(self.path, os.O_RDWR | os.O_CREAT)
        while not self.ended.wait(chance.uniform(0.01, 0.1)):
            try:
                os.pwrite(fd, b"x", 0)
                if self.kind == "btrfs" and chance.random() < 0.5:
                    fcntl.ioctl(fd, BTRFS_IOC_START_SYNC, bytearray(8))
                else:
                    os.fsync(fd)
            except OSError as failure:
                if failure.errno not in (errno.EIO, errno.EROFS):
                    raise
        os.close(fd)

    def end(self):
        self.ended.set()
        self.thread.join()


class Disk:
    def __init__(self, directory, kind):
        self.directory = directory
        self.kind = kind
        size, make_options, self.mount_options, self.sector = FILE_SYSTEMS[kind]
        self.base = self.path("base")
        with open(self.base, "w") as image:
            image.truncate(size)
        run("mkfs." + kind, *make_options, self.base)
        run("fallocate", "--dig-holes", self.base)
        run("cp", "--sparse=always", self.base, self.path("image"))
        with open(self.path("boot-id"), "w") as boot:
            boot.write("%s\n" % uuid.uuid4())
        run("mount", "--bind", self.path("boot-id"), BOOT_ID)
        self.recording = Recording(self.path("image"), self.path("log"), self.path("device"))
        self.mounted = self.mount(self.path("device"), "disk")
        self.nudges = Nudges(self.mounted, kind)

    def path(self, name):
        return os.path.join(self.directory, name)

    def mount(self, image, name):
        os.makedirs(self.path(name), exist_ok=True)
        run("mount", "-t", self.kind, "-o", "loop," + self.mount_options, image, self.path(name))
        return self.path(name)

    def find_error(self):
        """Has no call of the device fail."""
        if self.kind == "ext4":
            device = os.stat(self.mounted).st_dev
            name = os.path.basename(os.path.realpath("/sys/dev/block/%d:%d" % (os.major(device), os.minor(device))))
            with open("/sys/fs/ext4/%s/trigger_fs_error" % name, "w") as trigger:
                trigger.write("by a test")
        else:
            fd = os.open(self.mounted, os.O_RDONLY)
            fcntl.ioctl(fd, XFS_IOC_GOINGDOWN, struct.pack("I", 0))
            os.close(fd)

    def obey(self, command, *words):
        if command == "position":
            return len(self.recording.records)
        if command == "fail":
            self.recording.failing = True
            return "failing"
        if command == "read-only":
            self.find_error()
            return "read-only"
        if command == "unmount":
            self.nudges.end()
            unmount(self.mounted)
            unmount(BOOT_ID)
            return len(self.recording.records)
        if command == "before-flush":
            return self.recording.before_flush(int(words[0]))
        if command == "state":
            position, kind, seed = int(words[0]), words[1], int(words[2])
            run("cp", "--sparse=always", self.base, self.path("state.img"))
            what = self.recording.leave(self.path("state.img"), position, kind, random.Random(seed), self.sector)
            self.mount(self.path("state.img"), "state")
            return what
        if command == "forget":
            run("umount", "--lazy", self.path("state"))
            os.remove(self.path("state.img"))
            return "forgotten"
        raise RuntimeError("no such command: " + command)

    def close(self):
        self.nudges.end()
        for name in ("state", "disk", "device"):
            subprocess.run(["umount", "--lazy", self.path(name)], capture_output=True)


def main():
    disk = Disk(*sys.argv[1:])
    try:
        print("ready", flush=True)
        for line in sys.stdin:
            print(disk.obey(*line.split()), flush=True)
    finally:
        disk.close()


main()
