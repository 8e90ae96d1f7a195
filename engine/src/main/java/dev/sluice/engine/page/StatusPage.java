package dev.sluice.engine.page;

import com.sun.net.httpserver.HttpExchange;
import dev.sluice.engine.status.QueryString;
import dev.sluice.engine.status.ReadPath;
import dev.sluice.engine.status.StatusJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The page at {@code /} that people keep open: its files, {@code /history} with the figures of the
 * last 24 hours, {@code /windows} with the last windows, {@code /tasks} with the other tasks of
 * this machine, and {@code /events} with each new sample. Owned by the daemon, which closes it
 * after its HTTP server. The status comes from {@code /status}.
 */
public final class StatusPage implements AutoCloseable {
  private static final String JSON = "application/json; charset=utf-8";

  private final StatusHistory history;
  private final LiveUpdates updates = new LiveUpdates();
  private final HistoryRecorder recorder;
  private final PageSource source;
  private final OtherTasks others;

  private StatusPage(
      HistoryFile file, StatusHistory history, PageSource source, OtherTasks others, Clock clock) {
    this.history = history;
    this.source = source;
    this.others = others;
    this.recorder = new HistoryRecorder(source::figures, history, file, updates, clock);
  }

  /**
   * Restores the history of the directory's last daemon, and begins to take samples.
   *
   * @param source called by threads of the page and of the HTTP server
   */
  public static StatusPage start(Path dataDirectory, PageSource source, Clock clock) {
    HistoryFile file = new HistoryFile(dataDirectory);
    StatusPage page =
        new StatusPage(
            file, file.read(clock.instant()), source, new OtherTasks(dataDirectory, clock), clock);
    page.recorder.start();
    return page;
  }

  /** What the HTTP server is to answer. */
  public List<ReadPath> paths() {
    List<ReadPath> paths = new ArrayList<>();
    for (PageFile file : PageFile.all()) {
      paths.add(
          new ReadPath(
              file.path(), exchange -> ReadPath.send(exchange, 200, file.type(), file.content())));
    }
    paths.add(new ReadPath("/history", this::history));
    paths.add(new ReadPath("/windows", this::windows));
    paths.add(new ReadPath("/tasks", this::tasks));
    paths.add(new ReadPath("/events", updates::serve));
    return paths;
  }

  @Override
  public void close() {
    updates.close();
    recorder.close();
  }

  LiveUpdates updates() {
    return updates;
  }

  private void history(HttpExchange exchange) throws IOException {
    Span span =
        Span.parse(
            QueryString.parse(exchange.getRequestURI()).getOrDefault("span", Span.QUARTER.text()));
    String text = StatusJson.line(history.series(span));
    ReadPath.send(exchange, 200, JSON, text.getBytes(StandardCharsets.UTF_8));
  }

  private void windows(HttpExchange exchange) throws IOException {
    String after = QueryString.parse(exchange.getRequestURI()).getOrDefault("after", "0");
    if (!after.matches("[0-9]{1,18}")) {
      throw new IllegalArgumentException(
          "found after=%s; expected the number of a window".formatted(after));
    }
    String text = StatusJson.line(WindowList.after(source.windows(), Long.parseLong(after)));
    ReadPath.send(exchange, 200, JSON, text.getBytes(StandardCharsets.UTF_8));
  }

  private void tasks(HttpExchange exchange) throws IOException {
    String text = StatusJson.line(Map.of("tasks", others.all()));
    ReadPath.send(exchange, 200, JSON, text.getBytes(StandardCharsets.UTF_8));
  }
}
