package dev.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.comparison.SourceView;
import dev.sluice.connector.comparison.PostgresComparisonSource;
import dev.sluice.connector.comparison.SideServer;
import dev.sluice.connector.postgres.server.SourceServer;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that says nothing any more, and whose connections stay open. */
class SilentComparisonTest {

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void aServerThatFallsSilentEndsTheSessionAndTheNextOneIsTriedWhenItAnswers() throws Exception {
    try (EmbeddedPostgres server = EmbeddedPostgres.start()) {
      PostgresComparisonSource source = new PostgresComparisonSource(side(server));
      SourceView view = source.open(Duration.ofSeconds(20));
      server.freeze();
      try {
        assertThatThrownBy(() -> view.table(new TableId("public", "t")))
            .isInstanceOf(SluiceException.Retryable.class)
            .hasMessageContaining("compare a snapshot of the source");
        view.close();
        assertThatThrownBy(() -> source.open(Duration.ofSeconds(1)))
            .isInstanceOf(SluiceException.Retryable.class)
            .hasMessageContaining("open a session for a comparison on the source");
      } finally {
        server.thaw();
      }
      try (SourceView again = source.open(Duration.ofMinutes(1))) {
        assertThat(again.table(new TableId("public", "t"))).isEmpty();
      }
    }
  }

  private static SideServer side(EmbeddedPostgres server) {
    // With TLS the driver has a limit of its own for the first answer.
    SourceServer source =
        new SourceServer(
            "jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres?sslmode=disable",
            "postgres",
            null,
            "test");
    return new SideServer() {
      @Override
      public Connection open() throws SQLException {
        return source.open();
      }

      @Override
      public SluiceException failed(String attempted, SQLException error) {
        return new SluiceException.Retryable(attempted, error);
      }

      @Override
      public String toString() {
        return "source";
      }
    };
  }
}
