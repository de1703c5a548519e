package io.fdt.core.storage.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.Rules;
import io.fdt.core.plan.TargetRules;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.StorageTest;
import io.fdt.core.storage.TargetFile;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.LossyDisk;
import java.io.IOException;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The cause of a failure at the target follows from the errno, whatever the call was. */
class ErrnoTableTest extends StorageTest {
    private static final FileEntry ENTRY = fileEntry("f", 3L * CHUNK_BYTES);
    private static final int ENOMEM = 12;
    private static final int EROFS = 30;
    private static final Map<Integer, Cause> OF_DEVICES = Map.of(
            Errno.ENOSPC,
            Cause.NO_SPACE,
            Errno.EDQUOT,
            Cause.QUOTA,
            Errno.EIO,
            Cause.IO_ERROR,
            EROFS,
            Cause.READ_ONLY_FILE_SYSTEM,
            ENOMEM,
            Cause.NO_MEMORY);

    @ParameterizedTest
    @EnumSource(
            value = LossyDisk.Kind.class,
            names = {"OPEN", "WRITE", "TRUNCATE", "METADATA", "SYNC", "RENAME"})
    void aDeviceHasOneCauseForEveryCall(LossyDisk.Kind kind) throws IOException {
        for (Map.Entry<Integer, Cause> each : OF_DEVICES.entrySet()) {
            Failure failure = failing(kind, each.getKey());
            assertThat(failure.cause()).as("%s", failure).isEqualTo(each.getValue());
            assertThat(failure.exitCode()).isEqualTo(5);
            assertThat(failure.cause().isOfDevice()).isTrue();
            assertThat(failure.errno()).isNotNull();
        }
    }

    private Failure failing(LossyDisk.Kind kind, int errno) throws IOException {
        String place = kind + "-" + errno;
        file(place + "/out/f", "old");
        TransferPlan rules = Rules.of(Existing.OVERWRITE, TargetRules.Comparison.TIME, Durability.END, true, PRESERVED);
        LossyDisk disk = new LossyDisk(directory(place + "/attic"), new Random(1), 4096);
        try (Root root = Root.confined(raw(temporary.resolve(place)));
                TargetTree tree =
                        new TargetTree(disk, root, raw("out"), rules, DigestKind.XXH3_128, CHUNK_BYTES, false);
                TargetFile file = wanted(tree.prepare(ENTRY))) {
            disk.failAfter(kind, 0, errno);
            TransferException failure = catchThrowableOfType(TransferException.class, () -> {
                write(file, new byte[3 * CHUNK_BYTES], 0);
                file.seal();
                file.sync();
                file.publish();
            });
            return failure.failure();
        } finally {
            disk.close();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1, PERMISSION, UNREADABLE",
        "2, TARGET, MISSING",
        "5, IO_ERROR, SOURCE_IO_ERROR",
        "12, NO_MEMORY, NO_MEMORY",
        "13, PERMISSION, UNREADABLE",
        "17, EXISTS, EXISTS",
        "18, OUTSIDE_ROOT, OUTSIDE_ROOT",
        "20, OTHER_KIND, SOURCE",
        "21, OTHER_KIND, SOURCE",
        "22, TARGET, SOURCE",
        "23, HOST_LIMIT, HOST_LIMIT",
        "24, HOST_LIMIT, HOST_LIMIT",
        "27, FILE_TOO_LARGE, FILE_TOO_LARGE",
        "28, NO_SPACE, NO_SPACE",
        "30, READ_ONLY_FILE_SYSTEM, READ_ONLY_FILE_SYSTEM",
        "36, NAME_TOO_LONG, PATH_TOO_LONG",
        "40, TARGET_LOOP, SOURCE_LOOP",
        "116, TARGET, SOURCE",
        "122, QUOTA, QUOTA"
    })
    void everyErrnoHasItsCause(int errno, Cause atTarget, Cause atSource) {
        Failure target =
                Errno.failure(FailureKind.TARGET, "act", raw("f"), errno).failure();
        Failure source =
                Errno.failure(FailureKind.SOURCE, "act", raw("f"), errno).failure();
        assertThat(target.cause()).isEqualTo(atTarget);
        assertThat(source.cause()).isEqualTo(atSource);
        assertThat(target.path()).isEqualTo("f");
        assertThat(target.errno()).isEqualTo(source.errno()).isNotNull();
    }

    /** Two file systems are no way out of a root. */
    @ParameterizedTest
    @EnumSource(
            value = FailureKind.class,
            names = {"SOURCE", "TARGET"})
    void aNameOnAnotherFileSystemIsNotOutsideTheRoot(FailureKind side) {
        Failure failure = Errno.failureOfName(side, "make it a hard link", raw("f"), Errno.EXDEV)
                .failure();
        assertThat(failure.kind()).isEqualTo(side);
        assertThat(failure.text()).contains("make it a hard link").doesNotContain("root");
    }
}
