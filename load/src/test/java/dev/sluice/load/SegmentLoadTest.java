package dev.sluice.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CopyFormat;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.connector.api.load.RowChunk;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.load.log.StepMark;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.TestTarget;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SegmentLoadTest {
  private static final TableId ITEMS = new TableId("public", "items");
  private static final CopyLayout LAYOUT =
      new CopyLayout(List.of("name"), List.of("name"), CopyFormat.TEXT, Optional.empty());

  private static EmbeddedPostgres postgres;
  private static TargetServer server;

  private final List<Long> rowsAtMarks = new ArrayList<>();
  private final List<Long> bytesAtMarks = new ArrayList<>();
  private final StepMark marks =
      (connection, rows, bytes, last) -> {
        rowsAtMarks.add(rows);
        bytesAtMarks.add(bytes);
      };

  @BeforeAll
  static void start() {
    postgres = EmbeddedPostgres.start();
    server = TestTarget.of(postgres);
  }

  @AfterAll
  static void stop() {
    postgres.close();
  }

  @BeforeEach
  void create() throws SQLException {
    try (TargetConnection connection = server.connect()) {
      connection.execute("DROP TABLE IF EXISTS public.items");
      connection.execute("CREATE TABLE public.items (name text)");
      connection.jdbc().commit();
    }
  }

  @Test
  @Timeout(300)
  void aLoadThatIsGivenUpEndsAtWhateverMomentItsSessionIsAborted() throws Exception {
    Random random = new Random(20261124);
    for (int i = 0; i < 300; i++) {
      SegmentLoader loader = SegmentLoader.open(server, 5);
      SegmentLoad load = loader.begin(ITEMS, LAYOUT, marks);
      load.add(chunk(1, "a\n"));
      CountDownLatch begun = new CountDownLatch(1);
      int pause = random.nextInt(200_000);
      Thread aborting =
          new Thread(
              () -> {
                begun.countDown();
                spin(pause);
                loader.abort();
              });
      aborting.start();
      begun.await();
      spin(random.nextInt(200_000));
      load.close();
      aborting.join();
      loader.close();
    }
    assertThat(names()).isNull();
  }

  private static void spin(int nanos) {
    long end = System.nanoTime() + nanos;
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
  }

  @Test
  void aLoadThatIsGivenUpLeavesNoRowAndTheNextOneUsesTheSession() throws SQLException {
    try (SegmentLoader loader = SegmentLoader.open(server, 5)) {
      try (SegmentLoad load = loader.begin(ITEMS, LAYOUT, marks)) {
        load.add(chunk(2, "a\nb\n"));
      }
      try (SegmentLoad load = loader.begin(ITEMS, LAYOUT, marks)) {
        load.add(chunk(1, "c\n"));
        load.finish();
      }
    }
    assertThat(names()).isEqualTo("c");
  }

  @Test
  void aStepEndsAfterCommitRateRowsHoweverTheyCome() throws SQLException {
    try (SegmentLoader loader = SegmentLoader.open(server, 5);
        SegmentLoad load = loader.begin(ITEMS, LAYOUT, marks)) {
      assertThat(load.room()).isEqualTo(5);
      load.add(chunk(3, "a\nb\nc\n"));
      assertThat(load.room()).isEqualTo(2);
      load.add(chunk(2, "d\ne\n"));
      // A full step is ended by the next row.
      assertThat(rowsAtMarks).isEmpty();
      assertThat(load.room()).isEqualTo(5);
      assertThat(load.add(chunk(5, "f\ng\nh\ni\nj\n"))).isEqualTo(5);
      assertThat(load.add(chunk(1, "k\n"))).isEqualTo(5);
      assertThat(load.finish()).isEqualTo(1);
    }

    assertThat(rowsAtMarks).containsExactly(5L, 10L, 11L);
    assertThat(bytesAtMarks).containsExactly(10L, 20L, 22L);
    assertThat(names()).isEqualTo("abcdefghijk");
  }

  @Test
  void aRowInPiecesIsInOneStepAndTheNextOneBeginsBehindIt() throws SQLException {
    try (SegmentLoader loader = SegmentLoader.open(server, 2);
        SegmentLoad load = loader.begin(ITEMS, LAYOUT, marks)) {
      load.add(chunk(1, "a\n"));
      load.add(chunk(0, "large"));
      assertThat(load.room()).isEqualTo(1);
      load.add(chunk(0, "r-and-larg"));
      load.add(chunk(1, "er\n"));
      load.add(chunk(0, "last-"));
      load.add(chunk(1, "one\n"));
      load.finish();
    }

    assertThat(rowsAtMarks).containsExactly(2L, 3L);
    assertThat(names()).isEqualTo("alarger-and-largerlast-one");
  }

  @Test
  void aLoadCancelledWithinARowKeepsTheStepsBeforeIt() throws SQLException {
    try (SegmentLoader loader = SegmentLoader.open(server, 2)) {
      try (SegmentLoad load = loader.begin(ITEMS, LAYOUT, marks)) {
        load.add(chunk(2, "a\nb\n"));
        load.add(chunk(1, "c\n"));
        load.add(chunk(0, "half of a r"));
      }
      // The connection is fit for the next segment.
      try (SegmentLoad next = loader.begin(ITEMS, LAYOUT, marks)) {
        next.add(chunk(1, "d\n"));
        next.finish();
      }
    }

    assertThat(rowsAtMarks).containsExactly(2L, 1L);
    assertThat(names()).isEqualTo("abd");
  }

  private static RowChunk chunk(int rows, String text) {
    RowChunk chunk = new RowChunk();
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    System.arraycopy(bytes, 0, chunk.bytes(), 0, bytes.length);
    chunk.added(bytes.length);
    for (int row = 0; row < rows; row++) {
      chunk.rowEnded();
    }
    return chunk;
  }

  private static String names() throws SQLException {
    try (TargetConnection connection = server.connect();
        Statement statement = connection.jdbc().createStatement();
        ResultSet names =
            statement.executeQuery("SELECT string_agg(name, '' ORDER BY ctid) FROM public.items")) {
      names.next();
      return names.getString(1);
    }
  }
}
