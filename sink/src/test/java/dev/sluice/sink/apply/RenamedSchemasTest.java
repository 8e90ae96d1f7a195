package dev.sluice.sink.apply;

import static dev.sluice.sink.apply.TargetLab.insert;
import static dev.sluice.sink.apply.TargetLab.keyed;
import static dev.sluice.sink.apply.TargetLab.net;
import static dev.sluice.sink.apply.TargetLab.row;
import static dev.sluice.sink.apply.TargetLab.schema;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.embedded.postgres.PostgresVersion;
import dev.sluice.embedded.postgres.Relay;
import dev.sluice.sink.apply.plan.ApplySettings;
import dev.sluice.sink.window.ClosedWindow;
import dev.sluice.sink.window.compaction.NetChange;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Someone renames schemas of the target, which takes no lock on their tables: another table gets
 * the name of the one into which rows are copied in binary.
 */
class RenamedSchemasTest {
  /** So many that no set of them is sent as parameters. */
  private static final int ROWS = 1_200;

  private static final int SWAPS = 60;
  private static final String COPY_BEGINS = "FORMAT binary";
  private static final String DATA_BEGINS = "PGCOPY\n";
  private static final RowSchema NUMBERS = schema("numbers", "*id integer", "n bigint");

  private TargetLab lab;
  private Relay relay;
  private BatchApplier applier;

  @BeforeEach
  void open() throws SQLException, IOException {
    lab = TargetLab.on(PostgresVersion.NEWEST);
    lab.run("CREATE SCHEMA other");
    relay = new Relay(lab.postgres.port());
    applier =
        lab.applier(
            lab.serverAt(relay.port(), "postgres"),
            lab.store().claim("task"),
            new ApplySettings(TargetLab.STOPPING));
  }

  @AfterEach
  void close() throws SQLException, IOException {
    applier.close();
    relay.close();
    lab.close();
  }

  private void create(String type, String typeOfOther) throws SQLException {
    lab.run(
        "CREATE TABLE dst.numbers (id int PRIMARY KEY, n " + type + ")",
        "CREATE TABLE other.numbers (id int PRIMARY KEY, n " + typeOfOther + ")");
  }

  private ClosedWindow window(int first) {
    return lab.window(
        net(
            keyed(
                NUMBERS,
                IntStream.range(first, first + ROWS)
                    .mapToObj(id -> insert(row("" + id, "5")))
                    .toArray(NetChange[]::new))));
  }

  private static void swap(Statement statement) throws SQLException {
    statement.execute(
        "BEGIN; ALTER SCHEMA dst RENAME TO was; ALTER SCHEMA other RENAME TO dst;"
            + " ALTER SCHEMA was RENAME TO other; COMMIT");
  }

  private void swap() {
    try (Connection session = lab.postgres.connect(lab.database);
        Statement statement = session.createStatement()) {
      swap(statement);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Each value in the tables of both schemas, and in how many rows. */
  private List<String> values() throws SQLException {
    return lab.rows(
        "SELECT n, count(*) FROM (SELECT n::text FROM dst.numbers"
            + " UNION ALL SELECT n::text FROM other.numbers) AS both_of_them GROUP BY n");
  }

  private void requireAppliedAtTheSecondTry(ClosedWindow window) throws SQLException {
    assertThatThrownBy(() -> lab.apply(applier, window))
        .isInstanceOf(SluiceException.Retryable.class)
        .hasMessageContaining("dst.numbers");
    assertThat(values()).isEmpty();
    lab.apply(applier, window);
    assertThat(values()).containsExactly("5|" + ROWS);
    assertThat(lab.replays()).as("windows that were rejected").isZero();
  }

  @Test
  void aWindowIsRetriedIfSchemasAreSwappedBeforeItsCopyBegins() throws SQLException {
    create("bigint", "numeric");
    relay.before(COPY_BEGINS, this::swap);
    requireAppliedAtTheSecondTry(window(0));
  }

  @Test
  void aWindowIsRetriedIfASwapIsUndoneDuringItsCopy() throws SQLException {
    create("bigint", "numeric");
    relay.before(
        COPY_BEGINS,
        () -> {
          swap();
          relay.before(DATA_BEGINS, this::swap);
        });
    requireAppliedAtTheSecondTry(window(0));
    assertThat(lab.rows("SELECT count(*) FROM dst.numbers")).containsExactly("" + ROWS);
  }

  @Test
  void bytesThatTheOtherTypeDoesNotTakeAreNoBadRow() throws SQLException {
    create("numeric", "bigint");
    relay.before(COPY_BEGINS, this::swap);
    requireAppliedAtTheSecondTry(window(0));
  }

  @Test
  void aTableThatIsNotThePlannedOneIsPlannedAgain() throws SQLException {
    create("bigint", "numeric");
    lab.apply(applier, window(0));
    swap();
    ClosedWindow next = window(ROWS);
    assertThatThrownBy(() -> lab.apply(applier, next))
        .isInstanceOf(SluiceException.Retryable.class)
        .hasMessageContaining("dst.numbers");
    lab.apply(applier, next);
    assertThat(values()).containsExactly("5|" + 2 * ROWS);
    assertThat(lab.rows("SELECT count(*) FROM dst.numbers")).containsExactly("" + ROWS);
  }

  @Test
  void noValueIsWrongWhileSchemasAreSwapped() throws Exception {
    create("bigint", "numeric");
    CompletableFuture<Void> swaps =
        CompletableFuture.runAsync(() -> IntStream.range(0, SWAPS).forEach(i -> pausedSwap()));
    int windows = 0;
    while (!swaps.isDone()) {
      applied(window(ROWS * windows));
      windows++;
    }
    swaps.get();
    assertThat(values()).containsExactly("5|" + ROWS * windows);
    assertThat(lab.replays()).as("windows that were rejected").isZero();
  }

  private void pausedSwap() {
    try {
      Thread.sleep(20);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    swap();
  }

  private void applied(ClosedWindow window) {
    boolean isApplied = false;
    while (!isApplied) {
      try {
        lab.apply(applier, window);
        isApplied = true;
      } catch (SluiceException.Retryable e) {
        // The table of that name is another one now.
        isApplied = false;
      }
    }
  }
}
