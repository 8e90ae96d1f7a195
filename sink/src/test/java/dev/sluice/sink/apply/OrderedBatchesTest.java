package dev.sluice.sink.apply;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.embedded.postgres.PostgresVersion;
import dev.sluice.sink.window.AppliedWindow;
import dev.sluice.sink.window.compaction.Round;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;

/**
 * Changes in order that are applied as sets end as the same changes do one by one: rows, counts,
 * rejected changes and messages. One by one they are applied to tables with a constraint that
 * nothing violates, since those are not plain.
 */
class OrderedBatchesTest {
  private static final String PLAIN = "id int, a int, b int, c text, d text";
  private static final List<String> TABLES = List.of("keyed", "pair", "indexed", "keyless");

  private static TargetLab asSets;
  private static TargetLab oneByOne;

  /** Windows that took fewer statements as sets, and windows that failed. */
  private static int fewer;

  private static int failed;

  @AfterContainer
  static void close() throws SQLException {
    if (asSets != null) {
      assertThat(fewer).as("windows applied as sets").isPositive();
      assertThat(failed).as("windows with a rejected change").isPositive();
      asSets.close();
      oneByOne.close();
    }
  }

  @Property(tries = 30, shrinking = ShrinkingMode.OFF)
  void bothWaysEndEqual(@ForAll long seed) throws SQLException {
    if (asSets == null) {
      asSets = TargetLab.on(PostgresVersion.NEWEST);
      oneByOne = TargetLab.on(PostgresVersion.NEWEST);
    }
    createTables(asSets);
    createTables(oneByOne);
    for (String table : TABLES) {
      oneByOne.run("ALTER TABLE dst." + table + " ADD CHECK (true)");
    }
    Random random = new Random(seed);
    List<RandomSource> sources =
        List.of(
            new RandomSource(asSets.sql, "keyed", List.of("id"), random),
            new RandomSource(asSets.sql, "pair", List.of("id", "b"), random),
            new RandomSource(asSets.sql, "indexed", List.of("id"), random),
            new RandomSource(asSets.sql, "keyless", List.of(), random));
    if (random.nextInt(8) > 0) {
      // Otherwise nearly every window has a change that no set holds.
      sources.forEach(RandomSource::keepingKeys);
    }
    try (BatchApplier sets = asSets.applier(0);
        BatchApplier statements = oneByOne.applier(0)) {
      for (int window = 0; window < 6; window++) {
        List<RowChange> changes = changes(sources, random);
        disturb(random);
        Result applied = apply(asSets, sets, changes);
        Result expected = apply(oneByOne, statements, changes);
        assertThat(applied.errors()).as("seed %d", seed).isEqualTo(expected.errors());
        // A way that meets a state which only a later change of the row makes right applies net
        // changes, and counts these.
        if (applied.netChanges() == expected.netChanges()) {
          assertThat(applied.tables()).as("seed %d", seed).isEqualTo(expected.tables());
        }
        requireEqualTargets(seed);
        if (applied.statements() < 0) {
          failed++;
          return;
        }
        fewer += applied.statements() < expected.statements() ? 1 : 0;
      }
    }
  }

  private static void createTables(TargetLab lab) throws SQLException {
    for (String schema : List.of("src", "dst")) {
      lab.run(
          "DROP TABLE IF EXISTS %1$s.keyed, %1$s.pair, %1$s.indexed, %1$s.keyless"
              .formatted(schema));
      lab.run(
          "CREATE TABLE %s.keyed (%s, PRIMARY KEY (id))".formatted(schema, PLAIN),
          "CREATE TABLE %s.pair (%s, PRIMARY KEY (id, b))".formatted(schema, PLAIN),
          "CREATE TABLE %s.indexed (%s, PRIMARY KEY (id))".formatted(schema, PLAIN),
          "CREATE INDEX ON %s.indexed (a, b)".formatted(schema),
          "CREATE TABLE %s.keyless (%s)".formatted(schema, PLAIN));
    }
  }

  private static List<RowChange> changes(List<RandomSource> sources, Random random)
      throws SQLException {
    List<RowChange> changes = new ArrayList<>();
    int tables = 1 + random.nextInt(sources.size());
    int transactions = 1 + random.nextInt(40);
    for (int i = 0; i < transactions; i++) {
      changes.addAll(sources.get(random.nextInt(tables)).transaction());
    }
    return changes;
  }

  /** Sometimes makes both targets differ from the source, so that a change may be rejected. */
  private static void disturb(Random random) throws SQLException {
    int id = random.nextInt(8);
    String statement =
        switch (random.nextInt(12)) {
          case 0 -> "DELETE FROM dst.keyed WHERE id = " + id;
          case 1 -> "INSERT INTO dst.keyed (id) VALUES (" + id + ") ON CONFLICT DO NOTHING";
          case 2 -> "ALTER TABLE dst.keyed ALTER a SET NOT NULL";
          default -> "SELECT 1";
        };
    for (TargetLab lab : List.of(asSets, oneByOne)) {
      try {
        lab.run(statement);
      } catch (SQLException e) {
        // The column has a NULL: both refuse it.
        assertThat(e.getSQLState()).isEqualTo("23502");
      }
    }
  }

  /**
   * What came of a window.
   *
   * @param errors the changes that were rejected, or why all failed
   * @param statements negative if it failed
   */
  private record Result(String errors, String tables, long netChanges, long statements) {}

  private static Result apply(TargetLab lab, BatchApplier applier, List<RowChange> changes) {
    try {
      AppliedWindow applied =
          lab.apply(applier, lab.window(new Round.Ordered(List.of(), List.copyOf(changes))));
      return new Result(
          applied.errors().toString(),
          applied.tables().toString(),
          applied.netChanges(),
          applied.statements());
    } catch (SluiceException e) {
      return new Result(e.getMessage(), "", 0, -1);
    }
  }

  private static void requireEqualTargets(long seed) throws SQLException {
    for (String table : TABLES) {
      String rows = "SELECT r::text FROM dst." + table + " r ORDER BY 1";
      assertThat(asSets.rows(rows)).as("%s, seed %d", table, seed).isEqualTo(oneByOne.rows(rows));
    }
    String rejected =
        "SELECT table_name, operation, error FROM sluice_control.sluice_apply_exceptions ORDER BY 1, 2, 3";
    assertThat(asSets.rows(rejected)).isEqualTo(oneByOne.rows(rejected));
  }
}
