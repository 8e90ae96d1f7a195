package dev.sluice.engine.keys;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.BatchApplyOverrides;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.embedded.postgres.PostgresVersion;
import dev.sluice.sink.apply.BatchApplier;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.intake.MappedColumns;
import dev.sluice.sink.sorter.CommittedTransaction;
import dev.sluice.sink.window.FilledWindow;
import dev.sluice.sink.window.OpenWindow;
import dev.sluice.sink.window.policy.CloseReason;
import dev.sluice.sink.window.policy.WindowTimes;
import dev.sluice.sink.window.policy.WindowTuning;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;

/**
 * However changes are put together to windows, before-image columns have what they had if each
 * change were applied by itself. The same statements go to the source and to a table beside it, in
 * which a trigger fills the columns.
 *
 * <p>{@code -Djqwik.tries.default=1000} makes a long run, {@code -Dsluice.keys.seed=…} repeats one
 * try.
 */
class BeforeImageTablesTest {
  private static final Set<TableId> OLD_ROWS_WANTED = ConcurrentHashMap.newKeySet();
  private static final String REFUSED = "23.*|21000";

  private static KeysLab lab;
  private static int tries;

  /** The table beside the source after a commit. */
  private record State(Position logEnd, List<String> rows) {}

  @AfterContainer
  static void close() throws SQLException {
    if (lab != null) {
      lab.close();
    }
  }

  @Property(shrinking = ShrinkingMode.OFF)
  void beforeImagesAreThoseOfEachRowsLastUpdate(@ForAll long random) throws Exception {
    if (lab == null) {
      start();
    }
    String schema = "images " + ++tries;
    long seed = KeysLab.seed(random, tries);
    BeforeImageTable table = new BeforeImageTable(schema, new Random(seed));
    if (table.wantsOldRows()) {
      OLD_ROWS_WANTED.add(table.id());
    }
    List<String> told = new ArrayList<>();
    try {
      lab.onSource(table.sourceStatements().toArray(String[]::new));
      lab.onTarget(table.targetStatements().toArray(String[]::new));
      lab.publish(schema);
      List<State> states = new ArrayList<>();
      states.add(state(table));
      Random changes = new Random(seed + 1);
      int count = 1 + changes.nextInt(20);
      for (int i = 0; i < count; i++) {
        transaction(table, changes, told);
        states.add(state(table));
      }
      apply(table, states, new Random(seed + 2));
    } catch (AssertionError | Exception e) {
      throw new AssertionError(
          "-Dsluice.keys.seed=%d: %s%n%s%n%s"
              .formatted(seed, e.getMessage(), table, String.join(";\n", told)),
          e);
    }
    lab.onSource(
        "DROP SCHEMA \"%1$s\" CASCADE; DROP SCHEMA \"%1$s beside\" CASCADE".formatted(schema));
    lab.onTarget("DROP SCHEMA \"" + schema + "\" CASCADE");
  }

  private static void start() throws SQLException, IOException {
    lab = new KeysLab(PostgresVersion.NEWEST, OLD_ROWS_WANTED::contains);
    lab.onSource("SET client_min_messages = error");
    lab.onTarget("SET client_min_messages = error", "SET session_replication_role = replica");
  }

  /** What constraints refuse of one of the two is undone in both. */
  private static void transaction(BeforeImageTable table, Random random, List<String> told)
      throws SQLException {
    lab.source.setAutoCommit(false);
    told.add("BEGIN");
    try (Statement statement = lab.source.createStatement()) {
      int statements = 1 + random.nextInt(random.nextInt(5) == 0 ? 20 : 5);
      for (int i = 0; i < statements; i++) {
        List<String> texts = table.statements(random);
        Savepoint before = lab.source.setSavepoint();
        try {
          for (String text : texts) {
            statement.execute(text.formatted(table.source()));
            statement.execute(text.formatted(table.beside()));
          }
          told.addAll(texts);
        } catch (SQLException e) {
          if (!e.getSQLState().matches(REFUSED)) {
            throw new SQLException(texts.toString(), e.getSQLState(), e);
          }
          lab.source.rollback(before);
        }
      }
      lab.source.commit();
      told.add("COMMIT");
    } finally {
      lab.source.setAutoCommit(true);
    }
  }

  private static void apply(BeforeImageTable table, List<State> states, Random random)
      throws SQLException {
    SchemaLookup schemas = new MappedColumns(lab.schemas, table.mappings().columns());
    WindowTuning tuning = tuning(random);
    try (BatchApplier applier = lab.applier()) {
      JournalOffset reached = JournalOffset.beginning(Position.ZERO);
      OpenWindow window = new OpenWindow(schemas, tuning, reached);
      for (CommittedTransaction transaction : lab.transactions()) {
        if (!window.isEmpty() && (random.nextInt(3) == 0 || !window.hasRoomFor(transaction))) {
          reached = apply(applier, window, table, states);
          window = new OpenWindow(schemas, tuning, reached);
        }
        if (!window.take(transaction, Instant.EPOCH)) {
          lab.release(transaction);
        }
      }
      apply(applier, window, table, states);
    }
  }

  /** Gives the window's end. */
  private static JournalOffset apply(
      BatchApplier applier, OpenWindow open, BeforeImageTable table, List<State> states)
      throws SQLException {
    FilledWindow filled = open.close(CloseReason.READY, Instant.EPOCH);
    applier.apply(filled.window());
    filled.held().ifPresent(lab::release);
    Position position = filled.window().position();
    State expected =
        states.stream()
            .filter(state -> state.logEnd().compareTo(position) >= 0)
            .findFirst()
            .orElse(states.get(states.size() - 1));
    assertThat(rows(lab.target, table.onTarget(), table))
        .describedAs("at %s", position)
        .isEqualTo(expected.rows());
    return filled.window().place();
  }

  /** Whole, by rounds that are cut within transactions, and one by one. */
  private static WindowTuning tuning(Random random) {
    return new WindowTuning(
        random.nextInt(4) > 0,
        new WindowTimes(Duration.ofSeconds(1), Duration.ofSeconds(30)),
        DataSize.ofBytes(random.nextBoolean() ? 1 << 20 : 1 + random.nextInt(6000)),
        random.nextInt(6),
        1 + random.nextInt(10),
        Duration.ofSeconds(5),
        BatchApplyOverrides.NONE);
  }

  private static State state(BeforeImageTable table) throws SQLException {
    return new State(
        Position.parse(KeysLab.first(lab.source, "SELECT pg_current_wal_insert_lsn()")),
        rows(lab.source, table.beside(), table));
  }

  private static List<String> rows(Connection connection, String name, BeforeImageTable table)
      throws SQLException {
    String columns = table.besideColumns();
    return KeysLab.rows(
        connection,
        "SELECT r FROM (SELECT left(ROW(%1$s)::text, 200) || md5(ROW(%1$s)::text) AS r FROM %2$s) _ ORDER BY r COLLATE \"C\""
            .formatted(connection == lab.target ? table.targetColumns() : columns, name));
  }
}
