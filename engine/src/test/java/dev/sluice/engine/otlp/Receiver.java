package dev.sluice.engine.otlp;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.metrics.v1.Metric;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Receives metrics over HTTP, decodes them, and answers as it is told. */
final class Receiver implements AutoCloseable {
  private final List<ExportMetricsServiceRequest> received = new CopyOnWriteArrayList<>();
  private final CountDownLatch end = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final HttpServer server;

  volatile int status = 200;

  /** Whether it reads a request and never answers. */
  volatile boolean silent;

  Receiver() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/v1/metrics", this::receive);
    server.start();
  }

  String address() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/v1/metrics";
  }

  int requests() {
    return received.size();
  }

  ExportMetricsServiceRequest last() {
    return received.get(received.size() - 1);
  }

  /** The metrics of the last request by their names. */
  Map<String, Metric> metrics() {
    return last().getResourceMetrics(0).getScopeMetrics(0).getMetricsList().stream()
        .collect(Collectors.toMap(Metric::getName, Function.identity()));
  }

  private void receive(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (!"application/x-protobuf".equals(exchange.getRequestHeaders().getFirst("Content-Type"))) {
        exchange.sendResponseHeaders(415, -1);
        return;
      }
      received.add(ExportMetricsServiceRequest.parseFrom(exchange.getRequestBody()));
      if (silent) {
        end.await();
      }
      exchange.sendResponseHeaders(status, -1);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    end.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}
