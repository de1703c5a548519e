package io.fdt.cli.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.cli.CommandRun;
import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.HostPort;
import io.fdt.cli.value.LaneCount;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.FileHash;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.FileBounds;
import io.fdt.core.plan.LaneRange;
import io.fdt.core.plan.ManifestFile;
import io.fdt.core.plan.PathRule;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.ServerAddress;
import io.fdt.core.plan.TargetRules;
import io.fdt.core.plan.TargetRules.Comparison;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TransferPlan.Direction;
import io.fdt.core.transport.LanePlaces;
import io.fdt.core.transport.RdmaUse.Wish;
import io.fdt.core.transport.tcp.TcpSettings;
import java.net.InetAddress;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClientPlanTest {
    private static RawPath path(String text) {
        return RawPath.ofText(text);
    }

    private static CommandRun ran(String... args) {
        CommandRun run = new CommandRun();
        assertThat(run.run(Stream.concat(Stream.of("client"), Stream.of(args)).toList()))
                .as(run.err())
                .isZero();
        return run;
    }

    @Test
    void makesAPlanOfDefaultsAlone() {
        CommandRun run = ran("a", "fdt://dtn2/b");
        assertThat(run.engine.plan())
                .isEqualTo(TransferPlan.of(Direction.PUSH, List.of(path("a")), path("/b"))
                        .at("dtn2", 27321)
                        .with(CopyValue.LANES, new LaneRange(1, 8, 64))
                        .with(CopyValue.TIMEOUT_MS, 600_000L)
                        .with(CopyValue.OBEYS_UMASK, true));
        assertThat(network(run)).isEqualTo(TcpSettings.DEFAULTS);
        assertThat(run.engine.rdma().wish()).isEqualTo(Wish.IF_PRESENT);
    }

    @Test
    void carriesEveryOptionIntoThePlan() throws Exception {
        CommandRun run = ran(
                "--exclude",
                "*.tmp",
                "--include=*.dat",
                "--existing",
                "fail",
                "--compare",
                "digest",
                "--no-resume",
                "--durable",
                "chunk",
                "--preserve",
                "times,xattrs",
                "-P",
                "3",
                "--rate-limit",
                "25Gbit",
                "--digest",
                "sha256",
                "--checksum",
                "md5,adler32",
                "--clear-lanes",
                "--dry-run",
                "--bind",
                "127.0.0.1,127.0.0.2",
                "--chunk-size",
                "1MiB",
                "--timeout",
                "5s",
                "--receipt",
                "r.json",
                "--manifest",
                "md5=m=1",
                "--transport",
                "tcp",
                "--socket-buffer",
                "4MiB",
                "--congestion",
                "bbr",
                "--pin",
                "none",
                "fdt://[::1]:4000/a/",
                "fdt://[::1]:4000/b",
                "here/");
        assertThat(run.engine.plan())
                .isEqualTo(TransferPlan.of(Direction.PULL, List.of(path("/a/"), path("/b")), path("here/"))
                        .at("::1", 4000)
                        .with(
                                CopyValue.RULES,
                                List.of(new PathRule(false, path("*.tmp")), new PathRule(true, path("*.dat"))))
                        .with(CopyValue.EXISTING, Existing.FAIL)
                        .with(CopyValue.COMPARE, TargetRules.Comparison.DIGEST)
                        .with(CopyValue.DURABLE, Durability.CHUNK)
                        .with(CopyValue.RESUME, false)
                        .with(CopyValue.PRESERVE, Set.of(Preserve.TIMES, Preserve.XATTRS))
                        .lanes(3)
                        .with(CopyValue.DIGEST, DigestKind.SHA256)
                        .with(CopyValue.CHECKSUMS, List.of(FileHash.MD5, FileHash.ADLER32))
                        .with(CopyValue.CLEAR_LANES, true)
                        .with(CopyValue.RATE_LIMIT, 25_000_000_000L)
                        .with(CopyValue.DRY_RUN, true)
                        .with(CopyValue.CHUNK_BYTES, 1 << 20)
                        .with(CopyValue.TIMEOUT_MS, 5_000L)
                        .with(
                                CopyValue.LOCAL_ADDRESSES,
                                List.of(
                                        InetAddress.getByAddress(new byte[] {127, 0, 0, 1}),
                                        InetAddress.getByAddress(new byte[] {127, 0, 0, 2})))
                        .with(CopyValue.RECEIPT, path("r.json"))
                        .with(CopyValue.MANIFEST, new ManifestFile(FileHash.MD5, path("m=1"))));
        assertThat(run.engine.network())
                .isEqualTo(TcpSettings.DEFAULTS.withSocketBufferBytes(4 << 20).withCongestionControl("bbr"));
        assertThat(run.engine.rdma().wish()).isEqualTo(Wish.NEVER);
    }

    /** The settings without the places of lanes, which depend on this machine. */
    private static TcpSettings network(CommandRun run) {
        return run.engine.network().withPlaces(LanePlaces.ANYWHERE);
    }

    @Test
    void comparesOnlySizesIfRequested() {
        assertThat(ran("--size-only", "a", "fdt://h/b").engine.plan().get(CopyValue.COMPARE))
                .isEqualTo(Comparison.SIZE);
        CommandRun both = new CommandRun();
        assertThat(both.run("client", "--size-only", "--compare", "digest", "a", "fdt://h/b"))
                .isEqualTo(2);
        assertThat(both.err()).isEqualTo("fdt: --compare cannot be combined with --size-only; leave one out\n");
    }

    @Test
    void staysOnOneFileSystemIfRequested() {
        assertThat(ran("--one-file-system", "a", "fdt://h/b").engine.plan().get(CopyValue.ONE_FILE_SYSTEM))
                .isTrue();
    }

    @Test
    void changesModesWithoutTheUmask() {
        TransferPlan plan = ran("--chmod", "D755,F644", "fdt://h/b", "a").engine.plan();
        assertThat(plan.get(CopyValue.CHMOD).text()).isEqualTo("D755,F644");
        assertThat(plan.get(CopyValue.OBEYS_UMASK)).isFalse();
        CommandRun none = new CommandRun();
        assertThat(none.run("client", "--chmod", "u+x", "--preserve", "times", "a", "fdt://h/b"))
                .isEqualTo(2);
        assertThat(none.err())
                .isEqualTo("fdt: --chmod needs modes that are preserved; add mode to --preserve, or leave it out\n");
        CommandRun wrong = new CommandRun();
        assertThat(wrong.run("client", "--chmod", "+w", "a", "fdt://h/b")).isEqualTo(2);
        assertThat(wrong.err())
                .isEqualTo("fdt: --chmod '+w': not a change of modes; write for example D755,F644 or ug+rwX,o-w\n");
    }

    @Test
    void sendsZerosOfASizeOrForATime() {
        assertThat(ran("--size", "100G", "/dev/zero", "fdt://h/dev/null")
                        .engine
                        .plan()
                        .request()
                        .get(CopyValue.ZEROS)
                        .bytes())
                .isEqualTo(100L << 30);
        assertThat(ran("--duration", "10s", "fdt://h/dev/zero", "/dev/null")
                        .engine
                        .plan()
                        .request()
                        .get(CopyValue.ZEROS)
                        .nanos())
                .isEqualTo(10_000_000_000L);
    }

    @Test
    void keepsStandardStreamsApartFromFilesOfThatName() {
        assertThat(ran("-", "fdt://h/x").engine.plan().request().sources())
                .containsExactly(TransferPlan.STANDARD_STREAM);
        assertThat(ran("fdt://h/x", "-").engine.plan().request().target()).isEqualTo(TransferPlan.STANDARD_STREAM);
        assertThat(ran("fdt://h/-", ".").engine.plan().request().sources()).containsExactly(path("/-"));
        assertThat(ran("--", "./-", "fdt://h/-").engine.plan().request().sources())
                .containsExactly(path("./-"));
    }

    @Test
    void readsNamesFromListBelowSource() {
        CommandRun run = new CommandRun().standardInput("a\0b\nc\0");
        assertThat(run.run("client", "--files-from", "-", "-0", "src", "fdt://h/d"))
                .isZero();
        assertThat(run.engine.plan().request().find(CopyValue.NAMES)).containsExactly(path("a"), path("b\nc"));
    }

    @Test
    void treatsPathsWithColonsAsLocal() {
        assertThat(ran("a:b", "./h2:/c", "fdt://h/d").engine.plan().request().sources())
                .containsExactly(path("a:b"), path("./h2:/c"));
    }

    @ParameterizedTest
    @CsvSource({"1, 4", "2, 4", "8, 8", "16, 16", "128, 16"})
    void choosesLanesFromCores(int cores, int lanes) throws BadValueException {
        assertThat(LaneCount.parse("auto", cores)).isEqualTo(new LaneRange(1, lanes, 64));
    }

    @Test
    void takesBoundsOfAChosenNumberOfLanes() throws BadValueException {
        assertThat(LaneCount.parse("auto:1..256", 8)).isEqualTo(new LaneRange(1, 8, 256));
        assertThat(LaneCount.parse("auto:2..3", 8)).isEqualTo(new LaneRange(2, 3, 3));
        assertThat(LaneCount.parse("auto:20..40", 8)).isEqualTo(new LaneRange(20, 20, 40));
        assertThat(LaneCount.parse("7", 8)).isEqualTo(LaneRange.fixed(7));
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto:5..4", "auto:0..4", "auto:1..257", "auto:..", "auto:4", "auto4", "0", "257"})
    void refusesOtherNumbersOfLanes(String text) {
        assertThatThrownBy(() -> LaneCount.parse(text, 8)).isInstanceOf(BadValueException.class);
    }

    @Test
    void copiesBetweenServersIfBothSidesAreRemote() {
        CommandRun run = ran("fdt://dtn1:4000/a", "fdt://dtn1:4000/b/", "fdt://dtn2/c/");
        assertThat(run.engine.from).isEqualTo(new HostPort("dtn1", 4000));
        TransferPlan plan = run.engine.plan();
        assertThat(plan.direction()).isEqualTo(Direction.PUSH);
        assertThat(plan.server()).isEqualTo(new ServerAddress("dtn2", 27321));
        assertThat(plan.sources()).containsExactly(path("/a"), path("/b/"));
        assertThat(plan.target()).isEqualTo(path("/c/"));
    }

    @Test
    void twoLocalPathsAreACopyWithinThisHost() {
        TransferPlan plan = ran("a", "b/").engine.plan();
        assertThat(plan.server().isNone()).isTrue();
        assertThat(plan.direction()).isEqualTo(Direction.PUSH);
        assertThat(plan.sources()).containsExactly(path("a"));
        assertThat(plan.target()).isEqualTo(path("b/"));
    }

    @Test
    void preservesAllOrNothingOnRequest() throws BadValueException {
        assertThat(CopyRows.preserve("all")).isEqualTo(EnumSet.allOf(Preserve.class));
        assertThat(CopyRows.preserve("none")).isEmpty();
    }

    private static final String WATCH =
            "--watch needs one local directory, and as target a directory of a running server or of this host; write"
                    + " fdt client --watch DIR fdt://HOST/PATH";

    static Stream<Arguments> refusals() {
        String form = "; write fdt client [OPTION…] SRC… TARGET";
        return Stream.of(
                refusal("no source and no target" + form),
                refusal("no target" + form, "a"),
                refusal("the target - needs a remote source; use cat for a local file", "a", "-"),
                refusal(
                        "--delete cannot be combined with --watch; leave one out",
                        "--watch",
                        "--delete",
                        "a",
                        "fdt://dtn2/b"),
                refusal(
                        "--receipt cannot be combined with --watch; leave one out",
                        "--watch",
                        "--receipt",
                        "r",
                        "a",
                        "fdt://dtn2/b"),
                refusal(
                        "--watch cannot be used with --existing fail, because it copies changed files again",
                        "--watch",
                        "--existing",
                        "fail",
                        "a",
                        "fdt://dtn2/b"),
                refusal(WATCH, "--watch", "fdt://dtn2/b", "a"),
                refusal(WATCH, "--watch", "a", "c", "fdt://dtn2/b"),
                refusal(WATCH, "--watch", "a", "ann@dtn2:b"),
                refusal("the target /dev/stdout needs a remote source; use cat for a local file", "a", "/dev/stdout"),
                refusal("the target /dev/stderr needs a remote source; use cat for a local file", "a", "/dev/stderr"),
                refusal("the target /dev/fd/63 needs a remote source; use cat for a local file", "a", "/dev/fd/63"),
                refusal(opened("/dev/stdin"), "/dev/stdin", "fdt://h/b"),
                refusal(opened("/dev/fd/63"), "/dev/fd/63", "fdt://h/b"),
                refusal(opened("/proc/self/fd/11"), "--copy-links", "a", "/proc/self/fd/11", "b"),
                refusal(
                        "the target /dev/fd/3 accepts only one file; give one source",
                        "fdt://h/a",
                        "fdt://h/b",
                        "/dev/fd/3"),
                refusal(
                        "--files-from - and --exclude-from - both read standard input; leave one out",
                        "--files-from",
                        "-",
                        "--exclude-from",
                        "-",
                        "a",
                        "fdt://h/b"),
                refusal(
                        "--include-from - and --include-from - both read standard input; leave one out",
                        "--include-from=-",
                        "--include-from=-",
                        "a",
                        "fdt://h/b"),
                refusal(
                        "--exclude-from - and the source - both read standard input; leave one out",
                        "--exclude-from=-",
                        "-",
                        "fdt://h/b"),
                refusal(
                        "--bind does not apply to a copy within this host, which uses no network; leave it out",
                        "--bind",
                        "127.0.0.1",
                        "a",
                        "b"),
                refusal(
                        "--pin does not apply to a copy within this host, which uses no network; leave it out",
                        "--pin",
                        "0",
                        "a",
                        "b"),
                refusal(
                        "--socket-buffer does not apply to a copy within this host, which uses no network;"
                                + " leave it out",
                        "--socket-buffer",
                        "4M",
                        "a",
                        "b"),
                refusal(
                        "all paths are local; did you mean 'fdt://dtn2/data' for a running fdt server, or"
                                + " 'USER@dtn2:data' over ssh?",
                        "a",
                        "dtn2:data"),
                refusal(
                        "all paths are local; did you mean 'fdt://dtn2/data/x' for a running fdt server, or"
                                + " 'USER@dtn2:PATH' over ssh?",
                        "dtn2::data/x",
                        "b"),
                refusal("all paths are local; did you mean 'fdt://dtn2/data'?", "a", "ftd://dtn2/data"),
                refusal("all paths are local; did you mean 'fdt://dtn2/data'?", "fdt:/dtn2/data", "b"),
                refusal(
                        "a copy between two remote hosts cannot start over ssh; run servers on both and write"
                                + " fdt://HOST/PATH for both, or run fdt on one of the hosts",
                        "ann@a:x",
                        "fdt://b/y"),
                refusal(
                        "a copy between two remote hosts cannot start over ssh; run servers on both and write"
                                + " fdt://HOST/PATH for both, or run fdt on one of the hosts",
                        "fdt://a/x",
                        "ann@b:y"),
                refusal(
                        "--bind does not apply to a copy between two servers, because no data passes through"
                                + " this host; leave it out",
                        "--bind",
                        "10.0.0.1",
                        "fdt://a/x",
                        "fdt://b/y"),
                refusal(
                        "some sources are local and some are remote; copy them with two commands",
                        "a",
                        "fdt://a/x",
                        "fdt://b/y"),
                refusal(
                        "sources on different servers, a:27321 and b:27321; use one command per server",
                        "fdt://a/x",
                        "fdt://b/x",
                        "."),
                refusal("'fdt://h:0/x': not a port; a number from 1 to 65535", "a", "fdt://h:0/x"),
                refusal("'': the path is empty; write . for the current directory", "", "fdt://h/x"),
                refusal(
                        "the source /dev/zero is endless; add --size SIZE or --duration TIME",
                        "/dev/zero",
                        "fdt://h/dev/null"),
                refusal(
                        "--size and --duration both limit /dev/zero; give only one of them",
                        "--size=1",
                        "--duration=1s",
                        "/dev/zero",
                        "fdt://h/x"),
                refusal("--size applies only to the source /dev/zero; leave it out", "--size=1", "a", "fdt://h/x"),
                refusal(
                        "--duration '0s': must be longer than zero; write for example 30s",
                        "--duration=0s",
                        "/dev/zero",
                        "fdt://h/"),
                refusal(
                        "the source /dev/zero must be the only source; copy the others with another command",
                        "--size=1",
                        "/dev/zero",
                        "a",
                        "fdt://h/x"),
                refusal(
                        "the source - must be the only source; copy the others with another command",
                        "-",
                        "a",
                        "fdt://h/x"),
                refusal("the target - accepts only one file; give one source", "fdt://h/a", "fdt://h/b", "-"),
                refusal("-0 applies only to --files-from and --pairs; leave it out", "-0", "a", "fdt://h/x"),
                refusal("--pairs FILE lists all sources and targets; leave out 'a'", "--pairs=-", "a"),
                refusal("--pairs: standard input is empty", "--pairs=-"),
                refusal(
                        "--scitag does not apply to a copy within this host, which uses no network; leave it out",
                        "--scitag=2.3",
                        "a",
                        "b"),
                refusal(
                        "--scitag '512.1': not an experiment, a name or a number from 1 to 511, and an activity, a name"
                                + " or a number from 1 to 63; write for example 2.3 or atlas.data-brokering",
                        "--scitag=512.1",
                        "a",
                        "fdt://h/x"),
                refusal("--files-from: the list is empty", "--files-from=-", "a", "fdt://h/x"),
                refusal(
                        "--files-from lists paths below one source directory; give that directory as the only source",
                        "--files-from=-",
                        "a",
                        "b",
                        "fdt://h/x"),
                refusal(
                        "--lanes '257': not a number from 1 to 256, nor auto or auto:MIN..MAX",
                        "-P257",
                        "a",
                        "fdt://h/x"),
                refusal(
                        "--existing 'skipsame': not one of skip-same, overwrite, skip, fail; did you mean 'skip-same'?",
                        "--existing",
                        "skipsame",
                        "a",
                        "fdt://h/x"),
                refusal("--digest 'md5': not one of xxh3, crc32c, sha256, none", "--digest=md5", "a", "fdt://h/x"),
                refusal(
                        "--preserve 'modes': not a combination of mode, times, links, xattrs, owner, acls,"
                                + " hardlinks separated by commas, and not"
                                + " all or none; did you mean 'mode'?",
                        "--preserve=modes",
                        "a",
                        "fdt://h/x"),
                refusal(
                        "--chunk-size '3MiB': not a chunk size; use one of 128KiB, 256KiB, 512KiB, 1MiB, 2MiB, 4MiB,"
                                + " 8MiB",
                        "--chunk-size=3MiB",
                        "a",
                        "fdt://h/x"),
                refusal("--timeout '10ms': out of range; from 1s to 1h", "--timeout=10ms", "a", "fdt://h/x"),
                refusal(
                        "--socket-buffer '1K': out of range; from 4KiB to 1GiB",
                        "--socket-buffer=1K",
                        "a",
                        "fdt://h/x"),
                refusal(
                        "--rate-limit '10Gb': bits or bytes? write for example 10Gbit or 10GB",
                        "--rate-limit=10Gb",
                        "a",
                        "fdt://h/x"),
                refusal(
                        "--congestion 'BBR!': not a name of a congestion control; write for example bbr or"
                                + " cubic, or auto",
                        "--congestion=BBR!",
                        "a",
                        "fdt://h/x"),
                refusal(
                        "--bind 'eth0': not a list of local addresses; write for example 10.0.0.1,10.0.1.1",
                        "--bind=eth0",
                        "a",
                        "fdt://h/x"),
                refusal(
                        "--pin '3-0': not auto, none or a list of cores; write for example 0-3,8",
                        "--pin=3-0",
                        "a",
                        "fdt://h/x"),
                refusal(
                        "--allow applies only to --monitor; add it, or leave this out",
                        "--allow=::1",
                        "a",
                        "fdt://h/x"),
                refusal(
                        "--rdma-depth applies only to lanes over RDMA; leave it out, or change --transport",
                        "--transport=tcp",
                        "--rdma-depth=8",
                        "a",
                        "fdt://h/x"),
                refusal(
                        "--rdma-wait does not apply to a copy within this host, which uses no network; leave it out",
                        "--rdma-wait=busy",
                        "a",
                        "b"),
                refusal("--tui and --dry-run both need the terminal; leave one out", "--tui", "-n", "a", "fdt://h/x"),
                refusal("--tui and - both need the terminal; leave one out", "--tui", "fdt://h/a", "-"),
                refusal("--tui and - both need the terminal; leave one out", "--tui", "-", "fdt://h/x"),
                refusal("--transport 'udp': not one of tcp, rdma, auto", "--transport=udp", "a", "fdt://h/x"),
                refusal("--exclude '': an empty pattern matches nothing; write a GLOB", "--exclude=", "a", "fdt://h/x"),
                refusal("--json 'all': write --json or --json=files", "--json=all", "a", "fdt://h/x"),
                refusal("--receipt '': the name is empty; give a FILE", "--receipt=", "a", "fdt://h/x"));
    }

    private static String opened(String source) {
        return "the source " + source
                + " is a link to what this process has open, not a file; write it to standard input"
                + " and give the source -, or name the file";
    }

    private static Arguments refusal(String message, String... args) {
        return Arguments.of(message, List.of(args));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void refusesInvalidOptionsWithExitCode2(String message, List<String> args) {
        CommandRun run = new CommandRun();
        int exitCode = run.run(Stream.concat(Stream.of("client"), args.stream()).toList());
        assertThat(run.err()).isEqualTo("fdt: " + message + "\n");
        assertThat(exitCode).isEqualTo(2);
    }

    @Test
    void refusesJsonAndDataOnTheSameStream() {
        CommandRun run = new CommandRun();
        assertThat(run.run("client", "--json", "fdt://h/x", "-")).isEqualTo(2);
        assertThat(run.err()).isEqualTo("fdt: --json and the target - both write to standard output; leave one out\n");
    }

    @Test
    void carriesMirrorAndBoundsIntoThePlan() {
        CommandRun run = ran(
                "--delete",
                "--delete-excluded",
                "--max-delete=0",
                "--update",
                "--min-size=1KiB",
                "--max-size",
                "2KiB",
                "--newer",
                "2030-12-31",
                "fdt://h/a/",
                "here");
        TransferPlan request = run.engine.plan().request();
        assertThat(request.find(CopyValue.MIRROR)).isEqualTo(new TargetRules.Mirror(0, true));
        assertThat(request.get(CopyValue.UPDATE)).isTrue();
        assertThat(request.get(CopyValue.BOUNDS))
                .isEqualTo(new FileBounds(1024, 2048, Instant.parse("2030-12-31T00:00:00Z")));
        Instant newer = ran("--newer", "2h", "a", "fdt://h/b")
                .engine
                .plan()
                .request()
                .get(CopyValue.BOUNDS)
                .newerThan();
        assertThat(newer)
                .isBetween(Instant.now().minusSeconds(7260), Instant.now().minusSeconds(7200));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--delete --files-from list a/ fdt://h/b   | --delete needs a whole directory as source",
                "--delete fdt://h/a/ fdt://i/dev/null      | needs a directory as target",
                "--delete - fdt://h/b                      | needs a directory as source",
                "--delete --size 1 /dev/zero fdt://h/b     | needs a directory as source",
                "--delete fdt://h/a/ -                     | needs a directory as target",
                "--delete fdt://h/a/ /dev/null             | needs a directory as target",
                "--delete --shard job/1 fdt://h/b          | --delete cannot be used with --shard",
                "--max-delete 3 a/ fdt://h/b               | --max-delete applies only to --delete",
                "--delete-excluded a/ fdt://h/b            | --delete-excluded applies only to --delete",
                "--delete --max-delete few a/ fdt://h/b    | not a number from 0 to 999999999, nor none",
                "--min-size 2 --max-size 1 a/ fdt://h/b    | --min-size is larger than --max-size",
                "--min-size 2 - fdt://h/b                  | --min-size does not apply to the source -",
                "--newer 2030-13-01 a/ fdt://h/b           | not a date; write for example 2030-12-31",
                "--newer yesterday a/ fdt://h/b            | not a time; write for example 30s",
                "--exclude-from missing a/ fdt://h/b   | --exclude-from: cannot read missing: no such file or directory"
            })
    void refusesInvalidSelectionsAndMirrors(String arguments, String reason) {
        CommandRun run = new CommandRun();
        assertThat(run.run(List.of(("client " + arguments).split(" ", -1)))).isEqualTo(2);
        assertThat(run.err()).contains(reason);
    }
}
