package dev.sluice.target.yugabytedb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.CopyFormat;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.connector.api.load.RowChunk;
import dev.sluice.embedded.postgres.strict.Fault;
import dev.sluice.load.SegmentLoad;
import dev.sluice.load.SegmentLoader;
import dev.sluice.load.log.StepMark;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A load whose statements, connections and commits fail, and that goes on at its marks. */
class YugabyteLoadFaultsTest {
  private static final TableId WORD = new TableId("dst", "word");
  private static final int ROWS = 2_000;
  private static final int STEP = 20;

  private static final CopyLayout LAYOUT =
      new CopyLayout(List.of("name"), List.of("name"), CopyFormat.TEXT, Optional.empty());

  /** The table has no key: a row that came twice would be there twice. */
  private static final String FOUND =
      "SELECT count(*) || ' rows, ' || count(DISTINCT name) || ' of them different'";

  private YugabyteLoadLab lab;

  @BeforeEach
  void open() throws SQLException {
    lab = YugabyteLoadLab.open();
    lab.createTables();
  }

  @AfterEach
  void close() throws SQLException {
    lab.database().drop();
  }

  @Test
  void eachRowIsThereOnceAlsoWhereACommitWasNotAnswered() throws SQLException {
    int before = YugabyteLab.proxy().faults().getOrDefault(Fault.LOST_AFTER_COMMIT, 0);
    YugabyteLab.proxy().fail(40);
    try {
      while (!isLoaded(marked())) {
        continue;
      }
    } finally {
      YugabyteLab.proxy().fail(0);
    }
    assertThat(text(FOUND + " FROM dst.word"))
        .isEqualTo(ROWS + " rows, " + ROWS + " of them different");
    assertThat(YugabyteLab.proxy().faults().get(Fault.LOST_AFTER_COMMIT)).isGreaterThan(before);
    assertThat(YugabyteLab.proxy().refused()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"select", "copy", "insert", "commit"})
  void aStepThatIsOvertakenIsSentAgain(String statement) {
    AtomicInteger sent = new AtomicInteger();
    YugabyteLab.proxy()
        .beforeEach(
            statement,
            () -> {
              if (sent.incrementAndGet() % 9 == 5) {
                YugabyteLab.proxy().failOnce(statement, Fault.CONFLICT);
              }
            });
    try {
      assertThat(isLoaded(0)).isTrue();
    } finally {
      YugabyteLab.proxy().beforeEach(statement, () -> {});
    }
    assertThat(text(FOUND + " FROM dst.word"))
        .isEqualTo(ROWS + " rows, " + ROWS + " of them different");
    assertThat(text("SELECT count(*) FROM dst.mark")).isEqualTo("" + ROWS / STEP);
    assertThat(sent.get()).isGreaterThan(ROWS / STEP);
  }

  @Test
  void aStepThatIsTooLargeToBeKeptIsNotSentAgain() {
    String wide = "x".repeat(RowChunk.BYTES - 10) + "\n";
    StepMark mark =
        (connection, before, rows, bytes, last) ->
            connection.execute("INSERT INTO dst.mark VALUES (%d, %b)".formatted(rows, last));
    try (SegmentLoader loader = SegmentLoader.open(lab.target(), 1_000);
        SegmentLoad load = loader.begin(WORD, LAYOUT, mark)) {
      for (long sent = 0; sent <= 8L << 20; sent += wide.length()) {
        load.add(chunk(wide));
      }
      YugabyteLab.proxy().failOnce("insert", Fault.CONFLICT);
      assertThatThrownBy(load::finish).isInstanceOf(SluiceException.Retryable.class);
    }
    assertThat(text("SELECT count(*) FROM dst.word")).isEqualTo("0");
  }

  /** One attempt, from the last mark on. */
  private boolean isLoaded(int marked) {
    StepMark mark =
        (connection, before, rows, bytes, last) ->
            connection.execute(
                "INSERT INTO dst.mark VALUES (%d, %b)".formatted(marked + before + rows, last));
    try (SegmentLoader loader = SegmentLoader.open(lab.target(), STEP);
        SegmentLoad load = loader.begin(WORD, LAYOUT, mark)) {
      for (int row = marked; row < ROWS; row++) {
        load.add(chunk(row + "\n"));
      }
      load.finish();
      return true;
    } catch (SluiceException.Retryable e) {
      return text("SELECT count(*) FROM dst.mark WHERE done").equals("1");
    }
  }

  private int marked() {
    return Integer.parseInt(text("SELECT coalesce(max(loaded), 0) FROM dst.mark"));
  }

  private String text(String query) {
    try (Connection session = lab.database().connect();
        Statement statement = session.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static RowChunk chunk(String text) {
    RowChunk chunk = new RowChunk();
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    System.arraycopy(bytes, 0, chunk.bytes(), 0, bytes.length);
    chunk.added(bytes.length);
    chunk.rowEnded();
    return chunk;
  }
}
