package dev.sluice.bench.operations;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Reads the metrics at once and then every 15 seconds, as a monitoring system does. */
final class Scrapes implements AutoCloseable {
  private static final Duration INTERVAL = Duration.ofSeconds(15);

  private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
  private final HttpClient client = HttpClient.newHttpClient();
  private final AtomicLong pages = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private final HttpRequest request;
  private Future<?> work;

  private Scrapes(String address) {
    this.request = HttpRequest.newBuilder(URI.create("http://" + address + "/metrics")).build();
  }

  static Scrapes start(String address) {
    Scrapes scrapes = new Scrapes(address);
    scrapes.work =
        scrapes.thread.scheduleAtFixedRate(
            scrapes::scrape, 0, INTERVAL.toSeconds(), TimeUnit.SECONDS);
    return scrapes;
  }

  String read() {
    return String.format(
        Locale.ROOT, "%d scrapes, %,d kB", pages.get(), Math.round(bytes.get() / 1e3));
  }

  private void scrape() {
    try {
      bytes.addAndGet(client.send(request, HttpResponse.BodyHandlers.ofByteArray()).body().length);
      pages.incrementAndGet();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The work ends by itself only where it failed. */
  @Override
  public void close() {
    boolean failed = work.isDone();
    thread.shutdownNow();
    if (failed) {
      throw new IllegalStateException("the metrics could not be read after " + read());
    }
  }
}
