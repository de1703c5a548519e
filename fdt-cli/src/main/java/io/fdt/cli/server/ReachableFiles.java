package io.fdt.cli.server;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.storage.posix.Landlock;
import io.fdt.core.storage.posix.Landlock.Access;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The files that a server can reach when it starts to serve: what it exports, what it writes by itself, and what Java
 * and the C library may load later. A mistake in a check of a path then leads to nothing else, whatever the user of
 * this process may open.
 */
final class ReachableFiles {
    /** Programs and libraries, the host's state, and the settings by which the C library finds hosts. */
    private static final List<String> READ = List.of(
            "/proc",
            "/sys",
            "/etc/resolv.conf",
            "/etc/hosts",
            "/etc/host.conf",
            "/etc/nsswitch.conf",
            "/etc/gai.conf",
            "/etc/localtime",
            "/etc/ld.so.cache",
            "/etc/libibverbs.d",
            "/run/systemd/resolve");

    private static final List<String> RUN = List.of("/usr", "/bin", "/lib", "/lib64");
    private static final List<String> DEVICES =
            List.of("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/infiniband");
    /** Where a JVM listens for jcmd and removes what it noted for jps. */
    private static final String JVM_SOCKETS = "/tmp";

    /** A log that is a terminal or a pipe has its name there. */
    private static final List<Path> OF_DEVICES = List.of(Path.of("/dev"), Path.of("/dev/pts"));

    private final List<Rule> rules = new ArrayList<>();

    private record Rule(RawPath path, Access access) {}

    private ReachableFiles() {}

    /** Lists what every process of Java needs, and the exported directories. */
    static ReachableFiles of(ExportedRoots roots) {
        ReachableFiles files = new ReachableFiles();
        READ.forEach(path -> files.keep(Path.of(path), Access.READ));
        RUN.forEach(path -> files.keep(Path.of(path), Access.RUN));
        DEVICES.forEach(path -> files.keep(Path.of(path), Access.DEVICE));
        files.keep(Path.of(System.getProperty("java.io.tmpdir")), Access.CHANGE);
        files.keepJava(Path.of(System.getProperty("java.home")));
        String authorities = System.getProperty("javax.net.ssl.trustStore");
        if (authorities != null) {
            // Java takes one that it cannot read for an empty one.
            files.keep(Path.of(authorities), Access.READ);
        }
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            files.keep(Path.of(entry), Access.READ);
        }
        Access exported = roots.isReadOnly() ? Access.READ : Access.CHANGE;
        roots.directories().forEach(root -> files.rules.add(new Rule(root, exported)));
        return files;
    }

    /** Distributions put some of its files elsewhere, behind links. */
    private void keepJava(Path home) {
        keep(home, Access.RUN);
        keepLinkedFrom(home.resolve("conf"));
        keepLinkedFrom(home.resolve("lib"));
    }

    private void keepLinkedFrom(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            files.filter(Files::isSymbolicLink).forEach(link -> keep(link, Access.READ));
        } catch (IOException | UncheckedIOException unreadable) {
            // Then Java cannot read it either.
            return;
        }
    }

    /** Lets the tools of Java, such as jcmd, look into this process. */
    ReachableFiles openToTools() {
        keep(Path.of(JVM_SOCKETS), Access.SOCKETS);
        return this;
    }

    ReachableFiles reading(Path path) {
        keep(path, Access.READ);
        return this;
    }

    /** Keeps files readable that may be links, and may be replaced, which only a kept directory allows. */
    ReachableFiles reading(List<Path> replaced) {
        for (Path file : replaced) {
            keepAround(file.toAbsolutePath());
            try {
                keepAround(file.toRealPath());
            } catch (IOException gone) {
                // It appears in the directory that its path names.
            }
        }
        return this;
    }

    private void keepAround(Path file) {
        Path directory = file.getParent();
        keep(directory == null ? file : directory, Access.READ);
    }

    /** Keeps a directory of this user, which is created because only an existing one can be kept. */
    ReachableFiles changing(@Nullable Path directory) {
        if (directory == null) {
            return this;
        }
        try {
            Files.createDirectories(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (IOException reportedByItsFirstUse) {
            return this;
        }
        keep(directory, Access.CHANGE);
        return this;
    }

    /** Lets the socket of the monitor's page, if it has one, be removed at the end. */
    ReachableFiles listeningOn(@Nullable SocketAddress address) {
        Path directory = address instanceof UnixDomainSocketAddress socket
                ? socket.getPath().toAbsolutePath().getParent()
                : null;
        if (directory != null) {
            keep(directory, Access.SOCKETS);
        }
        return this;
    }

    /** Keeps a log writable, and its directory, where it is created anew when logs are rotated. */
    ReachableFiles appending(Path log) {
        keep(log, Access.APPEND);
        keepDirectoryOf(log.toAbsolutePath());
        try {
            keepDirectoryOf(log.toRealPath());
        } catch (IOException gone) {
            // It is created in the directory that its path names.
        }
        return this;
    }

    private void keepDirectoryOf(Path log) {
        Path directory = log.getParent();
        if (directory != null && !OF_DEVICES.contains(directory)) {
            keep(directory, Access.APPEND);
        }
    }

    private void keep(Path path, Access access) {
        rules.add(new Rule(RawPath.of(path), access));
    }

    /**
     * From now on, no thread of this process reaches any other file, nor does a program that it starts. Call it before
     * RDMA is used: the kernel admits to an RDMA device only the credentials that opened it, and this gives each thread
     * other ones. The threads that the caller starts later share the caller's.
     *
     * @param without receives a message if this kernel has no Landlock
     * @param exceptThreads the kernel's numbers of threads that may reach everything
     */
    void giveUpOthers(Consumer<String> without, Consumer<String> warnings, int... exceptThreads) {
        try (Landlock landlock = Landlock.begin()) {
            if (landlock == null) {
                without.accept("without Landlock here (Linux 5.19 or later), only file modes limit what this process"
                        + " can open");
                return;
            }
            rules.forEach(rule -> landlock.keep(rule.path, rule.access));
            int outcome = landlock.restrict(exceptThreads);
            if (outcome < 0) {
                warnings.accept("Landlock does not restrict all threads: " + Libc.strerror(-outcome));
            }
        }
    }
}
