package dev.sluice.engine.keys;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.config.TableId;
import dev.sluice.config.settings.BatchApplyOverride;
import dev.sluice.config.settings.BatchApplyOverrides;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.Position;
import dev.sluice.embedded.postgres.PostgresVersion;
import dev.sluice.sink.apply.BatchApplier;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.sorter.CommittedTransaction;
import dev.sluice.sink.window.FilledWindow;
import dev.sluice.sink.window.OpenWindow;
import dev.sluice.sink.window.policy.CloseReason;
import dev.sluice.sink.window.policy.WindowTimes;
import dev.sluice.sink.window.policy.WindowTuning;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import org.slf4j.LoggerFactory;

/**
 * Whatever tables there are and whatever is committed on them: after each window the target has
 * exactly the rows that the source had at that position, and nothing is ever refused on the way.
 *
 * <p>{@code -Djqwik.tries.default=1000} makes a long run, {@code -Dsluice.keys.seed=…} repeats one
 * try, {@code -Dsluice.keys.version=OLDER} takes older servers.
 */
class RandomTablesTest {
  private static final String TYPES =
      """
      CREATE EXTENSION citext SCHEMA public;
      CREATE EXTENSION btree_gist SCHEMA public;
      CREATE COLLATION public.folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
      CREATE DOMAIN public.small AS int CHECK (VALUE < 6);
      CREATE TYPE public.pair AS (x int, y text);
      CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''fired''; END'
      """;

  private static final PostgresVersion VERSION =
      PostgresVersion.valueOf(System.getProperty("sluice.keys.version", "NEWEST"));

  private static KeysLab lab;
  private static int tries;

  /** The source as it was after a commit: what each table held. */
  private record State(Position logEnd, Map<RandomTable, List<String>> rows) {}

  @AfterContainer
  static void close() throws SQLException {
    if (lab != null) {
      lab.close();
    }
  }

  @Property(shrinking = ShrinkingMode.OFF)
  void theTargetEqualsTheSourceAtEveryWindowBoundary(@ForAll long random) throws Exception {
    if (lab == null) {
      start();
    }
    String schema = "try " + ++tries;
    long seed = KeysLab.seed(random, tries);
    List<RandomTable> tables = tables(schema, new Random(seed));
    lab.onSource("CREATE SCHEMA \"" + schema + '"');
    lab.onTarget("CREATE SCHEMA \"" + schema + '"');
    RandomTransactions transactions = null;
    try {
      for (RandomTable table : tables) {
        lab.onSource(table.sourceStatements().toArray(String[]::new));
        lab.onTarget(table.targetStatements().toArray(String[]::new));
      }
      lab.publish(schema);
      transactions = new RandomTransactions(lab.source, tables, new Random(seed + 1));
      List<State> states = new ArrayList<>();
      states.add(state(tables));
      int count = 1 + new Random(seed + 2).nextInt(25);
      for (int i = 0; i < count; i++) {
        transactions.next();
        states.add(state(tables));
      }
      apply(tables, states, new Random(seed + 3));
    } catch (AssertionError | Exception e) {
      throw new AssertionError(
          "-Dsluice.keys.seed=%d: %s%n%s%n%s"
              .formatted(
                  seed,
                  e.getMessage(),
                  String.join("\n", tables.stream().map(RandomTable::toString).toList()),
                  transactions == null ? "" : String.join(";\n", transactions.told())),
          e);
    }
    lab.onSource("DROP SCHEMA \"" + schema + "\" CASCADE");
    lab.onTarget("DROP SCHEMA \"" + schema + "\" CASCADE");
  }

  private static void start() throws SQLException, IOException {
    lab = new KeysLab(VERSION);
    lab.onSource(TYPES);
    lab.onTarget(TYPES);
    lab.onTarget(
        "ALTER DATABASE %I SET TimeZone = 'Asia/Tokyo'"
            .replace("%I", KeysLab.first(lab.target, "SELECT current_database()")));
    // Triggers and rules of the target are not for what the test itself writes there.
    lab.onTarget("SET session_replication_role = replica");
    lab.onSource("SET client_min_messages = error");
    lab.onTarget("SET client_min_messages = error");
  }

  private static List<RandomTable> tables(String schema, Random random) {
    List<RandomTable> tables = new ArrayList<>();
    int count = 1 + random.nextInt(4);
    for (int i = 0; i < count; i++) {
      tables.add(new RandomTable(VERSION, schema, i, random, tables));
    }
    return tables;
  }

  private static void apply(List<RandomTable> tables, List<State> states, Random random)
      throws SQLException {
    WindowTuning tuning = tuning(tables, random);
    TargetOnlyValues kept = new TargetOnlyValues(lab.target, random);
    ListAppender<ILoggingEvent> warnings = warnings();
    try (BatchApplier applier = lab.applier()) {
      JournalOffset reached = JournalOffset.beginning(Position.ZERO);
      OpenWindow window = new OpenWindow(lab.schemas, tuning, reached);
      for (CommittedTransaction transaction : lab.transactions()) {
        if (!window.isEmpty() && (random.nextInt(3) == 0 || !window.hasRoomFor(transaction))) {
          reached = apply(applier, window, tables, states, kept);
          window = new OpenWindow(lab.schemas, tuning, reached);
        }
        if (!window.take(transaction, Instant.EPOCH)) {
          lab.release(transaction);
        }
      }
      apply(applier, window, tables, states, kept);
    } finally {
      ((Logger) LoggerFactory.getLogger(BatchApplier.class)).detachAppender(warnings);
    }
    assertThat(warnings.list)
        .filteredOn(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
        .isEmpty();
  }

  /** Gives the window's end. */
  private static JournalOffset apply(
      BatchApplier applier,
      OpenWindow open,
      List<RandomTable> tables,
      List<State> states,
      TargetOnlyValues kept)
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
    for (RandomTable table : tables) {
      assertThat(rows(lab.target, table))
          .describedAs("%s at %s", table.name(), position)
          .isEqualTo(expected.rows().get(table));
      kept.check(table);
    }
    return filled.window().place();
  }

  private static WindowTuning tuning(List<RandomTable> tables, Random random) {
    Map<TableId, BatchApplyOverride> overrides = new HashMap<>();
    for (RandomTable table : tables) {
      if (random.nextInt(5) == 0) {
        overrides.put(
            table.id(),
            new BatchApplyOverride(
                random.nextBoolean(),
                Optional.empty(),
                Optional.empty(),
                Optional.of(memory(random)),
                OptionalInt.of(random.nextInt(6))));
      }
    }
    return new WindowTuning(
        random.nextInt(5) > 0,
        new WindowTimes(Duration.ofSeconds(1), Duration.ofSeconds(30)),
        memory(random),
        random.nextInt(6),
        1 + random.nextInt(10),
        Duration.ofSeconds(5),
        new BatchApplyOverrides(overrides));
  }

  /** Below the size of a transaction the limit cuts it into rounds. */
  private static DataSize memory(Random random) {
    return DataSize.ofBytes(random.nextBoolean() ? 1 << 20 : 1 + random.nextInt(6000));
  }

  private static State state(List<RandomTable> tables) throws SQLException {
    Map<RandomTable, List<String>> rows = new HashMap<>();
    for (RandomTable table : tables) {
      rows.put(table, rows(lab.source, table));
    }
    return new State(
        Position.parse(KeysLab.first(lab.source, "SELECT pg_current_wal_insert_lsn()")), rows);
  }

  private static List<String> rows(java.sql.Connection connection, RandomTable table)
      throws SQLException {
    return KeysLab.rows(
        connection,
        "SELECT r FROM (SELECT regexp_replace(ROW(%s)::text, '(\\d)\\1{99,}', '\\1…', 'g') || md5(ROW(%1$s)::text) AS r FROM %2$s) _ ORDER BY r COLLATE \"C\""
            .formatted(
                table.allColumns(),
                connection == lab.target ? table.rowsOnTarget() : table.rows()));
  }

  private static ListAppender<ILoggingEvent> warnings() {
    ListAppender<ILoggingEvent> appender = new ListAppender<>();
    appender.start();
    ((Logger) LoggerFactory.getLogger(BatchApplier.class)).addAppender(appender);
    return appender;
  }
}
