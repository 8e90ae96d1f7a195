package dev.sluice.sink.apply;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.embedded.postgres.PostgresVersion;
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
 * Random transactions on tables with every kind of unique index have the same result on the target,
 * with any windows, rounds and chunks.
 */
class IndexShapesTest {
  private static final String TABLE = "t";
  private static final String PLAIN = "id int, a int, b int, c text, d text";

  private static TargetLab newest;
  private static TargetLab older;

  /** A table definition for both sides, with its key. */
  enum Shape {
    SEVERAL_UNIQUE_INDEXES(PLAIN + ", PRIMARY KEY (id), UNIQUE (a), UNIQUE (b, a)"),
    PARTIAL(PLAIN + ", PRIMARY KEY (id)", "CREATE UNIQUE INDEX ON %s (a) WHERE b > 2"),
    EXPRESSION(PLAIN + ", PRIMARY KEY (id)", "CREATE UNIQUE INDEX ON %s (lower(d), (a + b))"),
    WHOLE_ROW(
        PLAIN + ", PRIMARY KEY (id)", "CREATE UNIQUE INDEX ON %1$s (a) WHERE %2$s IS NOT NULL"),
    COMPOSITE_WITH_NULLS(PLAIN + ", PRIMARY KEY (id), UNIQUE (a, b)"),
    NULLS_NOT_DISTINCT(PLAIN + ", PRIMARY KEY (id), UNIQUE NULLS NOT DISTINCT (a, b)"),
    INCLUDE(PLAIN + ", PRIMARY KEY (id) INCLUDE (b), UNIQUE (a) INCLUDE (c)"),
    DEFERRED(PLAIN + ", PRIMARY KEY (id), UNIQUE (a) DEFERRABLE INITIALLY DEFERRED"),
    DEFERRED_EXCLUSION(
        PLAIN
            + ", PRIMARY KEY (id), EXCLUDE USING gist (int4range(a, a + 2) WITH &&)"
            + " WHERE (b > 1 AND a IS NOT NULL) DEFERRABLE INITIALLY DEFERRED"),
    EXCLUSION(
        PLAIN
            + ", PRIMARY KEY (id), EXCLUDE USING gist (int4range(a, a + 2) WITH &&)"
            + " WHERE (a IS NOT NULL)"),
    GENERATED(
        "id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, a int, b int, c text, d text,"
            + " g int GENERATED ALWAYS AS (a * 10 + b) STORED UNIQUE"),
    COMPOSITE_KEY(PLAIN + ", PRIMARY KEY (b, id), UNIQUE (a)"),
    PARTITIONED(
        "PARTITION",
        PLAIN + ", PRIMARY KEY (id, b), UNIQUE (a, b)",
        "CREATE TABLE %1$s_low PARTITION OF %1$s FOR VALUES FROM (0) TO (3)",
        "CREATE TABLE %1$s_high PARTITION OF %1$s FOR VALUES FROM (3) TO (9)",
        "CREATE UNIQUE INDEX ON %s_low (d)"),
    TARGET_ONLY_COLUMNS(PLAIN + ", PRIMARY KEY (id), UNIQUE (a)"),
    KEYLESS(PLAIN);

    private final String columns;
    private final List<String> more;

    Shape(String columns, String... more) {
      boolean partitioned = columns.equals("PARTITION");
      this.columns = partitioned ? more[0] : columns;
      this.more = partitioned ? List.of(more).subList(1, more.length) : List.of(more);
    }

    List<String> key() {
      return switch (this) {
        case KEYLESS -> List.of();
        case COMPOSITE_KEY, PARTITIONED -> List.of("id", "b");
        default -> List.of("id");
      };
    }

    void create(TargetLab lab) throws SQLException {
      for (String schema : List.of("src", "dst")) {
        String name = schema + "." + TABLE;
        boolean partitioned = this == PARTITIONED && schema.equals("dst");
        lab.run(
            "DROP TABLE IF EXISTS " + name,
            "CREATE TABLE %s (%s)%s"
                .formatted(name, columns, partitioned ? " PARTITION BY RANGE (b)" : ""));
        for (String statement : this == PARTITIONED && !partitioned ? sourceSide() : more) {
          lab.run(statement.formatted(name, TABLE));
        }
      }
      if (this == TARGET_ONLY_COLUMNS) {
        lab.run("ALTER TABLE dst.t ADD mine text NOT NULL DEFAULT 'new'");
      }
    }

    /* What the partitions' own index allows must hold on the source as well. */
    private static List<String> sourceSide() {
      return List.of(
          "CREATE UNIQUE INDEX ON %s (d) WHERE b < 3",
          "ALTER TABLE %s ADD CHECK (b BETWEEN 0 AND 8)");
    }
  }

  @AfterContainer
  static void close() throws SQLException {
    if (newest != null) {
      newest.close();
    }
    if (older != null) {
      older.close();
    }
  }

  @Property(tries = 120, shrinking = ShrinkingMode.OFF)
  void everyShapeEndsEqualOnTheNewestVersion(@ForAll Shape shape, @ForAll long seed)
      throws SQLException {
    if (newest == null) {
      newest = TargetLab.on(PostgresVersion.NEWEST);
    }
    endsEqual(newest, shape, new Random(seed));
  }

  @Property(tries = 30, shrinking = ShrinkingMode.OFF)
  void everyShapeEndsEqualOnAnOlderVersion(@ForAll Shape shape, @ForAll long seed)
      throws SQLException {
    if (older == null) {
      older = TargetLab.on(PostgresVersion.OLDER);
    }
    endsEqual(older, shape, new Random(seed));
  }

  private static void endsEqual(TargetLab lab, Shape shape, Random random) throws SQLException {
    shape.create(lab);
    RandomSource source = new RandomSource(lab.sql, TABLE, shape.key(), random);
    boolean ordered = random.nextInt(4) == 0;
    try (BatchApplier applier = lab.applier(random.nextInt(6))) {
      for (int window = 0; window < 6; window++) {
        List<RowChange> changes = new ArrayList<>();
        int transactions = 1 + random.nextInt(12);
        for (int i = 0; i < transactions; i++) {
          changes.addAll(source.transaction());
        }
        applier.apply(lab.window(rounds(source, changes, ordered, random)));
        assertThat(lab.rows(difference("src", "dst"))).describedAs("missing").isEmpty();
        assertThat(lab.rows(difference("dst", "src"))).describedAs("too many").isEmpty();
      }
    }
  }

  /* Cut anywhere, also within a transaction, as a huge one is. */
  private static List<Round> rounds(
      RandomSource source, List<RowChange> changes, boolean ordered, Random random) {
    List<Round> rounds = new ArrayList<>();
    int from = 0;
    while (from < changes.size()) {
      int to = from + 1 + random.nextInt(changes.size() - from);
      List<RowChange> part = changes.subList(from, to);
      rounds.add(
          ordered
              ? new Round.Ordered(List.of(), part)
              : new Round.Net(List.of(), List.of(NetChangesByHand.of(source.schema(), part))));
      from = to;
    }
    return rounds;
  }

  private static String difference(String one, String other) {
    String columns = "SELECT id, a, b, c, d FROM ";
    return columns + one + "." + TABLE + " EXCEPT ALL " + columns + other + "." + TABLE;
  }
}
