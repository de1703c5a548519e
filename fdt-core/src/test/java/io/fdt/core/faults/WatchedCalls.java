package io.fdt.core.faults;

import io.fdt.core.nativecode.Libc;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The calls of this process for files below a directory, as {@code faults.c} lists them and makes one fail. */
final class WatchedCalls {
    /** Instead of an error: the call does half of the requested work. */
    static final int SHORT = -1;

    static final int EINTR = 4;

    private final String place;

    /**
     * One call.
     *
     * @param path below the directory
     * @param second for a rename: the old path
     * @param result the result, or the negated errno
     */
    record Call(String name, String path, long inode, long parentInode, long result, String second) {
        static Call of(String line) {
            String[] fields = line.split("\t", -1);
            return new Call(
                    fields[0],
                    fields[1],
                    Long.parseUnsignedLong(fields[2]),
                    Long.parseUnsignedLong(fields[3]),
                    Long.parseLong(fields[4]),
                    fields[5]);
        }
    }

    /**
     * Which call fails, and how.
     *
     * @param path below the directory; may be a pattern
     * @param at the number of the call among equal ones, from 1; 0: none fails
     */
    record Fault(String name, String path, int at, int errno) {
        static final Fault NONE = new Fault("", "", 0, 0);

        Fault with(int otherErrno) {
            return new Fault(name, path, at, otherErrno);
        }

        /** Whether a caller must recover from this fault. */
        boolean isHarmless() {
            return errno == SHORT || errno == EINTR;
        }

        String reason() {
            return errno == SHORT ? "half of it" : Libc.strerror(errno);
        }

        @Override
        public String toString() {
            return name + " " + path + " #" + at + ", " + reason();
        }
    }

    /** @param library the library that this process was started with */
    WatchedCalls(Path library, Path place) {
        System.load(library.toString());
        this.place = place.toString();
    }

    void begin(Fault fault) {
        begin(place, fault.name + " " + fault.path, fault.at, fault.errno);
    }

    /** Returns whether the fault occurred. */
    native boolean end();

    List<Call> log() {
        return Stream.of(text().split("\n"))
                .filter(line -> !line.isEmpty())
                .map(Call::of)
                .toList();
    }

    private static native void begin(String place, String call, int at, int error);

    private static native String text();
}
