package dev.sluice.engine.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.task.HttpAddress;
import dev.sluice.engine.status.ControlToken;
import dev.sluice.engine.status.ReadPath;
import dev.sluice.engine.status.StatusServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class LiveUpdatesTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  @TempDir Path folder;

  private final LiveUpdates updates = new LiveUpdates();
  private final List<Socket> sockets = new ArrayList<>();
  private StatusServer server;

  @BeforeEach
  void start() {
    server =
        StatusServer.start(
            new HttpAddress("127.0.0.1", 0),
            List.of(),
            folder,
            new StandingTask(StandingTask.healthy()),
            ControlToken.create(folder),
            List.of(new ReadPath("/events", updates::serve)));
  }

  @AfterEach
  void stop() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    server.close();
  }

  @Test
  void aClientThatDoesNotReadIsDroppedAndTheOthersGoOn() throws Exception {
    connect(4096);
    InputStream reading = connect(1 << 20).getInputStream();
    await().atMost(LONG).until(() -> updates.size() == 2);
    String large = "data: " + "x".repeat(1 << 20) + "\n\n";
    int given = 0;
    while (updates.size() == 2) {
      assertThat(given++).as("updates that nobody took").isLessThan(1000);
      updates.offer(large);
      assertThat(reading.readNBytes(large.length())).hasSize(large.length());
    }
    updates.offer(large);
    assertThat(reading.readNBytes(large.length())).hasSize(large.length());
    assertThat(updates.size()).isEqualTo(1);
  }

  @Test
  void theEndOfTheDaemonEndsEveryClient() throws Exception {
    Socket one = connect(1 << 20);
    await().atMost(LONG).until(() -> updates.size() == 1);
    updates.close();
    assertThat(new String(one.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
        .startsWith("HTTP/1.1 200 OK");
    assertThat(updates.size()).isZero();
    assertThat(
            new String(connect(1 << 20).getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
        .startsWith("HTTP/1.1 503 ");
  }

  private Socket connect(int receiveBuffer) throws IOException {
    Socket socket = new Socket();
    sockets.add(socket);
    socket.setReceiveBufferSize(receiveBuffer);
    socket.connect(new InetSocketAddress(server.address().host(), server.address().port()));
    socket
        .getOutputStream()
        .write(
            "GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
                .getBytes(StandardCharsets.US_ASCII));
    return socket;
  }
}
