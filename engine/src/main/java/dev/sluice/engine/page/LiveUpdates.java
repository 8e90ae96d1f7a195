package dev.sluice.engine.page;

import com.sun.net.httpserver.HttpExchange;
import dev.sluice.engine.status.ReadPath;
import dev.sluice.engine.status.StatusJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Sends each sample to the pages that are open, as server-sent events, to a bounded number of them.
 * Publishing never waits for a client. Threadsafe.
 */
final class LiveUpdates {
  /** More pages than that ask for the status at intervals. */
  static final int MOST_CLIENTS = 16;

  private static final String EVENTS = "text/event-stream; charset=utf-8";
  private static final String TEXT = "text/plain; charset=utf-8";

  /** A comment: the browser learns at once that it is connected. */
  private static final String BEGIN = ": live\n\n";

  private final List<LiveClient> clients = new ArrayList<>();
  private boolean closed;

  /** Serves one client, for as long as it stays. */
  void serve(HttpExchange exchange) throws IOException {
    LiveClient client = new LiveClient(exchange.getResponseBody());
    // Before it gets others, which this would replace.
    client.offer(BEGIN);
    if (!admit(client)) {
      exchange.getResponseHeaders().set("Retry-After", "30");
      byte[] why =
          "found %d open pages with live updates, expected fewer; ask for /status instead\n"
              .formatted(MOST_CLIENTS)
              .getBytes(StandardCharsets.UTF_8);
      ReadPath.send(exchange, 503, TEXT, why);
      return;
    }
    try {
      exchange.getResponseHeaders().set("Content-Type", EVENTS);
      exchange.getResponseHeaders().set("Cache-Control", "no-store");
      exchange.getResponseHeaders().set("X-Accel-Buffering", "no");
      exchange.sendResponseHeaders(200, 0);
      client.stream();
    } finally {
      release(client);
    }
  }

  /** Offers a sample to every client. */
  void publish(Sample sample) {
    offer("event: sample\ndata: " + StatusJson.line(sample.shown()) + "\n\n");
  }

  void offer(String event) {
    for (LiveClient client : clients()) {
      client.offer(event);
    }
  }

  /** Ends all clients, and admits no more. */
  void close() {
    List<LiveClient> last;
    synchronized (this) {
      closed = true;
      last = List.copyOf(clients);
    }
    last.forEach(LiveClient::close);
  }

  synchronized int size() {
    return clients.size();
  }

  private synchronized List<LiveClient> clients() {
    return List.copyOf(clients);
  }

  private synchronized boolean admit(LiveClient client) {
    return !closed && clients.size() < MOST_CLIENTS && clients.add(client);
  }

  private synchronized void release(LiveClient client) {
    clients.remove(client);
  }
}
