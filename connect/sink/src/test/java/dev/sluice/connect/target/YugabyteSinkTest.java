package dev.sluice.connect.target;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.embedded.postgres.strict.StrictProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** PostgreSQL behind a proxy that refuses what YugabyteDB refuses. */
final class YugabyteSinkTest extends TargetContract {
  private static final long SEED = 17;

  private StrictProxy proxy;

  @Override
  TargetSide open() throws SQLException {
    EmbeddedPostgres postgres = EmbeddedPostgres.start();
    try {
      proxy = new StrictProxy(postgres.port(), SEED);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new PostgresSide(postgres, "yugabytedb", proxy.port());
  }

  @AfterAll
  void closeProxy() throws IOException {
    proxy.close();
  }

  @Test
  void aJournalIsRefused() {
    assertThat(problems(properties("journal")).get("topic.layout").toString())
        .contains("a target of type yugabytedb has no layout journal");
  }
}
