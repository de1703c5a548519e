package io.fdt.cli.list;

import io.fdt.cli.command.Context;
import io.fdt.cli.copy.RemoteEnd;
import io.fdt.cli.run.JobRun;
import io.fdt.cli.value.HostPort;
import io.fdt.core.Fdt;
import io.fdt.core.failure.TransferException;
import io.fdt.core.files.OperationSummary;
import io.fdt.core.files.Operations;
import io.fdt.core.plan.FileOperation;
import io.fdt.core.plan.RawPath;
import io.fdt.core.run.Running;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One operation on files, with the remote end if ssh starts it. */
final class FileRun implements JobRun.CommandJob<Running<OperationSummary>, OperationSummary>, AutoCloseable {
    private final FileRequest request;
    private final Context context;
    private final FileView view;
    private final RemoteEnd remoteEnd;
    private volatile @Nullable Operations operations;

    FileRun(FileRequest request, Context context, FileView view) {
        this.request = request;
        this.context = context;
        this.view = view;
        this.remoteEnd = new RemoteEnd(request.ssh());
    }

    @Override
    public Running<OperationSummary> start() {
        Fdt fdt = request.network().applied(remoteEnd.start(context));
        HostPort server = remoteEnd.at(request.places().get(0).server());
        FileOperation operation = request.operation();
        Map<RawPath, String> texts = new HashMap<>();
        for (int i = 0; i < operation.paths().size(); i++) {
            texts.putIfAbsent(
                    remoteEnd.below(operation.paths().get(i)), request.texts().get(i));
        }
        view.begin(texts);
        Operations opened = fdt.operations(
                server == null ? "" : server.host(),
                server == null ? 0 : server.port(),
                request.timeoutMs(),
                context.console()::warning);
        operations = opened;
        return opened.start(
                new FileOperation(
                        operation.action(),
                        operation.paths().stream().map(remoteEnd::below).toList(),
                        operation.deep(),
                        operation.hash()),
                view);
    }

    @Override
    public OperationSummary withoutJob(TransferException failure) {
        return new OperationSummary(failure.failure(), 0, 0);
    }

    @Override
    public void show(OperationSummary summary) {
        view.onEnd(summary);
    }

    @Override
    public void close() {
        Operations opened = operations;
        operations = null;
        if (opened != null) {
            opened.close();
        }
        remoteEnd.close();
    }
}
