package dev.sluice.connector.mariadb.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.sql.Connection;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A server that tells its clients to go to another one. */
class RedirectTest {
  private static final String PASSWORD = "of-the-test";

  @Test
  void sessionsStayWithTheServerOfTheUrlLikeTheReaderOfTheLog() throws Exception {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    AtomicInteger visitors = new AtomicInteger();
    try (ServerSocket other = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        // Without TLS no client follows such advice by itself.
        EmbeddedMariadb source = EmbeddedMariadb.builder().setting("ssl", "ON").start()) {
      Thread thread = new Thread(() -> count(other, visitors), "redirected");
      thread.setDaemon(true);
      thread.start();
      try (Connection connection = source.connect();
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE USER replicator IDENTIFIED BY '%s'".formatted(PASSWORD));
        statement.execute(
            "SET GLOBAL redirect_url = 'mariadb://127.0.0.1:%d'".formatted(other.getLocalPort()));
      }
      MariadbServer server =
          new MariadbServer(
              new Endpoint(
                  MariadbConfig.TYPE,
                  "127.0.0.1",
                  source.port(),
                  "shop",
                  "replicator",
                  Secret.of(PASSWORD),
                  Map.of(MariadbConfig.SSL_MODE, "verify-full")),
              "test");
      try (Connection session = server.open()) {
        assertThat(new MariadbQuery(session).row("SELECT @@port").orElseThrow())
            .containsExactly(Integer.toString(source.port()));
      }
    }
    assertThat(visitors).hasValue(0);
  }

  private static void count(ServerSocket listening, AtomicInteger visitors) {
    try {
      while (true) {
        Socket visitor = listening.accept();
        visitors.incrementAndGet();
        visitor.close();
      }
    } catch (IOException e) {
      // Closed.
    }
  }
}
