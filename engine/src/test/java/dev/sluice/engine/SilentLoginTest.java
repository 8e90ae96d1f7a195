package dev.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.postgres.PostgresSource;
import dev.sluice.connector.postgres.server.PostgresConfig;
import dev.sluice.connector.postgres.server.SourceServer;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.cutover.hook.pgbouncer.PgbouncerConsole;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.kind.TargetServers;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** A login to a server that accepts connections and says nothing, as one that is frozen does. */
class SilentLoginTest {
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  @Test
  void eachKindOfSessionGivesUpAServerThatSaysNothing() throws Exception {
    // The system accepts for it.
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Map<String, CompletableFuture<Throwable>> logins = new LinkedHashMap<>();
      logins(silent.getLocalPort())
          .forEach(
              (kind, login) ->
                  logins.put(
                      kind,
                      CompletableFuture.supplyAsync(
                          () -> catchThrowable(login), work -> new Thread(work, kind).start())));
      for (Map.Entry<String, CompletableFuture<Throwable>> login : logins.entrySet()) {
        assertThat(login.getValue())
            .as(login.getKey())
            .succeedsWithin(PATIENCE.toSeconds(), TimeUnit.SECONDS)
            .satisfies(error -> assertThat(error).hasStackTraceContaining("Read timed out"));
      }
    }
  }

  private static Map<String, ThrowingCallable> logins(int port) {
    Endpoint endpoint =
        new Endpoint(
            "127.0.0.1",
            port,
            "shop",
            "postgres",
            Secret.of("secret"),
            // Otherwise the driver asks for TLS first, and has a limit of its own for that answer.
            Map.of("sslmode", "disable"));
    SourceServer source = SourceServer.of(endpoint, "test");
    TargetServer target = TargetServers.of(endpoint, "test", 0);
    return Map.of(
        "source",
        source::connect,
        "source, lent",
        source::borrow,
        "source, replication",
        () -> source.openForReplication("test"),
        "source, comparison",
        () ->
            new PostgresSource(
                    "t", new PostgresConfig(endpoint, "slot", "publication", false, false))
                .comparison()
                .open(Duration.ofSeconds(1)),
        "target",
        target::connect,
        "target, lent",
        target::borrow,
        "target, comparison",
        () -> target.comparison().open(Duration.ofSeconds(1)),
        "pgbouncer",
        () -> new PgbouncerConsole(endpoint).open(Duration.ofSeconds(1)));
  }

  @Test
  void aSessionThatIsOpenWaitsForItsServer() throws Exception {
    try (EmbeddedPostgres server = EmbeddedPostgres.start()) {
      String url = "jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres";
      assertThat(new SourceServer(url, "postgres", null, "test").connect().getNetworkTimeout())
          .isZero();
      String limited = url + "?socketTimeout=7";
      assertThat(new SourceServer(limited, "postgres", null, "test").connect().getNetworkTimeout())
          .isEqualTo(7000);
    }
  }

  @Test
  void aThreadThatWasInterruptedLogsIn() throws Exception {
    try (EmbeddedPostgres server = EmbeddedPostgres.start()) {
      String url = "jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres";
      Thread.currentThread().interrupt();
      try {
        new SourceServer(url, "postgres", null, "test").connect().close();
      } finally {
        assertThat(Thread.interrupted()).isTrue();
      }
    }
  }
}
