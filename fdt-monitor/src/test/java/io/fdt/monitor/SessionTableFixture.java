package io.fdt.monitor;

import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.SessionActivity.Direction;
import io.fdt.core.stats.SessionActivity.Service;
import io.fdt.core.stats.SessionCounters;
import io.fdt.core.stats.TransferFigures;
import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Meter;
import io.fdt.monitor.figure.Sample.SessionState;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Monitored sessions that a test makes, and what is shown of them. */
abstract class SessionTableFixture {
    static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    final SessionTable table = new SessionTable("server");

    /** A running session with one lane. The lane has moved as many bytes as its counter states. */
    record Made(SessionActivity activity, SessionCounters counters, TransferFigures figures, AtomicLong bytes) {
        static Made of(Service service, Direction direction) {
            SessionCounters counters = new SessionCounters();
            SessionActivity activity = new SessionActivity("0123", "10.1.1.1:5", counters);
            TransferFigures figures = service == Service.NETTEST ? null : new TransferFigures();
            activity.begin(new SessionActivity.Work(service, direction, "xxh3", figures, () -> 3));
            AtomicLong bytes = new AtomicLong();
            if (service != Service.VERIFY) {
                activity.join(0, direction, "tcp", bytes::get);
            }
            return new Made(activity, counters, figures, bytes);
        }
    }

    Made add(Direction direction, long bytes) {
        Made made = Made.of(Service.COPY, direction);
        made.bytes.set(bytes);
        table.add(made.activity);
        return made;
    }

    SessionState state(double seconds) {
        return table.observed().get(0).state(seconds, System.nanoTime(), System.currentTimeMillis());
    }

    List<Figure> figures() {
        FigureList list = new FigureList();
        list.addSessions(table);
        return list.figures();
    }

    List<Figure> totalFigures() {
        FigureList list = new FigureList();
        table.addTotals(list);
        return list.figures();
    }

    List<Double> totals(String name) {
        return totalFigures().stream()
                .filter(figure -> figure.meter().exportedName().equals(name))
                .map(Figure::value)
                .toList();
    }

    List<String> labelsOf(Meter meter) {
        return figures().stream()
                .filter(figure -> figure.meter() == meter)
                .map(figure -> figure.labels().get(0))
                .toList();
    }

    double valueOf(Meter meter, String... labels) {
        return figures().stream()
                .filter(figure -> figure.meter() == meter
                        && figure.labels().subList(0, labels.length).equals(List.of(labels)))
                .findFirst()
                .orElseThrow()
                .value();
    }
}
