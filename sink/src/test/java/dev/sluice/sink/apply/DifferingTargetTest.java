package dev.sluice.sink.apply;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.settings.ErrorAction;
import dev.sluice.config.settings.ErrorBehavior;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.embedded.postgres.PostgresVersion;
import dev.sluice.sink.Tunings;
import dev.sluice.sink.apply.plan.ApplySettings;
import dev.sluice.sink.window.ClosedWindow;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Random transactions on a target that differs from the source at random. An oracle replays the
 * changes one by one in memory: each listed exception must be impossible at its position, and the
 * other changes must result in exactly the target's rows.
 */
class DifferingTargetTest {
  private static final RowSchema ITEM =
      TargetLab.schema("item", "*id int", "code int", "name text");
  private static final TaskSettings LOGGING =
      TaskSettings.DEFAULTS
          .with(ErrorBehavior.DATA_ERROR_POLICY, ErrorAction.LOG_ERROR)
          .with(ErrorBehavior.DATA_TRUNCATION_ERROR_POLICY, ErrorAction.IGNORE_RECORD)
          .with(ErrorBehavior.APPLY_ERROR_INSERT_POLICY, ErrorAction.LOG_ERROR)
          .with(ErrorBehavior.APPLY_ERROR_UPDATE_POLICY, ErrorAction.LOG_ERROR)
          .with(ErrorBehavior.APPLY_ERROR_DELETE_POLICY, ErrorAction.IGNORE_RECORD);
  private static final int IDS = 12;
  private static final int LONGEST_NAME = 6;
  private static final List<String> NAMES = List.of("a", "b", "bad", "rather long");

  private record Item(Integer code, String name) {}

  /** A change with its position, as in the exceptions table. */
  private record Placed(String place, RowChange change) {}

  @Test
  void theExceptionsTableListsExactlyTheChangesThatCannotBeApplied() throws SQLException {
    try (TargetLab lab = TargetLab.on(PostgresVersion.NEWEST)) {
      lab.run(
          "CREATE TABLE dst.item (id int PRIMARY KEY, code int UNIQUE,"
              + " name varchar("
              + LONGEST_NAME
              + ") CHECK (name <> 'bad'))");
      int named = 0;
      for (int seed = 1; seed <= 40; seed++) {
        named += tryOne(lab, seed);
      }
      assertThat(named).as("changes that could not be applied").isGreaterThan(200);
    }
  }

  private static int tryOne(TargetLab lab, int seed) throws SQLException {
    Random random = new Random(seed);
    lab.run("TRUNCATE dst.item", "TRUNCATE sluice_control.sluice_apply_exceptions");
    TreeMap<Integer, Item> source = new TreeMap<>();
    TreeMap<Integer, Item> model = new TreeMap<>();
    begin(random, source, model);
    Set<Integer> differing = differing(source, model);
    for (Map.Entry<Integer, Item> each : model.entrySet()) {
      lab.run(
          "INSERT INTO dst.item VALUES (%d, %s, '%s')"
              .formatted(each.getKey(), each.getValue().code(), each.getValue().name()));
    }
    List<Placed> all = new ArrayList<>();
    lab.tune(Tunings.splitting(1 + random.nextInt(5)));
    try (BatchApplier applier =
        lab.applier(lab.server(), lab.store().claim("task"), new ApplySettings(LOGGING))) {
      for (int window = 0; window < 4; window++) {
        applier.apply(window(lab, random, source, all));
      }
    }
    Set<String> left =
        new HashSet<>(
            lab.rows(
                "SELECT position || '#' || change_number"
                    + " FROM sluice_control.sluice_apply_exceptions"));
    assertThat(left)
        .hasSize(
            Integer.parseInt(
                lab.rows("SELECT count(*) FROM sluice_control.sluice_apply_exceptions").get(0)));
    replay(seed, all, left, model, differing);
    assertThat(lab.rows("SELECT id, code, name FROM dst.item ORDER BY id"))
        .as("seed %d", seed)
        .isEqualTo(lines(model));
    TreeMap<Integer, Item> mine = new TreeMap<>(source);
    TreeMap<Integer, Item> theirs = new TreeMap<>(model);
    mine.keySet().removeAll(differing);
    theirs.keySet().removeAll(differing);
    assertThat(theirs).as("rows that differ and are not named, seed %d", seed).isEqualTo(mine);
    return left.size();
  }

  private static void begin(Random random, Map<Integer, Item> source, Map<Integer, Item> target) {
    List<Integer> codes = new ArrayList<>();
    for (int id = 0; id < IDS; id++) {
      Item item = new Item(freeCode(random, source, id), NAMES.get(random.nextInt(2)));
      if (random.nextInt(3) > 0) {
        source.put(id, item);
      }
      int difference = random.nextInt(6);
      if (difference == 0) {
        item = new Item(freeCode(random, target, id), "foreign".substring(0, LONGEST_NAME));
      } else if (difference == 1 || difference > 1 && !source.containsKey(id)) {
        continue;
      }
      if (item.code() == null || !codes.contains(item.code())) {
        target.put(id, item);
        codes.add(item.code());
      }
    }
  }

  private static Set<Integer> differing(Map<Integer, Item> source, Map<Integer, Item> target) {
    Set<Integer> differing = new HashSet<>();
    for (int id = 0; id < IDS; id++) {
      Item item = source.get(id);
      if (item == null ? target.containsKey(id) : !item.equals(target.get(id))) {
        differing.add(id);
      }
    }
    return differing;
  }

  private static ClosedWindow window(
      TargetLab lab, Random random, TreeMap<Integer, Item> source, List<Placed> all) {
    List<List<ChangeEvent>> transactions = new ArrayList<>();
    // What came in the same window and goes again never reaches the target, nor a conflict with it.
    Set<Integer> fresh = new HashSet<>();
    long position = lab.position().low();
    int count = 1 + random.nextInt(4);
    for (int i = 0; i < count; i++) {
      List<ChangeEvent> changes = new ArrayList<>();
      position += 0x10;
      int steps = 1 + random.nextInt(8);
      for (int step = 0; step < steps; step++) {
        RowChange change = change(random, source, fresh);
        if (change != null) {
          changes.add(change);
          all.add(new Placed(new Position(position) + "#" + changes.size(), change));
        }
      }
      transactions.add(changes);
    }
    return lab.windowOf(transactions);
  }

  /** A random change that the source accepts; null for none. */
  private static RowChange change(
      Random random, TreeMap<Integer, Item> source, Set<Integer> fresh) {
    int id = random.nextInt(IDS);
    Item item = source.get(id);
    if (item == null) {
      Item put = new Item(freeCode(random, source, id), name(random));
      source.put(id, put);
      fresh.add(id);
      return new RowChange(ITEM, null, row(id, put, false));
    }
    if (random.nextInt(4) == 0) {
      if (fresh.contains(id)) {
        return null;
      }
      source.remove(id);
      return new RowChange(ITEM, match(id), null);
    }
    int newId = random.nextInt(5) == 0 ? random.nextInt(IDS) : id;
    if (newId != id && (source.containsKey(newId) || fresh.contains(id))) {
      return null;
    }
    boolean keepsName = random.nextBoolean();
    Item put =
        new Item(
            random.nextBoolean() ? item.code() : freeCode(random, source, id),
            keepsName ? item.name() : name(random));
    source.remove(id);
    source.put(newId, put);
    if (newId != id) {
      fresh.add(newId);
    }
    return new RowChange(ITEM, match(id), row(newId, put, keepsName));
  }

  private static void replay(
      int seed,
      List<Placed> all,
      Set<String> left,
      TreeMap<Integer, Item> model,
      Set<Integer> differing) {
    Set<String> unknown = new HashSet<>(left);
    for (Placed placed : all) {
      RowChange change = placed.change();
      unknown.remove(placed.place());
      Integer match = change.match() == null ? null : Integer.valueOf(change.match().text(0));
      Integer id = change.row() == null ? null : Integer.valueOf(change.row().text(0));
      if (left.contains(placed.place())) {
        assertThat(isPossible(change, match, id, model))
            .as("%s was left out, seed %d", placed, seed)
            .isFalse();
        if (match != null) {
          differing.add(match);
        }
        if (id != null) {
          differing.add(id);
        }
        continue;
      }
      if (match != null) {
        assertThat(model).as("%s was applied, seed %d", placed, seed).containsKey(match);
      }
      Item before = match == null ? null : model.remove(match);
      if (id != null) {
        assertThat(model).as("%s was applied, seed %d", placed, seed).doesNotContainKey(id);
        if (differing.contains(match) && change.row().isUnchanged(2)) {
          differing.add(id);
        }
        model.put(id, itemOf(change.row(), before));
      }
    }
    assertThat(unknown).as("named, but no change, seed %d", seed).isEmpty();
  }

  private static boolean isPossible(
      RowChange change, Integer match, Integer id, Map<Integer, Item> model) {
    if (match != null && !model.containsKey(match)) {
      return false;
    }
    if (id == null) {
      return true;
    }
    Map<Integer, Item> others = new HashMap<>(model);
    Item before = match == null ? null : others.remove(match);
    Item item = itemOf(change.row(), before);
    return !others.containsKey(id)
        && (item.code() == null
            || others.values().stream().noneMatch(other -> item.code().equals(other.code())))
        && item.name().length() <= LONGEST_NAME
        && !item.name().equals("bad");
  }

  private static Item itemOf(Row row, Item before) {
    String code = row.text(1);
    return new Item(
        code == null ? null : Integer.valueOf(code),
        row.isUnchanged(2) ? before.name() : row.text(2));
  }

  private static Integer freeCode(Random random, Map<Integer, Item> items, int id) {
    int code = random.nextInt(IDS);
    boolean taken =
        items.entrySet().stream()
            .anyMatch(
                each ->
                    each.getKey() != id && Integer.valueOf(code).equals(each.getValue().code()));
    return taken ? null : Integer.valueOf(code);
  }

  private static String name(Random random) {
    return random.nextInt(8) == 0 ? NAMES.get(2 + random.nextInt(2)) : NAMES.get(random.nextInt(2));
  }

  private static Row match(int id) {
    return RowBuilder.rowOf("" + id);
  }

  private static Row row(int id, Item item, boolean keepsName) {
    RowBuilder row = new RowBuilder(32).add("" + id);
    row.add(item.code() == null ? null : item.code().toString());
    return keepsName ? row.addUnchanged().build() : row.add(item.name()).build();
  }

  private static List<String> lines(TreeMap<Integer, Item> items) {
    return items.entrySet().stream()
        .map(each -> each.getKey() + "|" + each.getValue().code() + "|" + each.getValue().name())
        .toList();
  }
}
