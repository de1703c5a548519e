package io.fdt.example;

import io.fdt.core.Fdt;
import io.fdt.core.engine.ServerSettings;
import io.fdt.core.engine.Serving;
import io.fdt.core.failure.Failure;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.verify.VerifyJob;
import io.fdt.core.verify.VerifyObserver;
import io.fdt.core.verify.VerifyPlan;
import io.fdt.core.verify.VerifyPlan.Side;
import io.fdt.core.verify.VerifySummary;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A complete program: serves a directory, pushes a tree into it, prints the progress, and verifies the result. The code
 * in docs/library.md is part of this file.
 */
public final class CopyAndVerify {
    private final Fdt fdt;
    private final PrintStream out;

    CopyAndVerify(Fdt fdt, PrintStream out) {
        this.fdt = fdt;
        this.out = out;
    }

    /** @param args a tree, and a directory to serve */
    public static void main(String[] args) throws InterruptedException {
        boolean same = new CopyAndVerify(Fdt.ofUser(), System.out).run(Path.of(args[0]), Path.of(args[1]));
        if (!same) {
            throw new IllegalStateException("the copy differs");
        }
    }

    boolean run(Path tree, Path exported) throws InterruptedException {
        try (Serving server = fdt.serve(ServerSettings.of(exported))) {
            int port = server.address().getPort();
            Summary copied = push(tree, port);
            out.println("copied " + copied.files().inPlace() + " files, "
                    + copied.bytes().inPlace() + " bytes");
            return copied.failure() == null && verify(tree, port);
        }
    }

    private Summary push(Path tree, int port) throws InterruptedException {
        TransferPlan plan = TransferPlan.push(tree, "localhost", port, "/backup/");
        try (TransferJob copy = fdt.copy(plan, new FailedFiles())) {
            while (!copy.await(Duration.ofSeconds(1))) {
                Progress now = copy.progress();
                out.println(now.bytes().done() + " of " + now.bytes().total() + " bytes");
            }
            return copy.await();
        }
    }

    private final class FailedFiles implements TransferObserver {
        @Override
        public void onFile(String path, FileOutcome outcome, long bytes, @Nullable Failure why) {
            if (outcome == FileOutcome.FAILED) {
                out.println("failed: " + path + ": " + (why == null ? outcome : why.text()));
            }
        }
    }

    private boolean verify(Path tree, int port) throws InterruptedException {
        Side here = Side.here(tree);
        Side there = Side.at("localhost", port, "/backup/" + tree.getFileName());
        try (VerifyJob check = fdt.verify(VerifyPlan.trees(here, there), new Differences())) {
            VerifySummary found = check.await();
            out.println(
                    found.files() + " files verified, " + found.differences().differing() + " differ");
            return found.failure() == null;
        }
    }

    private final class Differences implements VerifyObserver {
        @Override
        public void onDifference(String path, Finding finding, @Nullable String detail) {
            out.println(finding + " " + path);
        }
    }
}
