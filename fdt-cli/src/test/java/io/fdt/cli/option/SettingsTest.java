package io.fdt.cli.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import io.fdt.cli.command.ArgumentReader;
import io.fdt.cli.command.Command;
import io.fdt.cli.copy.ClientCommand;
import io.fdt.cli.network.Network;
import io.fdt.cli.value.LaneCount;
import io.fdt.cli.value.Sizes;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.security.Home;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static Settings settings(List<String> args, Map<String, String> environment, String config) {
        Command client = new ClientCommand();
        return new Settings("client", ArgumentReader.read(client, args), environment, parsed(config), List.of());
    }

    private static ConfigFile parsed(String config) {
        return ConfigFile.parse("/h/config", config.getBytes(StandardCharsets.UTF_8), Settings.configNames());
    }

    @ParameterizedTest
    @CsvSource({
        "--progress=bar, plain, none, bar",
        "--progress=auto, plain, none, auto",
        "'', plain, none, plain",
        "'', '', none, none",
        "'', '', '', auto",
    })
    void prefersTheCommandLineToTheEnvironmentToTheFileToTheDefault(
            String arg, String variable, String line, String expected) {
        Settings settings = settings(
                arg.isEmpty() ? List.of() : List.of(arg),
                variable.isEmpty() ? Map.of() : Map.of("FDT_PROGRESS", variable),
                line.isEmpty() ? "" : "progress = " + line);
        assertThat(settings.word(ClientOptions.PROGRESS)).isEqualTo(expected);
    }

    /** Copies of a batch share a connection if they use the network in the same way. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "--transport=tcp",
                "--socket-buffer=1M",
                "--congestion=bbr",
                "--pin=0",
                "--rdma-depth=8",
                "--rdma-block=256K",
                "--rdma-wait=busy",
                "--rdma-signal=2",
                "--no-rdma-huge-pages",
                "--addresses=ipv4",
                "--token-file=t",
                "--ca=c",
            })
    void keysOfNetworksAreEqualIfTheirOptionsAre(String option) {
        List<String> args = option.isEmpty() ? List.of() : List.of(option);
        List<?> one = networkKey(args);
        assertThat(one.equals(networkKey(args))).isTrue();
        assertThat(one).hasSameHashCodeAs(networkKey(args));
        assertThat(one.equals(networkKey(List.of("--congestion=cubic")))).isFalse();
        assertThat(one.equals(networkKey(List.of()))).isEqualTo(option.isEmpty());
    }

    private static List<?> networkKey(List<String> args) {
        return Network.client(settings(args, Map.of(), "")).key();
    }

    /** Each command asks for dozens of options, of which hardly any is set. */
    @Test
    void aDefaultTakesLittleMemory() {
        Settings settings = settings(List.of(), Map.of("FDT_HOME", "/h"), "");
        long leastBytes = Long.MAX_VALUE;
        for (int i = 0; i < 10; i++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            assertEquals("auto", settings.find(ClientOptions.PROGRESS, text -> text));
            leastBytes = Math.min(leastBytes, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        // The lists of texts, and one text.
        assertThat(leastBytes).isLessThanOrEqualTo(500);
    }

    @Test
    void givenSwitchOverridesTheEnvironment() {
        Map<String, String> environment = Map.of("FDT_RESUME", "false", "FDT_VERBOSE", "1");
        assertThat(settings(List.of(), environment, "").on(ClientOptions.RESUME))
                .isFalse();
        assertThat(settings(List.of("--resume"), environment, "").on(ClientOptions.RESUME))
                .isTrue();
        assertThat(settings(List.of(), environment, "").on(CommonOptions.VERBOSE))
                .isTrue();
        assertThat(settings(List.of("--no-verbose"), environment, "").on(CommonOptions.VERBOSE))
                .isFalse();
    }

    @Test
    void variableOfOneCommandOverridesTheGeneralOne() {
        Map<String, String> environment = Map.of("FDT_CLEAR_LANES", "allow", "FDT_CLIENT_CLEAR_LANES", "true");
        assertThat(settings(List.of(), environment, "").on(ClientOptions.CLEAR_LANES))
                .isTrue();
        assertThat(settings(List.of(), Map.of(), "congestion = bbr\nclient.congestion = reno")
                        .<String>get(CommonOptions.CONGESTION, text -> text))
                .isEqualTo("reno");
        assertThat(settings(List.of(), Map.of(), "server.congestion = bbr")
                        .<String>get(CommonOptions.CONGESTION, text -> text))
                .isEqualTo("auto");
    }

    @Test
    void ignoresEmptyVariablesAndThoseOfCommandLineOnlyOptions() {
        Settings settings = settings(List.of(), Map.of("FDT_PROGRESS", "", "FDT_SIZE", "1G"), "");
        assertThat(settings.word(ClientOptions.PROGRESS)).isEqualTo("auto");
        assertThat(settings.find(ClientOptions.SIZE, Sizes::parse)).isNull();
    }

    @Test
    void lastValueWinsAndListsKeepAllValues() {
        Settings settings =
                settings(List.of("--congestion=bbr", "--congestion=reno"), Map.of(), "root = /a\nroot = /b");
        assertThat(settings.<String>get(CommonOptions.CONGESTION, text -> text)).isEqualTo("reno");
        assertThat(settings.all(ServerOptions.ROOT, text -> text)).containsExactly("/a", "/b");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--lanes=x | '' | '' | --lanes 'x': not a number from 1 to 256, nor auto or auto:MIN..MAX",
                "'' | x | '' | FDT_LANES='x': not a number from 1 to 256, nor auto or auto:MIN..MAX",
                "'' | '' | x | /h/config line 2: lanes = 'x': not a number from 1 to 256, nor auto or auto:MIN..MAX",
            })
    void namesTheOriginOfABadValue(String arg, String variable, String line, String message) {
        Settings settings = settings(
                arg.isEmpty() ? List.of() : List.of(arg),
                variable.isEmpty() ? Map.of() : Map.of("FDT_LANES", variable),
                line.isEmpty() ? "" : "# lanes\nlanes = " + line);
        assertThatThrownBy(() -> settings.get(ClientOptions.LANES, text -> LaneCount.parse(text, 8)))
                .hasMessage(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "lane = 4 | /h/config line 1: unknown setting 'lane'; did you mean 'lanes'?",
                "size = 4 | /h/config line 1: unknown setting 'size'",
                "lanes | /h/config line 1: 'lanes' is not a setting; write name = value",
                "= 4 | /h/config line 1: '= 4' is not a setting; write name = value",
            })
    void refusesConfigLinesItDoesNotKnow(String line, String message) {
        assertThatThrownBy(() -> parsed(line)).hasMessageStartingWith(message);
    }

    @Test
    void readsConfigLinesWithCommentsSpacesAndAnyBytes() {
        ConfigFile config = ConfigFile.parse(
                "c",
                new byte[] {'#', 'x', '\n', '\r', '\n', ' ', 'r', 'o', 'o', 't', '=', '/', (byte) 0xFF, ' ', '\r', '\n'
                },
                Settings.configNames());
        assertThat(config.lines()).containsExactly(new ConfigFile.Line(3, "root", "/\uDCFF"));
    }

    @Test
    void findsTheConfigFileInItsHome(@TempDir Path home) throws Exception {
        Files.writeString(home.resolve("config"), "timeout = 7s\n");
        Command client = new ClientCommand();
        Settings settings =
                Settings.of(client.name(), ArgumentReader.read(client, List.of()), Map.of("FDT_HOME", home.toString()));
        assertThat(Network.timeoutMs(settings)).isEqualTo(7_000);
    }

    @Test
    void saysWhichConfigFileCannotBeRead(@TempDir Path home) throws Exception {
        Files.createDirectory(home.resolve("config"));
        assertThatThrownBy(() -> ConfigFile.read(home.resolve("config"), Map::of))
                .hasMessageContaining("cannot read " + home.resolve("config"));
    }

    @Test
    void refusesAConfigFileThatOthersCanChange(@TempDir Path home) throws Exception {
        Path config = Files.writeString(home.resolve("config"), "timeout = 7s\n");
        Files.setPosixFilePermissions(config, PosixFilePermissions.fromString("rw-rw-rw-"));
        assertThatThrownBy(() -> ConfigFile.read(config, Settings::configNames))
                .extracting(failure -> ((TransferException) failure).failure().textWithRemedy())
                .asString()
                .contains("other users can change it; run chmod go-w " + config);
        Files.setPosixFilePermissions(config, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(ConfigFile.read(config, Settings::configNames).lines()).hasSize(1);
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThatThrownBy(() -> ConfigFile.read(config, Settings::configNames))
                .extracting(failure -> ((TransferException) failure).failure().textWithRemedy())
                .asString()
                .contains("run chmod go-w " + home);
    }

    /** Others may put files, and links to files of this user, into a directory for everybody. */
    @Test
    void refusesAConfigFileOfAnotherUser(@TempDir Path home) throws Exception {
        assumeTrue(Libc.geteuid() == 0, "only root can make files of others");
        Files.setAttribute(home, "unix:mode", 01777);
        Path own = Files.writeString(home.resolve("own"), "timeout = 7s\n");
        Path config = Files.createSymbolicLink(home.resolve("config"), own);
        assertThat(ConfigFile.read(config, Settings::configNames).lines()).hasSize(1);
        Files.setAttribute(config, "unix:uid", 4711, LinkOption.NOFOLLOW_LINKS);
        assertThatThrownBy(() -> ConfigFile.read(config, Settings::configNames))
                .hasMessageContaining("belongs to another user (uid 4711)");
        Files.delete(config);
        Files.setAttribute(Files.copy(own, config), "unix:uid", 4711);
        assertThatThrownBy(() -> ConfigFile.read(config, Settings::configNames))
                .hasMessageContaining("belongs to another user (uid 4711)");
    }

    @Test
    void refusesASingleValueThatIsSetTwice() {
        assertThatThrownBy(() -> parsed("lanes = 4\nroot = /a\nroot = /b\nlanes = 5"))
                .hasMessage("/h/config line 4: 'lanes' has one value, and line 1 sets it already; remove one of the"
                        + " lines");
        assertThat(parsed("lanes = 4\nclient.lanes = 5\nroot = /a\nroot = /b").lines())
                .hasSize(4);
    }

    @ParameterizedTest
    @CsvSource({"FDT_READONLY, FDT_READ_ONLY", "FDT_CLIENT_LANE, FDT_CLIENT_LANES", "FDT_HOMES, FDT_HOME"})
    void refusesAVariableThatItDoesNotKnow(String name, String meant) {
        assertThatThrownBy(() -> Variables.requireKnown(Map.of("FDT_KEY", "x", name, "true")))
                .hasMessage("unknown variable '" + name + "' in the environment; did you mean '" + meant + "'?");
    }

    /** Those of fdt, of its scripts, and those that Kubernetes makes of the name of a service. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "FDT_READ_ONLY",
                "FDT_SERVER_READ_ONLY",
                "FDT_CLIENT_RATE_LIMIT",
                "FDT_JAVA_OPTIONS",
                "FDT_SERVER_OPTIONS",
                "FDT_LAB_GUESTS",
                "FDT_SLURM_REQUEUES",
                "FDT_MONITORING_DIR",
                "FDT_SERVICE_HOST",
                "FDT_PORT",
                "FDT_SERVER_SERVICE_PORT_FDT",
                "FDT_SERVER_PORT_27321_TCP_ADDR",
            })
    void takesVariablesThatHaveAPurpose(String name) {
        assertThatCode(() -> Variables.requireKnown(Map.of(name, "x"))).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({
        "/f, /x, /u, /f",
        "'', /x, /u, /x/fdt",
        "'', x, /u, /u/.config/fdt",
        "'', '', /u, /u/.config/fdt",
    })
    void looksForItsHomeWhereTheRulesSay(String fdtHome, String xdg, String home, String expected) {
        assertThat(Home.directory(Map.of("FDT_HOME", fdtHome, "XDG_CONFIG_HOME", xdg, "HOME", home)))
                .isEqualTo(Path.of(expected));
    }

    /** Changing any of these defaults is visible to users. */
    @Test
    void pinsEveryDefault() {
        Map<String, String> client = new LinkedHashMap<>();
        ClientOptions.ALL.forEach(option ->
                client.put(option.name(), String.valueOf(option.value().preset())));
        assertThat(client)
                .containsExactlyEntriesOf(ordered(
                        "--files-from", "null",
                        "--pairs", "null",
                        "--null", "false",
                        "--relative", "false",
                        "--include", "null",
                        "--exclude", "null",
                        "--include-from", "null",
                        "--exclude-from", "null",
                        "--min-size", "null",
                        "--max-size", "null",
                        "--newer", "null",
                        "--range", "null",
                        "--size", "null",
                        "--duration", "null",
                        "--dry-run", "false",
                        "--shard", "null",
                        "--target-map", "null",
                        "--copy-links", "false",
                        "--one-file-system", "false",
                        "--chmod", "null",
                        "--growing", "fail",
                        "--remove-source", "false",
                        "--watch", "false",
                        "--detach", "false",
                        "--existing", "skip-same",
                        "--compare", "time",
                        "--size-only", "false",
                        "--update", "false",
                        "--keep-dirlinks", "false",
                        "--resume", "true",
                        "--durable", "end",
                        "--direct-io", "auto",
                        "--preserve", "mode,times,links",
                        "--delete", "false",
                        "--delete-excluded", "false",
                        "--max-delete", "none",
                        "--lanes", "auto",
                        "--rate-limit", "none",
                        "--retry", "null",
                        "--max-bytes", "none",
                        "--max-entries", "none",
                        "--digest", "xxh3",
                        "--checksum", "none",
                        "--clear-lanes", "false",
                        "--chunk-size", "8MiB",
                        "--ssh", "ssh",
                        "--remote-command", "fdt",
                        "--remote-address", "null",
                        "--tunnel", "false",
                        "--bootstrap", "false",
                        "--pin", "auto",
                        "--transport", "auto",
                        "--bind", "null",
                        "--scitag", "null",
                        "--token-file", "null",
                        "--ca", "null",
                        "--socket-buffer", "auto",
                        "--congestion", "auto",
                        "--addresses", "any",
                        "--timeout", "10m",
                        "--rdma-block", "128KiB",
                        "--rdma-depth", "6",
                        "--rdma-signal", "auto",
                        "--rdma-wait", "adaptive",
                        "--rdma-huge-pages", "true",
                        "--monitor", "null",
                        "--monitor-token-file", "null",
                        "--push", "null",
                        "--record", "null",
                        "--tell-host", "allow",
                        "--allow", "null",
                        "--tui", "false",
                        "--receipt", "null",
                        "--manifest", "null",
                        "--on-complete", "null",
                        "--json", "false",
                        "--progress", "auto",
                        "--log-level", "info",
                        "--log-json", "false",
                        "--verbose", "false",
                        "--quiet", "false",
                        "--help", "false"));
        Map<String, String> verify = new LinkedHashMap<>();
        VerifyOptions.ALL.forEach(option ->
                verify.put(option.name(), String.valueOf(option.value().preset())));
        assertThat(verify)
                .containsExactlyEntriesOf(ordered(
                        "--receipt", "null",
                        "--manifest", "null",
                        "--extra", "false",
                        "--metadata", "false",
                        "--digest", "xxh3",
                        "--device", "false",
                        "--threads", "auto",
                        "--ssh", "ssh",
                        "--remote-command", "fdt",
                        "--token-file", "null",
                        "--ca", "null",
                        "--timeout", "30s",
                        "--json", "false",
                        "--progress", "auto",
                        "--log-level", "info",
                        "--log-json", "false",
                        "--verbose", "false",
                        "--quiet", "false",
                        "--help", "false"));
        Map<String, String> server = new LinkedHashMap<>();
        ServerOptions.ALL.forEach(option ->
                server.put(option.name(), String.valueOf(option.value().preset())));
        assertThat(server)
                .containsExactlyEntriesOf(ordered(
                        "--listen", "127.0.0.1:27321",
                        "--root", "null",
                        "--read-only", "false",
                        "--once", "false",
                        "--check-config", "false",
                        "--for-ssh", "false",
                        "--third-party", "null",
                        "--nettest-log", "null",
                        "--issuer", "null",
                        "--audience", "null",
                        "--issuer-root", "null",
                        "--issuer-users", "null",
                        "--certificate", "null",
                        "--certificate-key", "null",
                        "--max-lanes", "64",
                        "--max-sessions", "64",
                        "--max-connections", "4096",
                        "--max-unadmitted", "1024",
                        "--handshake-timeout", "10s",
                        "--max-disconnected", "10m",
                        "--max-memory", "auto",
                        "--rate-limit", "none",
                        "--max-entries", "100000000",
                        "--max-bytes", "none",
                        "--max-path-bytes", "4095",
                        "--max-path-depth", "512",
                        "--mode-mask", "022",
                        "--allow", "null",
                        "--clear-lanes", "tests",
                        "--nettest-log-size", "4GiB",
                        "--nettest-memory", "256MiB",
                        "--transport", "auto",
                        "--pin", "auto",
                        "--socket-buffer", "auto",
                        "--congestion", "auto",
                        "--rdma-block", "128KiB",
                        "--rdma-depth", "6",
                        "--rdma-signal", "auto",
                        "--rdma-wait", "adaptive",
                        "--rdma-huge-pages", "true",
                        "--rdma-mtu", "auto",
                        "--monitor", "null",
                        "--monitor-token-file", "null",
                        "--push", "null",
                        "--record", "null",
                        "--tell-host", "allow",
                        "--tui", "false",
                        "--transfer-log", "null",
                        "--checksum", "none",
                        "--on-session", "null",
                        "--json", "false",
                        "--log-level", "info",
                        "--log-json", "false",
                        "--verbose", "false",
                        "--quiet", "false",
                        "--help", "false"));
    }

    private static Map<String, String> ordered(String... pairs) {
        Map<String, String> map = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            map.put(pairs[i], pairs[i + 1]);
        }
        return map;
    }
}
