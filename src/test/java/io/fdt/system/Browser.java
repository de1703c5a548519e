package io.fdt.system;

import io.fdt.core.Json;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Debian's Chromium in headless mode with one tab. The JDK's WebSocket client drives it over the DevTools protocol, so
 * nothing is downloaded and no driver is needed. It records every request and every error of the tab.
 *
 * <p>No name except 127.0.0.1 resolves in it. A page that requests something elsewhere therefore fails here too, and
 * not only on a host without a network.
 */
final class Browser implements AutoCloseable {
    private static final HttpClient HTTP =
            HttpClient.newBuilder().connectTimeout(Workplace.LIMIT).build();

    private final FdtProcess process;
    private final WebSocket socket;
    private final AtomicInteger calls = new AtomicInteger();
    /** Guarded by itself. */
    private final Map<Long, CompletableFuture<Map<String, Object>>> answers = new HashMap<>();
    /** Guarded by itself. */
    private final List<String> requests = new ArrayList<>();
    /** Guarded by itself. */
    private final List<String> complaints = new ArrayList<>();

    private Browser(FdtProcess process, URI tab) {
        this.process = process;
        this.socket = HTTP.newWebSocketBuilder()
                .connectTimeout(Workplace.LIMIT)
                .buildAsync(tab, new Listener())
                .join();
        call("Runtime.enable");
        call("Log.enable");
        call("Network.enable");
        call("Page.enable");
    }

    static Browser start(Workplace work) {
        Path chromium = Path.of("/usr/bin/chromium");
        List<String> command = List.of(
                chromium.toString(),
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--no-proxy-server",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                "--remote-debugging-port=0",
                "--user-data-dir=" + work.directory("chromium"),
                "about:blank");
        Map<String, String> environment = Map.of(
                "PATH",
                System.getenv("PATH"),
                "HOME",
                work.directory("home").toString(),
                "TMPDIR",
                work.directory("tmp").toString());
        // Not tracked as an fdt process: the messages of Chromium about its GPU and D-Bus are not errors of fdt.
        FdtProcess process = FdtProcess.start(new FdtProcess.Setup("chromium", command, environment, work.directory()));
        work.closing(process);
        String line = process.awaitErrorLine(Workplace.LIMIT, text -> text.startsWith("DevTools listening on ws://"));
        URI browser = URI.create(line.substring(line.indexOf("ws://")));
        return work.closing(new Browser(process, firstTab(browser)));
    }

    private static URI firstTab(URI browser) {
        URI list = URI.create("http://127.0.0.1:" + browser.getPort() + "/json");
        for (Object entry : (List<?>) Json.value(get(list))) {
            Map<?, ?> tab = (Map<?, ?>) entry;
            if ("page".equals(tab.get("type"))) {
                return URI.create((String) tab.get("webSocketDebuggerUrl"));
            }
        }
        throw new AssertionError("Chromium has no tab");
    }

    /** Returns the body of an HTTP response, for tests of the server behind the page. */
    static String get(URI uri) {
        try {
            HttpRequest request =
                    HttpRequest.newBuilder(uri).timeout(Workplace.LIMIT).build();
            return HTTP.send(request, HttpResponse.BodyHandlers.ofString()).body();
        } catch (IOException e) {
            throw new AssertionError("no answer from " + uri, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    void open(String url) {
        call("Page.navigate", "url", url);
    }

    /** Sets the size of the window in CSS pixels, and the color scheme: {@code light} or {@code dark}. */
    void look(int width, int height, String scheme) {
        call(
                "Emulation.setDeviceMetricsOverride",
                "width",
                width,
                "height",
                height,
                "deviceScaleFactor",
                1,
                "mobile",
                width < 600);
        call(
                "Emulation.setEmulatedMedia",
                "features",
                List.of(Map.of("name", "prefers-color-scheme", "value", scheme)));
    }

    /**
     * Returns the value of a JavaScript expression in the page: a boolean, number, string, or null as
     * {@link Json#NULL}.
     */
    Object evaluate(String expression) {
        Map<String, Object> answer =
                call("Runtime.evaluate", "expression", expression, "returnByValue", true, "awaitPromise", true);
        if (answer.containsKey("exceptionDetails")) {
            throw new AssertionError(expression + " failed: " + answer);
        }
        return ((Map<?, ?>) answer.get("result")).get("value");
    }

    double number(String expression) {
        Object value = evaluate(expression);
        if (!(value instanceof Number number)) {
            throw new AssertionError(expression + " is no number but " + value);
        }
        return number.doubleValue();
    }

    /** Returns once the expression is true, and otherwise fails with the text of the page. */
    void until(String expression) {
        if (!Await.holdsWithin(Workplace.LIMIT, () -> Boolean.TRUE.equals(evaluate(expression)))) {
            throw new AssertionError(
                    "not true within " + Workplace.LIMIT.toSeconds() + " s: " + expression + "\nthe page says: "
                            + evaluate("document.body.innerText.slice(0, 2000)") + "\ncomplaints: " + complaints());
        }
    }

    /** Presses and releases a key on the element that has the focus: {@code ArrowDown}, {@code Enter}. */
    void press(String key) {
        int code = Map.of("ArrowLeft", 37, "ArrowUp", 38, "ArrowRight", 39, "ArrowDown", 40, "Enter", 13, "End", 35)
                .getOrDefault(key, 0);
        for (String type : List.of("keyDown", "keyUp")) {
            call(
                    "Input.dispatchKeyEvent",
                    "type",
                    type,
                    "key",
                    key,
                    "code",
                    key,
                    "windowsVirtualKeyCode",
                    code,
                    "text",
                    key.equals("Enter") && type.equals("keyDown") ? "\r" : "");
        }
    }

    /** Returns the visible part of the page as a PNG. */
    byte[] screenshot() {
        return Base64.getDecoder()
                .decode((String) call("Page.captureScreenshot", "format", "png").get("data"));
    }

    /** The URLs that the tab requested, in order. */
    List<String> requests() {
        synchronized (requests) {
            return List.copyOf(requests);
        }
    }

    /** Exceptions, console errors and problems that the browser itself reported about the page. */
    List<String> complaints() {
        synchronized (complaints) {
            return List.copyOf(complaints);
        }
    }

    private Map<String, Object> call(String method, Object... namesAndValues) {
        Map<String, Object> parameters = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            parameters.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        long id = calls.incrementAndGet();
        CompletableFuture<Map<String, Object>> answer = new CompletableFuture<>();
        synchronized (answers) {
            answers.put(id, answer);
        }
        String text = JsonText.of(Map.of("id", id, "method", method, "params", parameters));
        try {
            synchronized (this) {
                socket.sendText(text, true).get(Workplace.LIMIT.toSeconds(), TimeUnit.SECONDS);
            }
            return answer.get(Workplace.LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException | ExecutionException e) {
            throw new AssertionError(process.transcript() + "\nno answer to " + text, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    private void onMessage(Map<String, Object> message) {
        if (message.get("id") instanceof Long id) {
            CompletableFuture<Map<String, Object>> answer;
            synchronized (answers) {
                answer = answers.remove(id);
            }
            if (answer == null) {
                return;
            }
            if (message.containsKey("error")) {
                answer.completeExceptionally(new IOException("DevTools: " + message.get("error")));
            } else {
                answer.complete(members(message.get("result")));
            }
            return;
        }
        Map<String, Object> parameters = members(message.get("params"));
        switch (String.valueOf(message.get("method"))) {
            case "Network.requestWillBeSent" -> {
                synchronized (requests) {
                    requests.add(
                            String.valueOf(members(parameters.get("request")).get("url")));
                }
            }
            case "Runtime.exceptionThrown" -> complain("exception: " + parameters.get("exceptionDetails"));
            case "Runtime.consoleAPICalled" -> complain("console: " + parameters.get("args"));
            case "Log.entryAdded" -> complain("browser: " + parameters.get("entry"));
            default -> {
                // No test needs any other event of a tab.
            }
        }
    }

    private void complain(String what) {
        synchronized (complaints) {
            complaints.add(what);
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> members(Object value) {
        return (Map<String, Object>) value;
    }

    @Override
    public void close() {
        socket.abort();
        List<ProcessHandle> helpers = ProcessHandle.of(process.pid()).stream()
                .flatMap(ProcessHandle::descendants)
                .toList();
        process.close();
        // The helpers write into the profile until they have ended, and it cannot be removed before.
        helpers.forEach(ProcessHandle::destroyForcibly);
        Await.until(
                "the browser's helpers have ended",
                Workplace.LIMIT,
                () -> helpers.stream().noneMatch(ProcessHandle::isAlive));
    }

    /** Reassembles fragmented messages. Called by one thread at a time. */
    private final class Listener implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                String whole = text.toString();
                text.setLength(0);
                onMessage(Json.object(whole));
            }
            from.request(1);
            return CompletableFuture.completedStage(null);
        }
    }
}
