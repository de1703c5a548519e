package io.fdt.core.faults;

import io.fdt.core.Fdt;
import io.fdt.core.TestServer;
import io.fdt.core.control.ClearLanes;
import io.fdt.core.control.ServerLimits;
import io.fdt.core.digest.FileHash;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.faults.SmallTree.Thing;
import io.fdt.core.faults.WatchedCalls.Call;
import io.fdt.core.faults.WatchedCalls.Fault;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.ManifestFile;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.DirectIo;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.plan.TargetRules.Mirror;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TransferPlan.Direction;
import io.fdt.core.stats.Summary;
import io.fdt.core.storage.partial.PartialNames;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.tcp.TcpSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Copies of a small tree in which one call of one end fails once. The following must hold nevertheless:
 *
 * <ul>
 *   <li>a success means that everything is in place, with its metadata, and was flushed;
 *   <li>a failure names the entry and the operating system's reason, and leaves each file in its old or its final
 *       state;
 *   <li>the source and the files beside the target do not change;
 *   <li>the same copy without the fault then succeeds at once, and leaves no other files behind;
 *   <li>no descriptor stays open, and no thread keeps running.
 * </ul>
 *
 * The copies run in a separate process, started with the library that makes calls fail. The process contains both ends.
 */
public final class FaultRuns {
    /** The most repetitions of one call that are tested. */
    private static final int TIMES_MAX = 6;

    private static final long TIMEOUT_MS = Await.LIMIT_MS;
    /** A copy that took as long has waited for the timeout of a silent peer. */
    private static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(Await.LIMIT_SECONDS / 2);

    private static final int ROUNDS = 3;
    private static final Pattern RANDOM_NAME = Pattern.compile("([.]fdt[.])[0-9a-f]{16}");
    private static final String PARTIAL_OF_LARGE =
            PartialNames.of(RawPath.ofText("large")).partial().text();

    private static final int EPERM = 1;
    private static final int EIO = 5;
    private static final int EACCES = 13;
    private static final int ENFILE = 23;
    private static final int EMFILE = 24;
    private static final int ENOSPC = 28;
    private static final int EROFS = 30;
    private static final int ESTALE = 116;
    private static final int EDQUOT = 122;

    private static final Set<Preserve> PRESERVED = EnumSet.of(Preserve.MODE, Preserve.TIMES, Preserve.LINKS);
    private static final Set<Preserve> ALL = EnumSet.allOf(Preserve.class);

    /** @param resumes whether an earlier run has left a partial and its journal */
    private record Scenario(
            String name,
            Direction direction,
            Durability durability,
            DirectIo directIo,
            Set<Preserve> preserve,
            boolean mirrors,
            boolean keepsRecords,
            boolean resumes) {}

    private static final List<Scenario> SCENARIOS = List.of(
            new Scenario("mirror", Direction.PUSH, Durability.END, DirectIo.AUTO, ALL, true, true, false),
            new Scenario("usual", Direction.PUSH, Durability.END, DirectIo.AUTO, PRESERVED, false, false, false),
            new Scenario("chunk", Direction.PULL, Durability.CHUNK, DirectIo.ALWAYS, ALL, false, true, false),
            new Scenario("none", Direction.PUSH, Durability.NONE, DirectIo.AUTO, ALL, false, false, false),
            new Scenario("resume", Direction.PUSH, Durability.END, DirectIo.AUTO, PRESERVED, false, false, true),
            new Scenario("resume-none", Direction.PULL, Durability.NONE, DirectIo.NEVER, PRESERVED, true, false, true));

    private final Path place;
    private final Path home;
    private final WatchedCalls calls;
    private final TestServer server;
    private final Random random;
    private final int faultsMax;
    private final Map<String, Thing> source;
    private Map<String, Thing> expected = Map.of();
    private String doing = "";

    private FaultRuns(Path library, Path directory, int faultsMax, long seed) throws IOException {
        this.place = Files.createDirectories(directory.resolve("place"));
        this.home = directory.resolve("home");
        this.calls = new WatchedCalls(library, place);
        this.faultsMax = faultsMax;
        this.random = new Random(seed);
        this.server = new TestServer(
                home,
                TcpSettings.DEFAULTS,
                ServerLimits.builder().clearLanes(ClearLanes.ALLOW).build(),
                TransferLimits.SERVER_DEFAULT,
                place);
        SmallTree.makeSource(place.resolve("s"));
        SmallTree.file(Files.createDirectories(place.resolve("beside")).resolve("other"), 17, 9, "rw-r--r--");
        this.source = SmallTree.describe(place.resolve("s"));
    }

    /**
     * Prints a line for each problem found, and one for each scenario.
     *
     * @param arguments the library, a directory, the number of faults for each scenario, a seed, and the names of the
     *     scenarios if not all of them
     */
    public static void main(String[] arguments) throws Exception {
        Set<String> names = Set.of(Stream.of(arguments).skip(4).toArray(String[]::new));
        FaultRuns runs = new FaultRuns(
                Path.of(arguments[0]),
                Path.of(arguments[1]),
                Integer.parseInt(arguments[2]),
                Long.parseLong(arguments[3]));
        for (Scenario scenario : SCENARIOS) {
            if (names.isEmpty() || names.contains(scenario.name)) {
                runs.run(scenario);
            }
        }
        runs.server.close();
        System.exit(0);
    }

    private void found(String what) {
        System.out.println("FOUND " + doing + ": " + what);
    }

    private void run(Scenario scenario) throws Exception {
        doing = scenario.name;
        List<List<Call>> logs = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            prepare(scenario);
            Ended clean = copy(scenario, Fault.NONE);
            logs.add(clean.log);
            if (clean.summary.failure() != null) {
                found("fails without a fault: " + clean.summary);
            }
        }
        expected = SmallTree.describe(place.resolve("t"));
        requireCopied();
        List<Fault> faults = new ArrayList<>();
        for (Fault site : sites(logs)) {
            errors(site.name()).forEach(errno -> faults.add(site.with(errno)));
        }
        Collections.shuffle(faults, random);
        int held = heldAtRest();
        int missed = 0;
        long begin = System.nanoTime();
        List<Fault> chosen = faults.subList(0, Math.min(faults.size(), faultsMax));
        for (Fault fault : chosen) {
            doing = scenario.name + ", " + fault;
            missed += runWith(scenario, fault, held) ? 0 : 1;
        }
        System.out.println("SCENARIO " + scenario.name + ": " + chosen.size() + " of " + faults.size() + " faults, "
                + missed + " of them not met, in " + (System.nanoTime() - begin) / 1_000_000 + " ms");
    }

    /** Returns the errors that calls with this name may fail with. */
    private static List<Integer> errors(String name) {
        List<Integer> errors = new ArrayList<>(List.of(EIO, ESTALE));
        switch (name) {
            case "open", "create" -> errors.addAll(List.of(EMFILE, ENFILE, EACCES, EPERM, WatchedCalls.EINTR));
            case "statx", "faccessat", "getxattr", "listxattr", "readlinkat" -> errors.add(EACCES);
            case "read", "pread" -> errors.addAll(List.of(WatchedCalls.EINTR, WatchedCalls.SHORT));
            case "write", "pwrite" -> errors.addAll(List.of(WatchedCalls.EINTR, WatchedCalls.SHORT));
            case "ftruncate", "fallocate", "fsync", "fdatasync", "syncfs", "close", "lock" ->
                errors.add(WatchedCalls.EINTR);
            case "dup" -> errors.add(EMFILE);
            case "mmap" -> errors.addAll(List.of(ENFILE, EACCES));
            default -> {}
        }
        switch (name) {
            case "create", "mkdirat", "symlinkat", "linkat", "rename", "unlinkat" ->
                errors.addAll(List.of(ENOSPC, EDQUOT, EACCES, EPERM, EROFS));
            case "fchmod", "fchmodat", "fchownat", "utimensat", "setxattr" ->
                errors.addAll(List.of(ENOSPC, EDQUOT, EACCES, EPERM, EROFS));
            case "write", "pwrite", "ftruncate", "fallocate", "fsync", "fdatasync", "syncfs", "close" ->
                errors.addAll(List.of(ENOSPC, EDQUOT));
            default -> {}
        }
        return errors;
    }

    /**
     * Returns each call of some runs by name, path and count. Of calls that repeat often, it returns only the first
     * ones. A name with a random number, which differs in every run, becomes a pattern.
     */
    private static Set<Fault> sites(List<List<Call>> logs) {
        Map<String, Integer> rounds = new HashMap<>();
        logs.forEach(
                log -> log.stream().map(Call::path).distinct().forEach(path -> rounds.merge(path, 1, Integer::sum)));
        Set<Fault> sites = new LinkedHashSet<>();
        for (List<Call> log : logs) {
            Map<String, Integer> counts = new HashMap<>();
            for (Call call : log) {
                String path = call.path();
                if (Objects.equals(rounds.get(path), 1)) {
                    path = RANDOM_NAME.matcher(path).replaceAll("$1????????????????");
                }
                int at = counts.merge(call.name() + " " + path, 1, Integer::sum);
                if (at <= TIMES_MAX) {
                    sites.add(new Fault(call.name(), path, at, 0));
                }
            }
        }
        return sites;
    }

    private void prepare(Scenario scenario) throws Exception {
        SmallTree.delete(place.resolve("t"));
        SmallTree.delete(place.resolve("records"));
        Files.createDirectories(place.resolve("records"));
        SmallTree.makeTarget(place.resolve("t"));
        if (scenario.resumes) {
            copy(scenario, new Fault("pwrite", "t/" + PARTIAL_OF_LARGE, 3, EIO));
        }
    }

    /** @param met whether the faulty call was reached */
    private record Ended(Summary summary, boolean met, List<Call> log) {}

    private Ended copy(Scenario scenario, Fault fault) throws InterruptedException {
        calls.begin(fault);
        long begin = System.nanoTime();
        Summary summary;
        try (TransferJob job = Fdt.at(home).copy(plan(scenario))) {
            summary = job.await();
        }
        // The client does not wait for the server to finish a session that failed.
        Await.until("the server's sessions end", () -> server.ended.size() == server.opened.size());
        server.ended.clear();
        server.opened.clear();
        server.started.clear();
        if (System.nanoTime() - begin > SLOW_NANOS) {
            found("took long, " + summary.run().elapsedNanos() / 1_000_000 + " ms of it the client");
        }
        return new Ended(summary, calls.end(), calls.log());
    }

    private TransferPlan plan(Scenario scenario) {
        boolean push = scenario.direction == Direction.PUSH;
        RawPath source = RawPath.ofText(push ? place + "/s/" : "/s/");
        RawPath target = RawPath.ofText(push ? "/t" : place + "/t");
        TransferPlan plan = TransferPlan.of(scenario.direction, List.of(source), target)
                .at("127.0.0.1", server.port())
                .with(CopyValue.DURABLE, scenario.durability)
                .with(CopyValue.PRESERVE, scenario.preserve)
                .with(CopyValue.DIRECT_IO, scenario.directIo)
                .with(CopyValue.MIRROR, scenario.mirrors ? new Mirror(100, false) : null)
                .lanes(2)
                .with(CopyValue.CLEAR_LANES, true)
                .with(CopyValue.CHUNK_BYTES, SmallTree.CHUNK_BYTES)
                .with(CopyValue.TIMEOUT_MS, TIMEOUT_MS);
        if (scenario.keepsRecords) {
            Path records = place.resolve("records");
            plan = plan.with(CopyValue.RECEIPT, RawPath.of(records.resolve("receipt")))
                    .with(
                            CopyValue.MANIFEST,
                            new ManifestFile(FileHash.SHA256, RawPath.of(records.resolve("manifest"))));
        }
        return plan;
    }

    private void requireCopied() {
        source.forEach((path, thing) -> {
            Thing there = expected.get(path);
            if (there == null
                    || !thing.content().equals(there.content())
                    || !thing.time().equals(there.time())) {
                found("a run without a fault leaves " + path + " as " + there + " instead of " + thing);
            }
        });
    }

    /** Returns whether the faulty call was reached. */
    private boolean runWith(Scenario scenario, Fault fault, int held) throws Exception {
        prepare(scenario);
        Map<String, Thing> before = SmallTree.describe(place.resolve("t"));
        Ended ended = copy(scenario, fault);
        if (ended.summary.failure() == null) {
            // The next run removes a leftover journal.
            checkSuccess(scenario, ended.log, ended.log, path -> path.endsWith(".journal"));
        } else {
            checkFailure(ended.summary, before, SmallTree.describe(place.resolve("t")));
            checkReason(fault, ended);
        }
        if (!SmallTree.describe(place.resolve("s")).equals(source)) {
            found("changed the source");
        }
        if (!SmallTree.describe(place.resolve("beside")).keySet().equals(Set.of(".", "other"))) {
            found("changed what is beside the target");
        }
        Ended again = copy(scenario, Fault.NONE);
        if (again.summary.failure() == null) {
            List<Call> both = new ArrayList<>(ended.log);
            both.addAll(again.log);
            checkSuccess(scenario, again.log, both, path -> false);
        } else {
            found("the next run fails: " + again.summary.message() + " "
                    + again.summary.files().firstFailed());
        }
        checkNothingHeld(held);
        return ended.met;
    }

    /**
     * @param log of the run
     * @param all of the run and the one before it, which may have flushed a file that this one left
     * @param left whether an unexpected path may be present
     */
    private void checkSuccess(Scenario scenario, List<Call> log, List<Call> all, Predicate<String> left)
            throws IOException {
        Map<String, Thing> after = SmallTree.describe(place.resolve("t"));
        // The loss mark of a failed flush stays.
        after.keySet().removeIf(path -> path.equals(".fdt.lost") || (!expected.containsKey(path) && left.test(path)));
        acceptOtherMarks(scenario, after, all);
        if (!after.equals(expected)) {
            found("succeeds, and " + difference(after));
        }
        if (scenario.keepsRecords) {
            checkRecords();
        }
        if (scenario.durability != Durability.NONE) {
            checkFlushed(log);
        }
    }

    /**
     * A file that could not be marked as unflushed is right without the mark if it was flushed. One that was in place
     * and is in doubt, because its mark could not be read, is copied again, and then has one without flushes.
     */
    private void acceptOtherMarks(Scenario scenario, Map<String, Thing> after, List<Call> log) throws IOException {
        Map<Long, String> unflushed = unflushed(log);
        for (Map.Entry<String, Thing> each : after.entrySet()) {
            Thing marked = expected.get(each.getKey());
            if (marked == null || each.getValue().equals(marked)) {
                continue;
            }
            if (scenario.durability == Durability.NONE
                    && each.getValue().withoutMark().equals(marked)) {
                each.setValue(marked);
                continue;
            }
            if (!each.getValue().equals(marked.withoutMark())) {
                continue;
            }
            long inode = (long) Files.getAttribute(place.resolve("t").resolve(each.getKey()), "unix:ino");
            if (!unflushed.containsKey(inode)
                    && log.stream().anyMatch(call -> call.result() == 0 && isFlushOf(inode, call))) {
                each.setValue(marked);
            }
        }
    }

    private static boolean isFlushOf(long inode, Call call) {
        return call.name().startsWith("sync")
                || (call.inode() == inode
                        && (call.name().equals("fsync") || call.name().equals("fdatasync")));
    }

    private String difference(Map<String, Thing> after) {
        Set<String> paths = new LinkedHashSet<>(expected.keySet());
        paths.addAll(after.keySet());
        paths.removeIf(path -> Objects.equals(expected.get(path), after.get(path)));
        StringBuilder text = new StringBuilder();
        paths.forEach(path -> text.append(path)
                .append(" is ")
                .append(after.get(path))
                .append(" instead of ")
                .append(expected.get(path))
                .append("; "));
        return text.toString();
    }

    private void checkRecords() throws IOException {
        String receipt = Files.readString(place.resolve("records/receipt"));
        if (!receipt.contains("\"outcome\":\"ok\",\"exit_code\":0")) {
            found("succeeds, and the receipt is " + receipt);
        }
        long files = source.values().stream()
                .filter(thing -> thing.kind().equals("file"))
                .count();
        List<String> manifest = Files.readAllLines(place.resolve("records/manifest"));
        if (manifest.size() != files) {
            found("succeeds, and the manifest is " + manifest);
        }
    }

    /** Checks that every change was flushed afterwards, and so was the directory of each new or removed name. */
    private void checkFlushed(List<Call> log) {
        Map<Long, String> unflushed = unflushed(log);
        if (!unflushed.isEmpty()) {
            found("succeeds, and has not flushed " + unflushed.values());
        }
    }

    /** What was changed and not flushed afterwards, by the number of the file or directory. */
    private static Map<Long, String> unflushed(List<Call> log) {
        Map<Long, String> unflushed = new LinkedHashMap<>();
        Set<Long> gone = new HashSet<>();
        for (Call call : log) {
            String what = call.name() + " " + call.path();
            if (call.name().startsWith("sync") && call.result() == 0) {
                unflushed.clear();
            }
            // Files without a name appear as a number.
            if (!call.path().startsWith("t") || call.path().contains("#") || call.result() < 0) {
                continue;
            }
            switch (call.name()) {
                case "create" -> gone.remove(call.inode());
                case "write",
                        "pwrite",
                        "ftruncate",
                        "fallocate",
                        "fchmod",
                        "fchmodat",
                        "fchownat",
                        "utimensat",
                        "setxattr" -> {
                    // A symbolic link cannot be flushed, and a journal that is no longer needed does not have to be.
                    if (!call.path().matches(".*[.](journal|next|link)|t/link")) {
                        unflushed.put(call.inode(), what);
                    }
                }
                case "mkdirat", "symlinkat", "linkat", "rename" -> unflushed.put(call.parentInode(), what);
                case "unlinkat" -> {
                    gone.add(call.inode());
                    if (!call.path().contains(".fdt.")) {
                        unflushed.put(call.parentInode(), what);
                    }
                }
                case "fsync", "fdatasync" -> unflushed.remove(call.inode());
                default -> {}
            }
        }
        unflushed.keySet().removeAll(gone);
        return unflushed;
    }

    private void checkFailure(Summary summary, Map<String, Thing> before, Map<String, Thing> after) {
        if (summary.kind() == FailureKind.INTERNAL) {
            found("a bug: " + summary.message());
        }
        Set<String> failed = new HashSet<>();
        summary.files().firstFailed().forEach(file -> failed.add(file.path()));
        boolean othersArrived = summary.kind() == FailureKind.SOME_FILES_FAILED;
        if (othersArrived && failed.isEmpty()) {
            found("some files failed, and none is named: " + summary.message());
        }
        expected.forEach((path, thing) -> {
            Thing there = after.get(path);
            boolean named = failed.stream().anyMatch(each -> path.equals(each) || path.startsWith(each + "/"));
            boolean mayBeOld = !othersArrived || named;
            if (!thing.kind().equals("directory")
                    && !isAsExpected(thing, there)
                    && !(mayBeOld && (isOld(before.get(path), there) || isUnfinishedLink(thing, there)))) {
                found("ends with " + summary.message() + ", and " + path + " is " + there + " instead of " + thing);
            }
        });
        before.forEach((path, thing) -> {
            boolean stays = !expected.containsKey(path) && !thing.kind().equals("directory") && !path.contains(".fdt.");
            if (stays && after.containsKey(path) && !thing.equals(after.get(path))) {
                found("changed " + path + " to " + after.get(path));
            }
        });
    }

    /**
     * Returns whether the entry is as expected. If the first name of a file failed, its second name is a separate file.
     */
    private static boolean isAsExpected(Thing thing, @Nullable Thing there) {
        return thing.equals(there) || thing.withoutLink().equals(there);
    }

    private static boolean isOld(@Nullable Thing before, @Nullable Thing there) {
        return Objects.equals(before, there);
    }

    /** Returns whether a symbolic link was created but does not have its time yet. */
    private static boolean isUnfinishedLink(Thing thing, @Nullable Thing there) {
        return thing.kind().equals("link") && there != null && thing.content().equals(there.content());
    }

    private void checkReason(Fault fault, Ended ended) {
        String text = ended.summary.message() + " " + ended.summary.files().firstFailed();
        // Java's own messages differ from the operating system's only in case.
        if (ended.met && !text.toLowerCase(Locale.ROOT).contains(fault.reason().toLowerCase(Locale.ROOT))) {
            found("does not say why it failed: " + text);
        }
        if (fault.isHarmless() || !ended.met) {
            found("ends with " + text);
        }
    }

    /** Returns the number of resources that are held once the previous session has released its own. */
    private int heldAtRest() throws Exception {
        int least = Integer.MAX_VALUE;
        for (int look = 0; look < 50; look++) {
            least = Math.min(least, held().size());
            Await.pass(Duration.ofMillis(10));
        }
        return least;
    }

    private void checkNothingHeld(int before) throws Exception {
        long deadline = System.nanoTime() + SLOW_NANOS;
        List<String> held = held();
        while (held.size() > before && System.nanoTime() - deadline < 0) {
            Await.pass(Duration.ofMillis(10));
            held = held();
        }
        if (held.size() > before) {
            found("leaves " + held);
        }
    }

    /** Returns the open files below the test directory, and fdt's threads. */
    private List<String> held() throws IOException {
        List<String> held = new ArrayList<>();
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            open.map(FaultRuns::leadsTo)
                    .filter(path -> path.startsWith(place.toString()))
                    .forEach(held::add);
        }
        Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("fdt-"))
                .forEach(held::add);
        return held;
    }

    private static String leadsTo(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException closed) {
            return "";
        }
    }
}
