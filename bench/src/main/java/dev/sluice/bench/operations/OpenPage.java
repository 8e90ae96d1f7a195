package dev.sluice.bench.operations;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.engine.status.StatusJson;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Asks the daemon for what an open page asks: live updates, and after each of them the status, the
 * windows that are new, and every five seconds the other tasks. Draws nothing. Runs on its own
 * thread, started and ended by one other.
 */
final class OpenPage implements AutoCloseable {
  private static final Duration OTHER_TASKS = Duration.ofSeconds(5);

  /** So much longer than a status takes to get is the pause before the next one. */
  private static final int PAUSE_FACTOR = 4;

  private final String address;
  private final HttpClient client = HttpClient.newHttpClient();
  private final Thread thread = new Thread(this::watch, "open-page");
  private final AtomicLong statuses = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private volatile boolean closing;
  private volatile InputStream events;
  private volatile Exception failure;
  private long lastWindow;

  private OpenPage(String address) {
    this.address = address;
  }

  static OpenPage open(String address) {
    OpenPage page = new OpenPage(address);
    page.thread.setDaemon(true);
    page.thread.start();
    return page;
  }

  String read() {
    return String.format(
        Locale.ROOT, "%d statuses, %,d kB;", statuses.get(), Math.round(bytes.get() / 1e3));
  }

  private void watch() {
    try (InputStream stream =
            client.send(request("/events"), HttpResponse.BodyHandlers.ofInputStream()).body();
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
      events = stream;
      get("/history?span=15m");
      long askAfter = System.nanoTime();
      long othersAfter = askAfter;
      for (String line = lines.readLine(); line != null && !closing; line = lines.readLine()) {
        bytes.addAndGet(line.length());
        long now = System.nanoTime();
        if (!line.startsWith("data: ") || now < askAfter) {
          continue;
        }
        get("/status");
        statuses.incrementAndGet();
        askAfter = System.nanoTime() + PAUSE_FACTOR * (System.nanoTime() - now);
        for (JsonNode window : get("/windows?after=" + lastWindow).path("windows")) {
          lastWindow = window.path("number").asLong();
        }
        if (now >= othersAfter) {
          get("/tasks");
          othersAfter = System.nanoTime() + OTHER_TASKS.toNanos();
        }
      }
    } catch (IOException | InterruptedException e) {
      if (!closing) {
        failure = e;
      }
    }
  }

  private JsonNode get(String path) throws IOException, InterruptedException {
    HttpResponse<String> answer = client.send(request(path), HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() != 200) {
      throw new IOException(path + " is answered with " + answer.statusCode());
    }
    bytes.addAndGet(answer.body().length());
    return StatusJson.tree(answer.body());
  }

  private HttpRequest request(String path) {
    return HttpRequest.newBuilder(URI.create("http://" + address + path)).build();
  }

  @Override
  public void close() {
    closing = true;
    thread.interrupt();
    try {
      if (events != null) {
        events.close();
      }
      thread.join();
    } catch (IOException e) {
      // It was closed by the daemon.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (failure != null) {
      throw new IllegalStateException("the page could not be read: " + failure, failure);
    }
  }
}
