package dev.sluice.engine.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.config.document.SluiceException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ConnectClusterTest {
  private static final Map<String, String> CONFIG = Map.of("tasks.max", "1");

  private final Deque<Integer> answers = new ArrayDeque<>();
  private final List<String> requests = new ArrayList<>();
  private HttpServer worker;
  private ConnectCluster cluster;

  @BeforeEach
  void start() throws IOException {
    worker = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    worker.createContext(
        "/",
        exchange -> {
          requests.add(
              exchange.getRequestMethod()
                  + " "
                  + exchange.getRequestURI()
                  + " "
                  + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
          byte[] answer = "told by the worker".getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(answers.remove(), answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    worker.start();
    cluster = new ConnectCluster(URI.create("http://127.0.0.1:" + worker.getAddress().getPort()));
  }

  @AfterEach
  void stop() {
    worker.stop(0);
  }

  @Test
  void aConnectorIsPutUnderItsName() throws InterruptedException {
    answers.add(201);
    cluster.register("shop-sink", CONFIG);
    assertThat(requests).containsExactly("PUT /connectors/shop-sink/config {\"tasks.max\":\"1\"}");
  }

  @Test
  void aRequestIsRepeatedDuringARebalanceOfTheCluster() throws InterruptedException {
    answers.addAll(List.of(409, 200));
    cluster.register("shop-sink", CONFIG);
    assertThat(requests).hasSize(2);
  }

  @Test
  void aRefusalIsReportedWithTheWorkersReason() {
    answers.add(400);
    assertThatThrownBy(() -> cluster.register("shop-sink", CONFIG))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("shop-sink")
        .hasMessageContaining("told by the worker");
  }

  @Test
  void aWorkerThatIsNotThereIsNamed() throws IOException {
    // Held, and not listened on: nobody else can begin to.
    try (Socket port = new Socket()) {
      port.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      ConnectCluster absent =
          new ConnectCluster(URI.create("http://127.0.0.1:" + port.getLocalPort()));
      assertThatThrownBy(() -> absent.register("shop-sink", CONFIG))
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("127.0.0.1")
          .hasMessageContaining("does not answer");
    }
  }
}
