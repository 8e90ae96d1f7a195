package dev.sluice.sink.apply;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.settings.ErrorAction;
import dev.sluice.config.settings.ErrorBehavior;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.embedded.postgres.PostgresVersion;
import dev.sluice.sink.Tunings;
import dev.sluice.sink.apply.plan.ApplySettings;
import dev.sluice.sink.apply.plan.DifferingRows;
import dev.sluice.sink.apply.plan.UnknownColumns;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Changes that are fitted to a target that differs from the source at random. */
class FittedRowsTest {
  private static final RowSchema ITEM = TargetLab.schema("item", "*id int", "name text");
  private static final int IDS = 40;

  private static final ApplySettings FITTED =
      new ApplySettings(
          TaskSettings.DEFAULTS
              .with(ErrorBehavior.APPLY_ERROR_INSERT_POLICY, ErrorAction.LOG_ERROR)
              .with(ErrorBehavior.APPLY_ERROR_UPDATE_POLICY, ErrorAction.LOG_ERROR)
              .with(ErrorBehavior.APPLY_ERROR_DELETE_POLICY, ErrorAction.LOG_ERROR),
          UnknownColumns.ADDED,
          DifferingRows.FITTED,
          Optional.empty());

  private final Set<Integer> touched = new HashSet<>();

  @Test
  void eachChangedRowBecomesTheSourcesInWholeWindowsAndEachOtherStaysAsItWas() throws SQLException {
    try (TargetLab lab = TargetLab.on(PostgresVersion.NEWEST)) {
      lab.run("CREATE TABLE dst.item (id int PRIMARY KEY, name text)");
      for (int seed = 1; seed <= 30; seed++) {
        touched.clear();
        Random random = new Random(seed);
        TreeMap<Integer, String> source = begin(random);
        TreeMap<Integer, String> before = begin(random);
        fill(lab, before);
        int large = random.nextInt(3) == 0 ? 600 : 0;
        lab.tune(Tunings.splitting(random.nextInt(4)));
        try (BatchApplier applier = lab.applier(lab.server(), lab.store().claim("task"), FITTED)) {
          for (int window = 0; window < 3; window++) {
            List<ChangeEvent> changes = changes(random, source, 1 + random.nextInt(30));
            // Above the number of rows that are sent as parameters.
            for (int i = 0; i < large; i++) {
              int id = 1000 + i;
              changes.add(put(window == 0 ? null : id, id, "large " + window, source));
            }
            lab.apply(applier, lab.windowOf(List.of(changes)));
          }
        }
        assertThat(lab.replays()).as("windows applied change by change, seed %d", seed).isZero();
        assertThat(lab.rows("SELECT id, name FROM dst.item ORDER BY id"))
            .as("seed %d", seed)
            .isEqualTo(lines(expected(source, before)));
      }
    }
  }

  @Test
  void aRowThatExistsKeepsItsTargetOnlyColumns() throws SQLException {
    try (TargetLab lab = TargetLab.on(PostgresVersion.NEWEST)) {
      lab.run("CREATE TABLE dst.item (id int PRIMARY KEY, name text, own text)");
      lab.run("INSERT INTO dst.item VALUES (1, 'stale', 'mine'), (3, 'stale', 'mine')");
      try (BatchApplier applier = lab.applier(lab.server(), lab.store().claim("task"), FITTED)) {
        TreeMap<Integer, String> source = new TreeMap<>();
        lab.apply(
            applier,
            lab.windowOf(
                List.of(
                    List.of(
                        put(null, 1, "inserted", source),
                        put(2, 3, "moved", source),
                        new RowChange(ITEM, match(9), null)))));
      }
      assertThat(lab.rows("SELECT * FROM dst.item ORDER BY id"))
          .containsExactly("1|inserted|mine", "3|moved|mine");
      assertThat(lab.replays()).isZero();
    }
  }

  @Test
  void aMissingRowOfWhichTheChangeHasNotEveryValueIsRejectedAndNamed() throws SQLException {
    try (TargetLab lab = TargetLab.on(PostgresVersion.NEWEST)) {
      lab.run("CREATE TABLE dst.item (id int PRIMARY KEY, name text)");
      RowChange partly =
          new RowChange(ITEM, match(1), new RowBuilder(8).add("1").addUnchanged().build());
      try (BatchApplier applier = lab.applier(lab.server(), lab.store().claim("task"), FITTED)) {
        lab.apply(
            applier,
            lab.windowOf(List.of(List.of(partly, put(null, 2, "whole", new TreeMap<>())))));
      }
      assertThat(lab.rows("SELECT * FROM dst.item")).containsExactly("2|whole");
      assertThat(lab.rows("SELECT operation FROM sluice_control.sluice_apply_exceptions"))
          .containsExactly("UPDATE");
    }
  }

  @Test
  void withoutAUniqueIndexAKeyMayMatchTwoRowsSoNothingIsFitted() throws SQLException {
    try (TargetLab lab = TargetLab.on(PostgresVersion.NEWEST)) {
      lab.run("CREATE TABLE dst.item (id int, name text)");
      lab.run("INSERT INTO dst.item VALUES (1, 'one'), (1, 'two')");
      try (BatchApplier applier = lab.applier(lab.server(), lab.store().claim("task"), FITTED)) {
        lab.apply(applier, lab.windowOf(List.of(List.of(put(1, 1, "which?", new TreeMap<>())))));
      }
      assertThat(lab.rows("SELECT * FROM dst.item ORDER BY name"))
          .containsExactly("1|one", "1|two");
      assertThat(lab.rows("SELECT operation FROM sluice_control.sluice_apply_exceptions"))
          .containsExactly("UPDATE");
    }
  }

  private static TreeMap<Integer, String> begin(Random random) {
    TreeMap<Integer, String> rows = new TreeMap<>();
    for (int id = 0; id < IDS; id++) {
      if (random.nextBoolean()) {
        rows.put(id, "begin " + random.nextInt(3));
      }
    }
    return rows;
  }

  private static void fill(TargetLab lab, Map<Integer, String> rows) throws SQLException {
    lab.run("TRUNCATE dst.item");
    for (Map.Entry<Integer, String> row : rows.entrySet()) {
      lab.run("INSERT INTO dst.item VALUES (%d, '%s')".formatted(row.getKey(), row.getValue()));
    }
  }

  private List<ChangeEvent> changes(Random random, TreeMap<Integer, String> source, int count) {
    List<ChangeEvent> changes = new ArrayList<>();
    // What comes and goes in one window never meets the target.
    Set<Integer> fresh = new HashSet<>();
    while (changes.size() < count) {
      int id = random.nextInt(IDS);
      if (!source.containsKey(id)) {
        fresh.add(id);
        changes.add(put(null, id, "put " + random.nextInt(9), source));
      } else if (fresh.contains(id)) {
        changes.add(put(id, id, "set " + random.nextInt(9), source));
      } else if (random.nextInt(3) == 0) {
        source.remove(id);
        touched.add(id);
        changes.add(new RowChange(ITEM, match(id), null));
      } else {
        int other = random.nextInt(3) == 0 ? random.nextInt(IDS) : id;
        if (other == id || !source.containsKey(other)) {
          fresh.add(other);
          changes.add(put(id, other, "set " + random.nextInt(9), source));
        }
      }
    }
    return changes;
  }

  /** An insert, an update or a change of the key, in the source as well. */
  private RowChange put(Integer old, int id, String name, TreeMap<Integer, String> source) {
    if (old != null) {
      source.remove(old);
      touched.add(old);
    }
    source.put(id, name);
    touched.add(id);
    return new RowChange(ITEM, old == null ? null : match(old), RowBuilder.rowOf("" + id, name));
  }

  private static Row match(int id) {
    return RowBuilder.rowOf("" + id);
  }

  /** The source's rows where a change touched them, the target's others. */
  private TreeMap<Integer, String> expected(
      TreeMap<Integer, String> source, TreeMap<Integer, String> before) {
    TreeMap<Integer, String> rows = new TreeMap<>(before);
    rows.keySet().removeAll(touched);
    source.forEach(
        (id, name) -> {
          if (touched.contains(id)) {
            rows.put(id, name);
          }
        });
    return rows;
  }

  private static List<String> lines(TreeMap<Integer, String> rows) {
    return rows.entrySet().stream().map(row -> row.getKey() + "|" + row.getValue()).toList();
  }
}
