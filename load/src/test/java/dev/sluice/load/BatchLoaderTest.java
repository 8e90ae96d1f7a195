package dev.sluice.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.FileFormat;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.load.file.BadRowFiles;
import dev.sluice.load.file.BatchReader;
import dev.sluice.load.file.DataFile;
import dev.sluice.load.file.RowBatch;
import dev.sluice.load.file.UnreadRange;
import dev.sluice.load.log.ImportLog;
import dev.sluice.load.log.ImportedBatch;
import dev.sluice.load.target.ImportTarget;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.TestTarget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BatchLoaderTest {
  private static final BatchReader.Bounds ALL = new BatchReader.Bounds(1000, 1 << 20, 1 << 20);

  private static EmbeddedPostgres postgres;
  private static TargetServer server;

  @TempDir Path folder;

  @BeforeAll
  static void start() {
    postgres = EmbeddedPostgres.start();
    server = TestTarget.of(postgres);
  }

  @AfterAll
  static void stop() {
    postgres.close();
  }

  @Test
  void anImportThatWasClaimedByAnotherLoadsNothingMore() throws Exception {
    run("CREATE TABLE fenced (id int)");
    ImportLog journal = new ImportLog(server, "fenced_control", "t");
    RowBatch batch = batch("fenced.csv", "1\n2\n");
    ImportTarget target = new ImportTarget(new TableId("public", "fenced"), List.of("id"));
    long epoch = journal.claim();
    journal.begin(
        epoch, List.of(new ImportLog.Beginning(batch.file(), target.table(), "as it is")));
    try (BatchLoader loader = BatchLoader.open(server, journal, epoch, Optional.empty(), false)) {
      long next = journal.claim();
      assertThatThrownBy(() -> loader.load(batch, target))
          .isInstanceOf(SluiceException.Fenced.class);
      assertThatThrownBy(() -> journal.finish(epoch, batch.file(), 4))
          .isInstanceOf(SluiceException.Fenced.class);
      assertThat(text("SELECT count(*) FROM fenced")).isEqualTo("0");
      assertThatThrownBy(() -> journal.finish(next, batch.file(), 4))
          .isInstanceOf(SluiceException.Rewound.class)
          .hasMessageContaining("fenced.csv");
    }
  }

  /** Each of two batches has put in a key that the other one wants, and waits with its next row. */
  @Test
  void twoBatchesThatWaitForEachOthersKeysAreBothInAndEachKeyOnce() throws Exception {
    run(
        """
        CREATE FUNCTION gate(id int) RETURNS boolean LANGUAGE plpgsql AS $$
        BEGIN
          IF id >= 100 THEN PERFORM pg_advisory_xact_lock_shared(7); END IF;
          RETURN true;
        END $$
        """,
        "CREATE TABLE crossed (id int PRIMARY KEY CHECK (public.gate(id)))");
    ImportLog journal = new ImportLog(server, "crossed_control", "t");
    ImportTarget target = new ImportTarget(new TableId("public", "crossed"), List.of("id"));
    RowBatch one = batch("one.csv", "1\n100\n2\n");
    RowBatch other = batch("other.csv", "2\n101\n1\n");
    long epoch = journal.claim();
    ExecutorService jobs = Executors.newFixedThreadPool(2);
    try (BadRowFiles files = new BadRowFiles("t", 1000, 0);
        BatchLoader first = BatchLoader.open(server, journal, epoch, Optional.of(files), false);
        BatchLoader second = BatchLoader.open(server, journal, epoch, Optional.of(files), false)) {
      Future<ImportedBatch> ofOne;
      Future<ImportedBatch> ofOther;
      try (Connection gate = postgres.connect();
          Statement statement = gate.createStatement()) {
        statement.execute("SELECT pg_advisory_lock(7)");
        ofOne = jobs.submit(() -> first.load(one, target));
        ofOther = jobs.submit(() -> second.load(other, target));
        while (!text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
            .equals("2")) {
          Thread.sleep(20);
        }
      }

      long bad = ofOne.get().badRows() + ofOther.get().badRows();

      assertThat(bad).isEqualTo(2);
      assertThat(text("SELECT string_agg(id::text, ',' ORDER BY id) FROM crossed"))
          .isEqualTo("1,2,100,101");
    } finally {
      jobs.shutdownNow();
    }
  }

  private RowBatch batch(String name, String text) throws IOException {
    DataFile file =
        DataFile.open(Files.writeString(folder.resolve(name), text), FileFormat.CSV, 1 << 20);
    try (BatchReader reader = BatchReader.open(file, UnreadRange.of(file, List.of()), ALL)) {
      return reader.next().orElseThrow();
    }
  }

  private static void run(String... statements) throws SQLException {
    try (Connection connection = postgres.connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private static String text(String query) throws SQLException {
    try (Connection connection = postgres.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getString(1);
    }
  }
}
