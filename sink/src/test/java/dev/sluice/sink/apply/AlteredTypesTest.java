package dev.sluice.sink.apply;

import static dev.sluice.sink.apply.TargetLab.keyed;
import static dev.sluice.sink.apply.TargetLab.net;
import static dev.sluice.sink.apply.TargetLab.row;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.embedded.postgres.PostgresVersion;
import dev.sluice.sink.window.ClosedWindow;
import dev.sluice.sink.window.compaction.NetChange;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Someone changes a column's type on the target. Rows are copied in binary where they can be. */
class AlteredTypesTest {
  /** So many that no set of them is sent as parameters. */
  private static final int ROWS = 1_200;

  private TargetLab lab;
  private BatchApplier applier;

  @BeforeEach
  void open() throws SQLException {
    lab = TargetLab.on(PostgresVersion.NEWEST);
    applier = lab.applier(0);
  }

  @AfterEach
  void close() throws SQLException {
    applier.close();
    lab.close();
  }

  /** Rows of a table whose column {@code n} is a bigint for the applier. */
  private static NetChange[] numbers(int first, boolean known, int value) {
    return IntStream.range(first, first + ROWS)
        .mapToObj(id -> new NetChange(known ? row("" + id) : null, row("" + id, "" + value)))
        .toArray(NetChange[]::new);
  }

  private static RowSchema numbersSchema() {
    return new RowSchema(
        new TableId("src", "numbers"),
        List.of(new Column("id", "integer", false, true), new Column("n", "bigint", true, false)));
  }

  @Test
  void aTypeThatChangedBetweenTwoWindowsIsTheOneThatIsWritten() throws SQLException {
    lab.run("CREATE TABLE dst.numbers (id int PRIMARY KEY, n bigint)");
    lab.apply(applier, lab.window(net(keyed(numbersSchema(), numbers(0, false, 5)))));
    for (String type : List.of("numeric", "double precision", "text", "varchar(3)", "bigint")) {
      lab.run("ALTER TABLE dst.numbers ALTER COLUMN n TYPE " + type + " USING n::" + type);
      lab.apply(applier, lab.window(net(keyed(numbersSchema(), numbers(0, true, 6)))));
      lab.run("DELETE FROM dst.numbers WHERE id >= " + ROWS);
      lab.apply(applier, lab.window(net(keyed(numbersSchema(), numbers(ROWS, false, 7)))));
      assertThat(lab.rows("SELECT n::text, count(*) FROM dst.numbers GROUP BY 1 ORDER BY 1"))
          .as(type)
          .containsExactly("6|" + ROWS, "7|" + ROWS);
    }
  }

  @Test
  void aTypeThatChangesWhileAWindowWaitsForTheTableIsTheOneThatIsWritten() throws Exception {
    lab.run("CREATE TABLE dst.numbers (id int PRIMARY KEY, n bigint)");
    lab.apply(applier, lab.window(net(keyed(numbersSchema(), numbers(0, false, 5)))));
    ClosedWindow next = lab.window(net(keyed(numbersSchema(), numbers(ROWS, false, 5))));
    try (Connection other = lab.postgres.connect(lab.database);
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("ALTER TABLE dst.numbers ALTER COLUMN n TYPE numeric");
      CompletableFuture<Void> applied = CompletableFuture.runAsync(() -> lab.apply(applier, next));
      Awaitility.await()
          .until(
              () ->
                  lab.rows(
                          "SELECT count(*) FROM pg_locks WHERE NOT granted"
                              + " AND mode = 'RowExclusiveLock'"
                              + " AND database = (SELECT oid FROM pg_database"
                              + " WHERE datname = current_database())")
                      .equals(List.of("1")));
      other.commit();
      applied.get();
    }
    assertThat(lab.rows("SELECT n::text, count(*) FROM dst.numbers GROUP BY 1"))
        .containsExactly("5|" + 2 * ROWS);
    assertThat(lab.replays()).isZero();
  }
}
