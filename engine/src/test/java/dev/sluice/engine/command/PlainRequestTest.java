package dev.sluice.engine.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.embedded.FreePort;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlainRequestTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @Test
  void anAnswerIsReadWhateverItsStatusIs() throws Exception {
    HttpServer server = answering(409, "{\"error\": \"nein, möglich\"}");
    try {
      PlainRequest.Answer answer = PlainRequest.get(page(server.getAddress()), PATIENCE).send();
      assertThat(answer).isEqualTo(new PlainRequest.Answer(409, "{\"error\": \"nein, möglich\"}"));
      assertThat(answer.isSuccess()).isFalse();
    } finally {
      server.stop(0);
    }
  }

  @Test
  void aDownloadIsWrittenOnlyIfThereIsSuchAPage(@TempDir Path folder) throws Exception {
    Path file = Files.createFile(folder.resolve("record"));
    HttpServer server = answering(200, "a record");
    try {
      URI page = page(server.getAddress());
      assertThat(PlainRequest.post(page, PATIENCE, "X-Token", "t").download(file)).isTrue();
      assertThat(file).hasContent("a record");
    } finally {
      server.stop(0);
    }
    HttpServer none = answering(404, "no such page");
    try {
      URI page = page(none.getAddress());
      assertThat(PlainRequest.post(page, PATIENCE, "X-Token", "t").download(file)).isFalse();
      assertThat(file).hasContent("a record");
    } finally {
      none.stop(0);
    }
  }

  /** The first request of two may have been fulfilled. */
  @Test
  void aCommandWhoseAnswerIsLostIsNotSentAgain() throws Exception {
    List<String> received = Collections.synchronizedList(new ArrayList<>());
    Thread closing;
    try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      closing = new Thread(() -> readAndClose(server, received), "server");
      closing.start();
      URI page = page((InetSocketAddress) server.getLocalSocketAddress());
      assertThatThrownBy(() -> PlainRequest.post(page, PATIENCE, "X-Token", "t").send())
          .isInstanceOf(IOException.class);
    }
    closing.join();
    assertThat(received).containsExactly("POST /page HTTP/1.1");
  }

  @Test
  void nobodyWhoListensAndNobodyWhoAnswersAreTwoFailures() throws Exception {
    URI nobody = URI.create("http://127.0.0.1:" + FreePort.find() + "/page");
    assertThatThrownBy(() -> PlainRequest.get(nobody, PATIENCE).send())
        .isInstanceOf(ConnectException.class);
    try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      URI page = page((InetSocketAddress) silent.getLocalSocketAddress());
      assertThatThrownBy(() -> PlainRequest.get(page, Duration.ofMillis(50)).send())
          .isInstanceOf(SocketTimeoutException.class);
    }
  }

  private static void readAndClose(ServerSocket server, List<String> received) {
    while (!server.isClosed()) {
      try (Socket connection = server.accept();
          BufferedReader lines =
              new BufferedReader(
                  new InputStreamReader(
                      connection.getInputStream(), StandardCharsets.ISO_8859_1))) {
        received.add(lines.readLine());
        for (String line = lines.readLine(); !line.isEmpty(); line = lines.readLine()) {
          // A header.
        }
      } catch (IOException e) {
        // It was closed, or the client was.
      }
    }
  }

  private static HttpServer answering(int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/page",
        exchange -> {
          try (exchange) {
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
          }
        });
    server.start();
    return server;
  }

  private static URI page(InetSocketAddress address) {
    return URI.create("http://127.0.0.1:" + address.getPort() + "/page");
  }
}
