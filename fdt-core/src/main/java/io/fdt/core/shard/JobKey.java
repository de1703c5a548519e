package io.fdt.core.shard;

import io.fdt.core.basic.NewFile;
import io.fdt.core.failure.Cause;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.security.HomeFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The key of all runs of a job: a line in a file of the job's directory that only its user may read. So it is not part
 * of a job script, of arguments, or of an environment that a scheduler stores.
 */
public final class JobKey {
    private static final Set<PosixFilePermission> OWNERS_ONLY = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> OTHERS = EnumSet.of(
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE);

    private JobKey() {}

    /** Writes the line where runs find it, durably. */
    static void write(Path directory, String line) {
        Path file = directory.resolve(JobFiles.KEY);
        try (NewFile written = NewFile.of(file, PosixFilePermissions.asFileAttribute(OWNERS_ONLY))) {
            written.stream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            written.publish();
        } catch (IOException e) {
            throw JobFiles.unwritable(file, e);
        }
    }

    /**
     * Returns the line for these shards, or of the job above them; null if there is none, REFUSED if others may read
     * it or it is another user's.
     */
    public static @Nullable String find(Path directory) {
        String line = read(directory.resolve(JobFiles.KEY), Libc.geteuid());
        return line == null && JobFiles.isAgain(directory)
                ? find(JobFiles.directoryOf(directory.toAbsolutePath().normalize()))
                : line;
    }

    /** Another owner could have put his own key there, so that the data would go to his server. */
    static @Nullable String read(Path file, int user) {
        try {
            int owner = (int) Files.getAttribute(file, "unix:uid");
            if (!HomeFile.mayOwn(owner, user)) {
                throw Cause.REFUSED
                        .at(JobFiles.shown(file))
                        .advise("plan the job as the user that runs it")
                        .failure("belongs to another user (uid " + owner + ")");
            }
            Set<PosixFilePermission> allowed = EnumSet.noneOf(PosixFilePermission.class);
            allowed.addAll(Files.getPosixFilePermissions(file));
            allowed.retainAll(OTHERS);
            if (!allowed.isEmpty()) {
                throw Cause.REFUSED
                        .at(JobFiles.shown(file))
                        .advise("run chmod 600, and create another key if somebody may have read it")
                        .failure("other users can access it");
            }
            return Files.readString(file).strip();
        } catch (NoSuchFileException none) {
            return null;
        } catch (IOException e) {
            throw JobFiles.unreadable(file, e);
        }
    }
}
