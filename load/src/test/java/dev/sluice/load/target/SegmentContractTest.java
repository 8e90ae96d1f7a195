package dev.sluice.load.target;

import static dev.sluice.load.target.LoadTestTables.ITEM;
import static dev.sluice.load.target.LoadTestTables.WORD;
import static dev.sluice.load.target.LoadTestTables.texts;
import static dev.sluice.load.target.LoadTestTables.words;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.CopyFormat;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.connector.api.load.RowChunk;
import dev.sluice.load.SegmentLoad;
import dev.sluice.load.SegmentLoader;
import dev.sluice.load.log.StepMark;
import dev.sluice.sink.target.TargetServer;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How any target takes the rows of a segment. A kind of target passes it on its own server. */
public abstract class SegmentContractTest {
  private static final CopyLayout LAYOUT =
      new CopyLayout(List.of("name"), List.of("name"), CopyFormat.TEXT, Optional.empty());

  private TargetServer server;

  private final List<Long> rowsAtMarks = new ArrayList<>();
  private final List<Long> bytesAtMarks = new ArrayList<>();
  private final StepMark marks =
      (connection, before, rows, bytes, last) -> {
        rowsAtMarks.add(before + rows);
        bytesAtMarks.add(bytes);
      };

  protected abstract LoadContractLab lab();

  @BeforeEach
  void create() throws SQLException {
    lab().createTables();
    server = lab().target();
  }

  @Test
  void theRowsOfAStepAreThereOnceWithTheirMarkOrNeitherIs() throws SQLException {
    StepMark mark =
        (connection, before, rows, bytes, last) -> {
          connection.execute("INSERT INTO dst.mark VALUES (%d, %b)".formatted(before + rows, last));
          if (last) {
            throw new SluiceException.Fenced("another attempt has begun");
          }
        };
    try (SegmentLoader loader = SegmentLoader.open(server, 2);
        SegmentLoad load = loader.begin(WORD, LAYOUT, mark)) {
      for (String row : List.of("a\n", "b\n", "c\n", "d\n", "e\n")) {
        load.add(chunk(1, row));
      }
      assertThatThrownBy(load::finish).isInstanceOf(SluiceException.Fenced.class);
    }

    assertThat(words(server)).containsExactly("a", "b", "c", "d");
    assertThat(texts(server, "SELECT loaded FROM dst.mark WHERE NOT done ORDER BY loaded"))
        .containsExactly("2", "4");
    assertThat(texts(server, "SELECT loaded FROM dst.mark WHERE done")).isEmpty();
  }

  @Test
  void aRejectedRowIsAnErrorOfItsDataAndNothingOfItsStepIsThere() throws SQLException {
    CopyLayout layout =
        new CopyLayout(
            List.of("id", "name"), List.of("id", "name"), CopyFormat.TEXT, Optional.empty());
    try (SegmentLoader loader = SegmentLoader.open(server, 5);
        SegmentLoad load = loader.begin(ITEM, layout, marks)) {
      // A target may look at a row when it comes, or at the step's end.
      assertThatThrownBy(
              () -> {
                load.add(chunk(2, "1\ta\nnot a number\tb\n"));
                load.finish();
              })
          .isInstanceOf(SluiceException.Data.class)
          .hasMessageContaining("dst.item")
          .hasMessageContaining("not a number");
    }

    assertThat(texts(server, "SELECT id FROM dst.item")).isEmpty();
    assertThat(rowsAtMarks).isEmpty();
  }

  /** A target may leave such rows out with a warning, and take the others. */
  @ParameterizedTest
  @ValueSource(strings = {"1\ta\n2\tno\n3\tc\n", "1\ta\n2\tb\n1\tc\n"})
  void aRowThatTheServerRefusesIsAnErrorOfItsDataAndNothingOfItsStepIsThere(String rows)
      throws SQLException {
    CopyLayout layout =
        new CopyLayout(
            List.of("id", "name"), List.of("id", "name"), CopyFormat.TEXT, Optional.empty());
    try (SegmentLoader loader = SegmentLoader.open(server, 5);
        SegmentLoad load = loader.begin(ITEM, layout, marks)) {
      assertThatThrownBy(
              () -> {
                load.add(chunk(3, rows));
                load.finish();
              })
          .isInstanceOf(SluiceException.Data.class);
    }

    assertThat(texts(server, "SELECT id FROM dst.item")).isEmpty();
    assertThat(rowsAtMarks).isEmpty();
  }

  @Test
  @Timeout(300)
  void aLoadThatIsGivenUpEndsAtWhateverMomentItsSessionIsAborted() throws Exception {
    Random random = new Random(20261124);
    for (int i = 0; i < 300; i++) {
      SegmentLoader loader = SegmentLoader.open(server, 5);
      SegmentLoad load = loader.begin(WORD, LAYOUT, marks);
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
    assertThat(words(server)).isEmpty();
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
      try (SegmentLoad load = loader.begin(WORD, LAYOUT, marks)) {
        load.add(chunk(2, "a\nb\n"));
      }
      try (SegmentLoad load = loader.begin(WORD, LAYOUT, marks)) {
        load.add(chunk(1, "c\n"));
        load.finish();
      }
    }
    assertThat(words(server)).containsExactly("c");
  }

  @Test
  void aStepEndsAfterCommitRateRowsHoweverTheyCome() throws SQLException {
    try (SegmentLoader loader = SegmentLoader.open(server, 5);
        SegmentLoad load = loader.begin(WORD, LAYOUT, marks)) {
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
    assertThat(String.join("", words(server))).isEqualTo("abcdefghijk");
  }

  @Test
  void aRowInPiecesIsInOneStepAndTheNextOneBeginsBehindIt() throws SQLException {
    try (SegmentLoader loader = SegmentLoader.open(server, 2);
        SegmentLoad load = loader.begin(WORD, LAYOUT, marks)) {
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
    assertThat(words(server)).containsExactly("a", "larger-and-larger", "last-one");
  }

  /** In pieces of one byte, so that each escape is cut. */
  @Test
  void everyTextArrivesAsItIs() throws SQLException {
    String lines = "\\N\n\n\\\\N\n\\\\\na\\tb\n\\n\n\\r\\b\\f\\v\n'\"{},\n😀é\n";
    try (SegmentLoader loader = SegmentLoader.open(server, 100);
        SegmentLoad load = loader.begin(WORD, LAYOUT, marks)) {
      for (byte each : lines.getBytes(StandardCharsets.UTF_8)) {
        RowChunk piece = new RowChunk();
        piece.bytes()[0] = each;
        piece.added(1);
        if (each == '\n') {
          piece.rowEnded();
        }
        load.add(piece);
      }
      assertThat(load.finish()).isEqualTo(9);
    }
    assertThat(words(server))
        .containsExactlyInAnyOrder(
            null, "", "\\N", "\\", "a\tb", "\n", "\r\b\f\u000B", "'\"{},", "😀é");
  }

  @Test
  void aLoadCancelledWithinARowKeepsTheStepsBeforeIt() throws SQLException {
    try (SegmentLoader loader = SegmentLoader.open(server, 2)) {
      try (SegmentLoad load = loader.begin(WORD, LAYOUT, marks)) {
        load.add(chunk(2, "a\nb\n"));
        load.add(chunk(1, "c\n"));
        load.add(chunk(0, "half of a r"));
      }
      // The connection is fit for the next segment.
      try (SegmentLoad next = loader.begin(WORD, LAYOUT, marks)) {
        next.add(chunk(1, "d\n"));
        next.finish();
      }
    }

    assertThat(rowsAtMarks).containsExactly(2L, 1L);
    assertThat(words(server)).containsExactly("a", "b", "d");
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
}
