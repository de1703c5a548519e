package io.fdt.rdma;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.DeviceQueues;
import io.fdt.core.transport.LanePlaces;
import io.fdt.core.transport.RdmaProvider;
import io.fdt.core.transport.Transport;
import java.io.File;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * The entry point to RDMA for other modules. The transport and DiSNI's classes are in a separate class loader, which
 * finds the native library inside the jar. Without RDMA on the host, or the library in the build, calls fail here with
 * a one-sentence reason, and may be repeated.
 */
public final class Rdma {
    private static final String TRANSPORT = "io.fdt.rdma.RdmaTransport";
    private static final String QUEUES = "io.fdt.rdma.RdmaQueues";

    private Rdma() {}

    /** Returns the engine's provider of lanes over RDMA. */
    public static RdmaProvider provider(RdmaSettings settings) {
        return new Provider(settings);
    }

    private record Provider(RdmaSettings settings) implements RdmaProvider {
        private static final File DEVICES = new File("/sys/class/infiniband");

        @Override
        public @Nullable String obstacle() {
            String[] devices = DEVICES.list();
            return devices == null || devices.length == 0 ? "this host has no RDMA device" : null;
        }

        @Override
        public Transport open(LanePlaces places) {
            return Rdma.open(settings, places);
        }

        @Override
        public long laneMemoryBytes() {
            return settings.blocks().laneBytes();
        }
    }

    /**
     * Opens a transport over this host's RDMA devices.
     *
     * @param places where the threads of its lanes run
     * @throws TransferException NO_RDMA with the reason, if RDMA is not available
     */
    public static Transport open(RdmaSettings settings, LanePlaces places) {
        return (Transport) made(TRANSPORT, new Class<?>[] {RdmaSettings.class, LanePlaces.class}, settings, places);
    }

    /**
     * Opens the queues of the device with this local address, for network tests.
     *
     * @throws TransferException NO_RDMA with the reason, if RDMA is not available or no device has the address
     */
    public static DeviceQueues queues(InetAddress local) {
        return (DeviceQueues) made(QUEUES, new Class<?>[] {InetAddress.class}, local);
    }

    /**
     * By reflection, because a class that this one names would come from this class's own loader: there, DiSNI's {@code
     * System.loadLibrary} would find no library.
     */
    private static Object made(String name, Class<?>[] types, Object... words) {
        try {
            Class<?> type = Class.forName(name, true, RdmaLoader.get());
            return type.getConstructor(types).newInstance(words);
        } catch (InvocationTargetException failed) {
            Throwable cause = failed.getCause() == null ? failed : failed.getCause();
            if (cause instanceof TransferException known) {
                throw known;
            }
            Throwable reason =
                    cause instanceof UncheckedIOException io && io.getCause() != null ? io.getCause() : cause;
            throw unavailable(String.valueOf(reason.getMessage()), cause);
        } catch (ReflectiveOperationException | LinkageError failed) {
            throw unavailable(String.valueOf(failed.getMessage()), failed);
        }
    }

    static TransferException unavailable(String why, Throwable cause) {
        return Cause.NO_RDMA.failure("RDMA is not available on this host: " + why, cause);
    }
}
