package io.fdt.system;

import static io.fdt.system.NettestResults.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A network test with an artificial limit names that limit. */
@Tag("clock")
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
        return String.valueOf(resultOf(outcome).get("verdict"));
    }

    /** Pins a process to the first core that this machine allows. */
    private FdtProcess.Setup onOneCore(FdtProcess.Setup setup) {
        String script = "exec taskset -c \"$(taskset -cp $$ | grep -o '[0-9]*' | sed -n 2p)\" \"$@\"";
        List<String> words = new ArrayList<>(List.of("bash", "-c", script, "bash"));
        words.addAll(setup.command());
        return new FdtProcess.Setup(setup.name(), words, setup.environment(), setup.directory());
    }

    private FdtProcess startOnOneCore(String name, Object... arguments) {
        return at.track(FdtProcess.start(onOneCore(at.setup(name, arguments))));
    }

    /**
     * Starts programs that take much more of that core than the lanes. The remote end then has more CPU time, whatever
     * else runs on this machine.
     */
    private void keepThatCoreBusy() {
        for (int program = 0; program < 16; program++) {
            at.track(FdtProcess.start(onOneCore(new FdtProcess.Setup(
                    "busy",
                    List.of("bash", "-c", "while :; do :; done"),
                    Map.of("PATH", System.getenv("PATH")),
                    Path.of("/")))));
        }
    }

    @Test
    void namesOtherProgramsOnTheSendersCoreAsBottleneck() {
        FdtServer server = server();
        keepThatCoreBusy();
        Outcome outcome = startOnOneCore("nettest", nettest(server, "-P", "4")).await(Workplace.LIMIT);
        assertThat(verdictOf(outcome))
                .contains("limit=sender-foreign-load", "Other programs use the CPU of the sender", " of 1. ");
    }

    @Test
    void namesOtherProgramsOnTheSendingServersCoreAsBottleneck() {
        FdtProcess process = startOnOneCore("server", "server", "--json", "--listen", "127.0.0.1:0");
        FdtServer server = FdtServer.whenReady(process, at.directory());
        keepThatCoreBusy();
        Outcome outcome = at.process(nettest(server, "-P", "4", "--reverse"));
        assertThat(verdictOf(outcome))
                .contains("limit=sender-foreign-load", "Other programs use the CPU of the sender", " of 1. ");
    }
}
