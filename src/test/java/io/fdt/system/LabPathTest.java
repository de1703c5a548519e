package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A path on which losses hold a lane to a small part of what the hosts could move. */
@Tag("lab")
final class LabPathTest {
    @RegisterExtension
    final Workplace at = new Workplace();

    /** In a pull the server finds the number, and the client opens the lanes. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCopyFindsHowManyLanesALossyPathNeeds(boolean push) throws IOException {
        LabHost near = at.closing(LabHost.named("near"));
        LabHost far = at.closing(LabHost.named("far"));
        LabHost.join(near, far, "wire");
        near.up("wire", "10.78.0.1/24");
        far.up("wire", "10.78.0.2/24");
        (push ? near : far).ok("bash", "-c", "tc qdisc add dev wire root netem limit 10000 delay 40ms loss 1%");
        FdtServer server = far.serve(at, "10.78.0.2");

        FdtProcess client = near.startCopy(
                at,
                "--duration",
                "20s",
                "--timeout",
                "60s",
                "--digest",
                "none",
                push ? "/dev/zero" : server.url("/dev/zero"),
                push ? server.url("/dev/null") : "/dev/null");
        Outcome outcome = client.await(Workplace.LIMIT).expectExit(0);
        assertThat(outcome.number("lanes")).isBetween(5L, 64L);
        assertThat(outcome.summary()).doesNotContainKey("lanes_replaced");
    }
}
