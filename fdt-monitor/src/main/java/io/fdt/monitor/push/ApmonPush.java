package io.fdt.monitor.push;

import io.fdt.core.basic.Figures;
import io.fdt.core.basic.HostView;
import io.fdt.core.failure.Cause;
import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Sample;
import io.fdt.monitor.figure.Sample.SessionState;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Sends MonALISA's ApMon datagrams: XDR, big-endian; texts as a length and bytes padded to a multiple of four. A
 * parameter has a name, a type and a value; here every value is a 64-bit float, type 5. Cluster and node identify the
 * source: {@code FDT_Cores} and {@code FDT_NICs} with this host as node, {@code FDT_Sessions} with the host and the
 * session. A datagram fits an Ethernet packet. Fewer than 20 are sent in a second, because old receivers drop more;
 * what does not fit then, first of all cores, is left out.
 */
public final class ApmonPush implements Push {
    private static final String VERSION = "2.2.7_jp";
    private static final int FLOAT64 = 5;
    private static final int MAX_BYTES = 1_400;
    private static final int MAX_DATAGRAMS = 18;
    private static final int SEQUENCES = 2_000_000_000;
    private static final double PERCENT = 100;
    private static final double MEGABITS_OF_BYTES = 8e-6;
    private static final double MEGABYTES = 1e-6;

    private final PushTarget target;
    private final int instance = new SecureRandom().nextInt(Integer.MAX_VALUE);
    private final DatagramSocket socket;
    private int sequence;

    public ApmonPush(PushTarget target) {
        this.target = target;
        try {
            this.socket = new DatagramSocket();
        } catch (SocketException e) {
            throw Cause.CANNOT_CONNECT.failure("no socket for ApMon: " + e.getMessage(), e);
        }
    }

    @Override
    public void send(Sample sample, List<Figure> figures) throws IOException {
        InetAddress address = InetAddress.getByName(target.host());
        String host = sample.view().host();
        List<byte[]> datagrams = new ArrayList<>();
        add(datagrams, sample, "FDT_NICs", host, nics(sample));
        for (SessionState session : sample.sessions()) {
            add(datagrams, sample, "FDT_Sessions", host + ":" + session.name().session(), session(session));
        }
        // Last, because those of a large host alone are more than may be sent.
        add(datagrams, sample, "FDT_Cores", host, cores(sample));
        for (byte[] datagram : datagrams.subList(0, Math.min(datagrams.size(), MAX_DATAGRAMS))) {
            socket.send(new DatagramPacket(datagram, datagram.length, address, target.port()));
        }
    }

    private static Map<String, Double> cores(Sample sample) {
        Map<String, Double> values = new LinkedHashMap<>();
        for (HostView.Core core : sample.view().cores()) {
            String prefix = Figures.text("core%03d_", core.core());
            values.put(
                    prefix + "usr",
                    PERCENT * (core.shares().user() + core.shares().nice()));
            values.put(prefix + "sys", PERCENT * core.shares().system());
            values.put(
                    prefix + "softirq",
                    PERCENT * (core.shares().softirq() + core.shares().irq()));
            values.put(
                    prefix + "idle",
                    PERCENT * (core.shares().idle() + core.shares().iowait()));
        }
        return values;
    }

    private static Map<String, Double> nics(Sample sample) {
        Map<String, Double> values = new LinkedHashMap<>();
        for (HostView.Nic nic : sample.view().nics()) {
            if (nic.rxBytesPerSecond() >= 0 && nic.txBytesPerSecond() >= 0) {
                values.put(nic.nic() + "_IN", nic.rxBytesPerSecond() * MEGABITS_OF_BYTES);
                values.put(nic.nic() + "_OUT", nic.txBytesPerSecond() * MEGABITS_OF_BYTES);
            }
        }
        return values;
    }

    /** Uses the parameter names of the original FDT. */
    private static Map<String, Double> session(SessionState session) {
        Map<String, Double> values = new LinkedHashMap<>();
        Sample.Amounts amounts = session.amounts();
        values.put(
                session.name().isOutgoing() ? "NET_OUT_Mb" : "NET_IN_Mb", amounts.bytesPerSecond() * MEGABITS_OF_BYTES);
        values.put("TransferredMBytes", amounts.bytes() * MEGABYTES);
        if (amounts.bytesTotal() > 0) {
            values.put("TotalMBytes", amounts.bytesTotal() * MEGABYTES);
            values.put("TransferRatio", PERCENT * amounts.share());
        }
        return values;
    }

    /** Adds as many datagrams as the values need. */
    private void add(List<byte[]> datagrams, Sample sample, String cluster, String node, Map<String, Double> values)
            throws IOException {
        Map<String, Double> part = new LinkedHashMap<>();
        int bytes = 0;
        for (Map.Entry<String, Double> value : values.entrySet()) {
            int length = value.getKey().length() + 20;
            if (bytes + length > MAX_BYTES - 200 - cluster.length() - node.length()) {
                datagrams.add(datagram(sample, cluster, node, part));
                part.clear();
                bytes = 0;
            }
            part.put(value.getKey(), value.getValue());
            bytes += length;
        }
        if (!part.isEmpty()) {
            datagrams.add(datagram(sample, cluster, node, part));
        }
    }

    private byte[] datagram(Sample sample, String cluster, String node, Map<String, Double> values) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(MAX_BYTES);
        DataOutputStream out = new DataOutputStream(bytes);
        String password = target.secret();
        text(out, "v:" + VERSION + ":" + (password == null ? "" : password));
        out.writeInt(instance);
        sequence = (sequence + 1) % SEQUENCES;
        out.writeInt(sequence);
        text(out, cluster);
        text(out, node);
        out.writeInt(values.size());
        for (Map.Entry<String, Double> value : values.entrySet()) {
            text(out, value.getKey());
            out.writeInt(FLOAT64);
            out.writeDouble(value.getValue());
        }
        out.writeInt((int) (sample.epochMs() / 1000));
        return bytes.toByteArray();
    }

    private static void text(DataOutputStream out, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
        for (int padding = bytes.length; padding % 4 != 0; padding++) {
            out.write(0);
        }
    }

    @Override
    public void close() {
        socket.close();
    }
}
