package io.fdt.system;

import io.fdt.core.Json;
import io.fdt.core.failure.Cause;
import io.fdt.core.faults.FaultLibrary;
import io.fdt.core.faults.FaultOrders;
import io.fdt.system.Route.Direction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Each call of the kernel for the files of a copy fails with each errno that it may have, at both ends. The cause
 * follows from the errno, whatever the call was, and the exit code from the cause. One server and one batch make all
 * copies of a direction, each with a library that makes its calls fail.
 */
final class ErrnosTest {
    private static final String RECOVERS = "recovers";

    /** They end the copy, and others only concern one path. */
    private static final Set<String> OF_DEVICES =
            Set.of("no-space", "quota", "io-error", "read-only-file-system", "no-memory");

    /** Name, number, cause at the target, cause at the source. */
    private static final Map<String, Errno> ERRNOS =
            """
            EPERM         1  permission             unreadable
            ENOENT        2  target                 missing
            EINTR         4  recovers               recovers
            EIO           5  io-error               source-io-error
            ENXIO         6  target                 source
            EBADF         9  target                 source
            EAGAIN       11  target                 source
            ENOMEM       12  no-memory              no-memory
            EACCES       13  permission             unreadable
            EBUSY        16  target                 source
            EEXIST       17  exists                 exists
            EXDEV        18  target                 outside-root
            ENODEV       19  target                 source
            ENOTDIR      20  other-kind             source
            EISDIR       21  other-kind             source
            EINVAL       22  target                 source
            ENFILE       23  host-limit             host-limit
            EMFILE       24  host-limit             host-limit
            ETXTBSY      26  target                 source
            EFBIG        27  file-too-large         file-too-large
            ENOSPC       28  no-space               no-space
            EROFS        30  read-only-file-system  read-only-file-system
            EMLINK       31  target                 source
            ENAMETOOLONG 36  name-too-long          path-too-long
            ENOTEMPTY    39  target                 source
            ELOOP        40  target-loop            source-loop
            EOVERFLOW    75  target                 source
            ESTALE      116  target                 source
            EDQUOT      122  quota                  quota
            """.lines().map(line -> line.strip().split(" +")).collect(Collectors.toMap(row -> row[0], Errno::of));

    /**
     * What fails, below the source {@code s} or the target {@code t}, and the errnos that it may have by its manual
     * page, each with its cause where fdt knows more, or another way. A file is opened and looked at after it was
     * listed, so one that is missing has changed. The names of partial files are random, so one that exists is passed
     * over. The first small file of a copy is a trial: if it cannot be linked, files are made with their names.
     */
    private static final List<Call> CALLS =
            """
            open t/d: EACCES=recovers EAGAIN=recovers EINTR EIO EMFILE ENAMETOOLONG ENFILE ENODEV ENOENT ENOMEM ENOTDIR
                ENXIO EOVERFLOW EPERM ESTALE EXDEV=outside-root
            create t/.fdt.*.part: EACCES EBUSY EDQUOT EEXIST=recovers EFBIG EINTR EINVAL EIO EISDIR ELOOP EMFILE ENAMETOOLONG
                ENFILE ENODEV ENOENT ENOMEM ENOSPC ENOTDIR ENXIO EOVERFLOW EPERM EROFS ESTALE ETXTBSY
            pwrite t/#*: EAGAIN EBADF EDQUOT EFBIG EINTR EINVAL EIO ENOMEM ENOSPC EPERM EROFS ESTALE
            pwrite t/.fdt.*.part: EAGAIN EBADF EDQUOT EFBIG EINTR EINVAL EIO ENOMEM ENOSPC EPERM EROFS ESTALE
            fsync t/#*: EBADF EDQUOT EINTR EINVAL EIO ENOSPC EROFS ESTALE
            fsync t/.fdt.*.part: EBADF EDQUOT EINTR EINVAL EIO ENOSPC EROFS ESTALE
            fsync t/d: EBADF=recovers EDQUOT EINTR EINVAL=recovers EIO ENOSPC EROFS
            linkat t/*.part: EACCES=recovers EDQUOT=recovers EIO=recovers ELOOP=recovers EMLINK=recovers
                ENAMETOOLONG=recovers ENOMEM=recovers ENOSPC=recovers ENOTDIR=recovers EPERM=recovers EROFS=recovers
                ESTALE=recovers EXDEV=recovers
            rename t/small: EACCES EBUSY EDQUOT EIO EISDIR ELOOP EMLINK ENAMETOOLONG ENOENT ENOMEM ENOSPC ENOTDIR
                ENOTEMPTY EPERM EROFS ESTALE EXDEV
            rename t/large: EACCES EBUSY EDQUOT EIO EISDIR ELOOP EMLINK ENAMETOOLONG ENOENT ENOMEM ENOSPC ENOTDIR
                ENOTEMPTY EPERM EROFS ESTALE EXDEV
            fchmod t/#*: EDQUOT EIO ENOMEM ENOSPC EPERM EROFS ESTALE
            utimensat t/#*: EACCES EDQUOT EINVAL EIO ELOOP ENAMETOOLONG ENOENT ENOSPC ENOTDIR EPERM EROFS ESTALE
            mkdirat t/d: EACCES EDQUOT EINVAL EIO ELOOP EMLINK ENAMETOOLONG ENOENT ENOMEM ENOSPC ENOTDIR EPERM EROFS
                ESTALE
            symlinkat t/.fdt.*.link: EACCES EDQUOT EIO ELOOP ENAMETOOLONG ENOENT ENOMEM ENOSPC ENOTDIR EPERM EROFS
            open s/large: EACCES EINTR EIO ELOOP=changed EMFILE ENFILE ENODEV ENOENT=changed ENOMEM ENOTDIR=changed
                ENXIO EOVERFLOW EPERM ESTALE EXDEV
            open s/small: EACCES EINTR EIO EMFILE ENFILE ENOENT=changed ENOMEM EPERM
            open s/d: EACCES EINTR EIO EMFILE ENAMETOOLONG ENFILE ENOMEM EPERM ESTALE
            pread s/large: EBADF EINTR EINVAL EIO EISDIR ENOMEM ENXIO ESTALE
            pread s/small: EINTR EIO ENOMEM ESTALE
            statx s/large: EACCES EIO ENAMETOOLONG ENOENT=changed ENOMEM ENOTDIR ESTALE
            getdents s/d: EBADF EINTR EIO EINVAL ENOMEM ENOTDIR ESTALE
            readlinkat s/link: EACCES EINVAL EIO ENAMETOOLONG ENOMEM ENOTDIR ESTALE
            """.replace("\n    ", " ").lines().map(Call::of).toList();

    @RegisterExtension
    final Workplace at = new Workplace();

    private record Errno(String name, int number, String atTarget, String atSource) {
        static Errno of(String[] row) {
            return new Errno(row[0], Integer.parseInt(row[1]), row[2], row[3]);
        }
    }

    /** @param errnos with their causes */
    private record Call(String name, String path, Map<Errno, String> errnos) {
        static Call of(String row) {
            String[] parts = row.split("[ :]+");
            boolean atSource = parts[1].startsWith("s/");
            Map<Errno, String> errnos = List.of(parts).subList(2, parts.length).stream()
                    .map(word -> word.split("="))
                    .collect(Collectors.toMap(word -> ERRNOS.get(word[0]), word -> {
                        Errno errno = ERRNOS.get(word[0]);
                        return word.length > 1 ? word[1] : atSource ? errno.atSource : errno.atTarget;
                    }));
            return new Call(parts[0], parts[1], errnos);
        }

        boolean isAtSource() {
            return path.startsWith("s/");
        }
    }

    /** How a copy ended: with its last answer, and that of the file that failed, if others are in place. */
    private record Ended(Map<String, Object> last, Map<String, Object> failed) {}

    @ParameterizedTest
    @EnumSource(Direction.class)
    void theCauseFollowsFromTheErrnoAndTheExitCodeFromTheCause(Direction direction) throws Exception {
        FaultLibrary library = FaultLibrary.compile(Recipe.readme().getParent().resolve("fdt-core"), at.directory());
        FaultOrders ofServer = new FaultOrders(at.path("server.orders"), at.directory("remote"));
        FaultOrders ofClient = new FaultOrders(at.path("client.orders"), at.directory("local"));
        ofServer.environment(library).forEach(at::environment);
        FdtServer server = at.server();
        ofClient.environment(library).forEach(at::environment);
        Batch batch = new Batch(at);
        boolean push = direction == Direction.PUSH;
        SoftAssertions all = new SoftAssertions();
        int number = 0;
        for (Call call : CALLS) {
            boolean atServer = push != call.isAtSource();
            FaultOrders orders = atServer ? ofServer : ofClient;
            String place = atServer ? "fdt://127.0.0.1:" + server.port() : "local";
            for (Map.Entry<Errno, String> each : call.errnos.entrySet()) {
                Errno errno = each.getKey();
                String what = call.name + " " + ++number + "/" + call.path;
                if (each.getValue().equals(RECOVERS)) {
                    orders.failOnce(what, errno.number);
                } else {
                    orders.fail(what, errno.number);
                }
                Ended ended = copy(batch, server, number, push);
                all.assertThat(orders.end()).as("%s is called", what).isTrue();
                all.assertThat(outcome(ended))
                        .as("%s fails with %s: %s", what, errno.name, ended)
                        .isEqualTo(expected(each.getValue(), errno, place));
            }
        }
        batch.end();
        all.assertAll();
    }

    private Ended copy(Batch batch, FdtServer server, int number, boolean push) throws IOException {
        Path local = at.path("local/" + number);
        Path remote = at.path("remote/" + number);
        String url = server.url("/" + number);
        Path source = (push ? local : remote).resolve("s");
        Trees.file(source.resolve("large"), 300_000, 1);
        Trees.file(source.resolve("small"), 10, 2);
        Trees.file(source.resolve("d/below"), 10, 3);
        Files.createSymbolicLink(source.resolve("link"), Path.of("small"));
        Files.createDirectories((push ? remote : local).resolve("t"));
        String from = push ? local + "/s/" : url + "/s/";
        String to = push ? url + "/t" : local + "/t";
        batch.send("{'id':" + number + ",'op':'copy','from':'" + from + "','to':'" + to + "','files':true}");
        Map<String, Object> last = Json.object(batch.await(number, "done|error", ""));
        Map<String, Object> failed = Cause.SOME_FILES_FAILED.word().equals(last.get("cause"))
                ? Json.object(batch.await(number, "file", "\"outcome\":\"failed\""))
                : last;
        return new Ended(last, failed);
    }

    private static String outcome(Ended ended) {
        return ended.last.get("exit_code") + " "
                + Stream.of("cause", "errno", "place")
                        .map(field -> String.valueOf(ended.failed.get(field)))
                        .collect(Collectors.joining(" "));
    }

    private static String expected(String cause, Errno errno, String place) {
        if (cause.equals(RECOVERS)) {
            return "0 null null null";
        }
        int exitCode = OF_DEVICES.contains(cause) ? 5 : cause.equals("host-limit") ? 10 : 3;
        // What changed meanwhile is no failure of a call.
        return exitCode + " " + cause + " " + (cause.equals("changed") ? null : errno.name) + " " + place;
    }
}
