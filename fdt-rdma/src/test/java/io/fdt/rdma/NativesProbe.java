package io.fdt.rdma;

import com.ibm.disni.verbs.impl.NativeDispatcher;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Calls native functions whose results lanes only show, on a device of this host. Runs in the class loader that
 * has loaded the library.
 */
public final class NativesProbe implements Function<byte[], List<String>> {
    private static final int BYTES = 4096;

    private final NativeDispatcher natives = Disni.NATIVES;
    private final List<String> wrong = new ArrayList<>();

    private void check(boolean right, String what) {
        if (!right) {
            wrong.add(what);
        }
    }

    /** Returns the errors found on the device with this address. */
    @Override
    public List<String> apply(byte[] address) {
        try {
            long channel = natives._createEventChannel();
            long id = natives._createId(channel, Disni.TCP_PORTS);
            Verbs.bind(id, address, 0, 0);
            ofThePort(id);
            ofTheMemory(natives._getContext(id));
            check(Verbs.errorText(12).contains("memory"), "error 12 is " + Verbs.errorText(12));
            check(Verbs.completionText(0).equals("success"), "status 0 is " + Verbs.completionText(0));
            natives._destroyCmId(id);
            natives._destroyEventChannel(channel);
        } catch (IOException failed) {
            wrong.add(failed.toString());
        }
        return wrong;
    }

    private void ofThePort(long id) throws IOException {
        long context = natives._getContext(id);
        int[] facts = new int[4];
        check(Verbs.portFacts(context, 1, facts) == 0 && facts[2] == 2, "no Ethernet");
    }

    private void ofTheMemory(long context) throws IOException {
        long memory = Verbs.map(BYTES, false);
        long domain = natives._allocPd(context);
        long region = natives._regMr(domain, memory, BYTES, Disni.ACCESS_LOCAL_WRITE, memory, memory + 4, memory + 8);
        natives._deregMr(region);
        natives._deallocPd(domain);
        check(Verbs.unmap(memory, BYTES) == 0, "memory that cannot be unmapped");
    }
}
