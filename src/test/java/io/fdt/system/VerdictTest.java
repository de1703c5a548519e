package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A network test that is held back on purpose names what holds it back. */
@Timeout(180)
class VerdictTest {
    @RegisterExtension
    final Workplace at = new Workplace();

    private FdtServer server(Object... options) {
        return at.rootlessServer("127.0.0.1:0", at.directory(), options);
    }

    private Object[] nettest(FdtServer server, Object... options) {
        List<Object> words = new ArrayList<>(List.of("nettest", "--json", "--duration", "3s"));
        words.addAll(List.of(options));
        words.add(server.host() + ":" + server.port());
        return words.toArray();
    }

    private static String verdictOf(Outcome outcome) {
        outcome.expectExit(0);
        List<Map<String, Object>> results = outcome.jsonOfType("result");
        assertThat(results).as(outcome.errText()).hasSize(1);
        return String.valueOf(results.get(0).get("verdict"));
    }

    /** A command that may run on the first core only. */
    private FdtProcess startOnOneCore(String name, Object... arguments) {
        return at.track(FdtProcess.start(at.setupThroughBash(
                name, "exec taskset -c \"$(taskset -cp $$ | grep -o '[0-9]*' | sed -n 2p)\" \"$@\"", arguments)));
    }

    @Test
    void smallWindowIsTheLimit() {
        FdtServer server = server("--socket-buffer", "64K");
        assertThat(verdictOf(at.fdt(nettest(server, "-P", "1")))).contains("limit=window");
    }

    @Test
    void peerThatIsHeldUpIsTheLimit() {
        // A window that is shut within a millisecond or two, however slowly this machine sends.
        FdtServer server = server("--socket-buffer", "1M");
        // As a host does to a virtual machine, or a quota to a container: most of the time the server does not run at
        // all.
        String throttle = "trap 'kill -s CONT \"$0\"; exit' TERM;"
                + " while kill -s STOP \"$0\"; do sleep 0.1; kill -s CONT \"$0\"; sleep 0.02; done";
        FdtProcess.Setup setup = new FdtProcess.Setup(
                "throttle",
                List.of("bash", "-c", throttle, Long.toString(server.process().pid())),
                Map.of("PATH", System.getenv("PATH")),
                Path.of("/"));
        try (FdtProcess throttling = at.track(FdtProcess.start(setup))) {
            FdtProcess test = at.start("nettest", nettest(server, "-P", "2"));
            Outcome outcome = test.await(Workplace.LIMIT);
            throttling.signal("TERM");
            throttling.await(Workplace.LIMIT);
            assertThat(verdictOf(outcome)).contains("limit=peer");
        }
    }

    @Test
    void senderThatHasOneCoreIsTheLimit() {
        FdtServer server = server();
        Outcome outcome = startOnOneCore("nettest", nettest(server, "-P", "4")).await(Workplace.LIMIT);
        assertThat(verdictOf(outcome)).contains("limit=sender-cpu").contains("of 1 cores");
    }

    @Test
    void serverThatSendsFromOneCoreIsTheLimit() {
        FdtProcess process = startOnOneCore("server", "server", "--json", "--listen", "127.0.0.1:0");
        FdtServer server = FdtServer.whenReady(process, at.directory());
        Outcome outcome = at.fdt(nettest(server, "-P", "4", "--reverse"));
        assertThat(verdictOf(outcome)).contains("limit=sender-cpu").contains("of 1 cores");
    }
}
