package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.TaskFolder;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Values nearly as large as the heap of the daemon, in the binary and in the text format of COPY.
 * The long form, of {@code -Dsluice.large.megabytes=500}, has a heap of 512 MB and prints the
 * daemon's peak.
 */
class LargeValueLoadTest {
  private static final int MEGABYTES = Integer.getInteger("sluice.large.megabytes", 100);
  private static final String HEAP = "-Xmx" + (MEGABYTES + 28) / 64 * 64 + "m";
  private static final Duration PATIENCE = Duration.ofSeconds(600 + MEGABYTES);

  /** A megabyte without two equal lines, with what COPY's text format must escape. */
  private static final String PIECE =
      "(SELECT left(string_agg(md5(i::text) || E'\\\\\\n\\t\\u00e9', ''), 1048576)"
          + " FROM generate_series(1, 32768) i)";

  @Test
  @Timeout(value = 60, unit = TimeUnit.MINUTES)
  void aValueOfTheSizeOfTheHeapIsLoadedWhole(@TempDir Path folder) throws Exception {
    try (EmbeddedPostgres source = EmbeddedPostgres.start();
        EmbeddedPostgres target = EmbeddedPostgres.start()) {
      for (EmbeddedPostgres server : List.of(source, target)) {
        server.createDatabase("large");
        // Compressing such values would take the servers longer than all else.
        execute(
            server,
            """
            CREATE TABLE binary_form (id int PRIMARY KEY, n int, b bytea STORAGE EXTERNAL,
              t text STORAGE EXTERNAL);
            CREATE TABLE text_form (id int PRIMARY KEY, span interval, b bytea STORAGE EXTERNAL,
              j json STORAGE EXTERNAL, a text[] STORAGE EXTERNAL);
            """);
      }
      execute(
          source,
          """
          INSERT INTO binary_form
            SELECT 1, 0, convert_to(repeat(p, %1$d), 'UTF8'), 'small' FROM %3$s piece(p)
            UNION ALL SELECT 2, 0, 'small', repeat(p, %1$d) FROM %3$s piece(p)
            UNION ALL SELECT 3, 0, NULL, '';
          INSERT INTO text_form
            SELECT 1, interval '1 day', convert_to(repeat(p, %2$d), 'UTF8'), NULL::json, NULL::text[]
              FROM %3$s piece(p)
            UNION ALL SELECT 2, NULL, NULL, to_json(repeat(p, %2$d)), NULL FROM %3$s piece(p)
            UNION ALL SELECT 3, NULL, NULL, NULL, array_fill(repeat(p, %4$d), ARRAY[10])
              FROM %3$s piece(p);
          """
              .formatted(MEGABYTES, MEGABYTES / 2, PIECE, MEGABYTES / 20));
      Path task = TaskFolder.of(folder, "large", source, target, "large", "public").write();
      try (DaemonProcess daemon = DaemonProcess.run(task, HEAP)) {
        daemon.awaitPhase("replicating");
        System.out.printf(
            "values of %d MB with %s: peak of the daemon %s%n",
            MEGABYTES, HEAP, daemon.peakResident());
        assertThat(digests(target)).isEqualTo(digests(source));

        // What is not in the log is what was loaded.
        execute(source, "UPDATE binary_form SET n = n + 1");
        daemon.awaitAllApplied(PATIENCE);
        assertThat(digests(target)).isEqualTo(digests(source));
      }
    }
  }

  private static void execute(EmbeddedPostgres server, String sql) throws SQLException {
    try (Connection connection = server.connect("large");
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String digests(EmbeddedPostgres server) throws SQLException {
    try (Connection connection = server.connect("large");
        Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery(
                """
                SELECT string_agg(digest, ' ' ORDER BY id) FROM (
                  SELECT id, id || ':' || n || ':' || coalesce(md5(b), '-') || ':' || md5(t)
                    FROM binary_form
                  UNION ALL SELECT id + 10, id || ':' || coalesce(md5(b), '-') || ':'
                    || coalesce(md5(j::text), '-') || ':' || coalesce(md5(a::text), '-')
                    FROM text_form) AS digests(id, digest)
                """)) {
      result.next();
      return result.getString(1);
    }
  }
}
