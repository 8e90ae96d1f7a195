package dev.sluice.engine.keys;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * What the target's users write into a column that the source does not have: it must stay with its
 * row as long as the row lives, through whatever becomes of the row, and end with it.
 */
final class TargetOnlyValues {
  private final Connection target;
  private final Random random;
  private final Map<RandomTable, Map<String, String>> written = new HashMap<>();
  private int checks;

  TargetOnlyValues(Connection target, Random random) {
    this.target = target;
    this.random = random;
  }

  /** Looks at the values of a table, then writes some others. */
  void check(RandomTable table) throws SQLException {
    if (!table.isTracked()) {
      return;
    }
    Map<String, String> expected = written.computeIfAbsent(table, key -> new HashMap<>());
    String uid = table.columnOf(ColumnKind.UID);
    List<String> found =
        KeysLab.rows(
            target,
            "SELECT %1$s || ' ' || coalesce(%2$s, 'none') FROM %3$s ORDER BY %1$s"
                .formatted(uid, table.mine(), table.rowsOnTarget()));
    List<String> wanted = new ArrayList<>();
    for (String row : found) {
      String id = row.substring(0, row.indexOf(' '));
      wanted.add(id + " " + expected.getOrDefault(id, "new"));
    }
    assertThat(found).describedAs("target-only values of %s", table.name()).isEqualTo(wanted);

    String value = random.nextInt(4) == 0 ? "none" : "written " + ++checks;
    KeysLab.rows(
            target,
            "UPDATE %s SET %s = nullif('%s', 'none') WHERE %s %% 2 = %d RETURNING %4$s"
                .formatted(table.rowsOnTarget(), table.mine(), value, uid, random.nextInt(2)))
        .forEach(id -> expected.put(id, value));
  }
}
