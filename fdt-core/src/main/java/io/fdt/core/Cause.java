package io.fdt.core;

import static io.fdt.core.FailureKind.CANNOT_CONNECT;
import static io.fdt.core.FailureKind.REFUSED;
import static io.fdt.core.FailureKind.SOURCE;
import static io.fdt.core.FailureKind.TARGET;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The causes of failures that need another remedy than the rest of their kind: the only table of them. A cause is
 * recognised by the words of the message, because a peer sends only the exit code and the message.
 */
@SuppressWarnings("ImmutableEnumChecker") // its list of words is immutable
public enum Cause {
    NO_MATCH(SOURCE, "correct the pattern; fdt ls shows the names there are", ": " + FailureKind.NO_MATCH),
    SOURCE_FORBIDDEN(
            SOURCE,
            "let the user that runs fdt on that host read it, then run it again",
            ": Permission denied",
            ": Operation not permitted"),
    SOURCE_LOOP(SOURCE, "correct the symbolic link, which leads to itself", ": Too many levels of symbolic links"),
    SOURCE_PATH(SOURCE, "shorten the path, or name a source further down", ": its path is longer than 4,095 bytes"),
    SOURCE_DEVICE(SOURCE, Cause.CHECK_DEVICE, ": Input/output error"),
    FULL(
            TARGET,
            "free space or inodes there (df, df -i) or raise the quota, then run it again to resume",
            ": No space left on device",
            ": Disk quota exceeded"),
    NO_RECORD(
            TARGET,
            "name a file that can be written, then run it again",
            "cannot write the receipt ",
            "cannot write the manifest ",
            "cannot write the report "),
    READ_ONLY(TARGET, "mount it writable or name another target, then run it again", ": Read-only file system"),
    FORBIDDEN(
            TARGET,
            "let the user that runs fdt on that host write there, then run it again",
            ": Permission denied",
            ": permission denied",
            ": Operation not permitted"),
    OTHER_KIND(
            TARGET,
            "move it away or use another name, then run it again",
            ": already exists as another kind of file",
            ": Not a directory",
            ": Is a directory"),
    EXISTS(TARGET, "move it away, or choose another --existing", ": already exists"),
    LOOP(
            TARGET,
            "correct the symbolic link, which leads to itself, or name another target",
            ": Too many levels of symbolic links"),
    LONG_NAME(TARGET, "shorten the name, or name a target further up, then run it again", ": File name too long"),
    TOO_LARGE(
            TARGET,
            "raise the limit of the size of files (ulimit -f), or use a file system that permits such files",
            ": File too large"),
    DEVICE(TARGET, Cause.CHECK_DEVICE, ": Input/output error"),
    READER_GONE(TARGET, "run it again with a reader that reads everything", ": Broken pipe"),
    UNKNOWN_KEY(
            REFUSED,
            "get a new key from the operator of the server (fdt key create) and import it (fdt key import)",
            "the key is unknown on the server or does not match",
            " has been revoked",
            " has been changed"),
    OTHER_SERVER(
            REFUSED,
            "check who listens there; if the server has a new identity, import a new key of it",
            " is not the server that the key was made for: "),
    NO_WRITING(
            REFUSED,
            "use a key that may write, on a server without --read-only",
            "this server or this key is read-only",
            "this server is read-only"),
    NO_RIGHT(REFUSED, "get a key with that right (fdt key create --allow)", "this key does not permit to "),
    OUTSIDE(
            REFUSED,
            "name a path below an exported directory, without links that lead out of it",
            ": leads out of the root"),
    UNKNOWN_HOST(CANNOT_CONNECT, "check the spelling of the host and its entry in the DNS", "unknown host "),
    NO_SSH(
            CANNOT_CONNECT,
            "check that ssh reaches that host without a prompt; its message is above",
            "ssh could not reach "),
    NO_REMOTE_FDT(CANNOT_CONNECT, "check that fdt runs there; see above", "fdt could not start at ");

    private static final String CHECK_DEVICE =
            "check the disk and the kernel's messages (dmesg) of that host, then run it again";

    private final FailureKind kind;
    private final String remedy;
    private final List<String> words;

    /** @param words a message that contains one of them has this cause, unless it has an earlier one of the table */
    Cause(FailureKind kind, String remedy, String... words) {
        this.kind = kind;
        this.remedy = remedy;
        this.words = List.of(words);
    }

    /** The cause of a failure with this message, or null if it has the remedy of its kind. */
    static @Nullable Cause of(FailureKind kind, String message) {
        for (Cause cause : values()) {
            if (cause.kind == kind && cause.words.stream().anyMatch(message::contains)) {
                return cause;
            }
        }
        return null;
    }

    public String remedy() {
        return remedy;
    }
}
