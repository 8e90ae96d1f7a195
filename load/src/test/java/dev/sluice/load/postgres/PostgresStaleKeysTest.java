package dev.sluice.load.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.load.target.StaleKeys;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.kind.TargetServers;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class PostgresStaleKeysTest {
  private static EmbeddedPostgres postgres;
  private static TargetServer server;

  @BeforeAll
  static void start() {
    postgres = EmbeddedPostgres.start();
    server =
        TargetServers.postgres(
            "jdbc:postgresql://127.0.0.1:" + postgres.port() + "/postgres",
            "postgres",
            null,
            "sluice test",
            50);
  }

  @AfterAll
  static void stop() {
    postgres.close();
  }

  @Test
  void rowsAreFoundByKeysOfAnyCollationAndThroughTheIndex() throws SQLException {
    try (TargetConnection connection = server.connect()) {
      connection.execute(
          "CREATE TABLE public.t (a text COLLATE \"POSIX\", b text, c char(5), d numeric,"
              + " PRIMARY KEY (b, a, c, d))");
      connection.execute(
          "INSERT INTO public.t SELECT 'a' || i, 'b' || i, 'c', 1.0 FROM generate_series(1, 20000)"
              + " i");
      connection.execute("ANALYZE public.t");
      connection.jdbc().commit();

      StaleKeys touched =
          new PostgresStaleKeys(
              connection, 0, new TableId("public", "t"), List.of("a", "b", "c", "d"), true);
      touched.add(new String[] {"a7", "b7", "c    ", "1.00"});
      touched.add(new String[] {"a8", "b8", "c    ", "1.0"});
      touched.add(new String[] {"a9", "b8", "c    ", "1.0"});

      assertThat(touched.delete()).isEqualTo(2);
      assertThat(
              connection.exists(
                  "SELECT FROM pg_stat_xact_user_tables" + " WHERE relname = 't' AND idx_scan > 0"))
          .isTrue();
      connection.jdbc().commit();
      try (Statement statement = connection.jdbc().createStatement();
          ResultSet left = statement.executeQuery("SELECT count(*) FROM public.t")) {
        left.next();
        assertThat(left.getLong(1)).isEqualTo(19_998);
      }
    }
  }
}
