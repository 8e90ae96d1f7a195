package dev.sluice.engine.binlog;

import java.util.List;
import java.util.Random;

/**
 * One random statement of DDL on a table. Immutable.
 *
 * @param sql what is run
 * @param done what the table's description becomes once it has run
 */
record BinlogAlter(String sql, Runnable done) {

  static BinlogAlter of(BinlogTable table, Random random) {
    List<BinlogColumn> free = table.free();
    int kind = random.nextInt(free.isEmpty() ? 3 : 6);
    String alter = "ALTER TABLE " + table.quoted() + " ";
    if (kind == 0) {
      return new BinlogAlter("TRUNCATE TABLE " + table.quoted(), () -> {});
    }
    if (kind < 3) {
      BinlogColumn added = table.added(random);
      BinlogColumn before = pick(table.columns(), random);
      String place =
          switch (random.nextInt(3)) {
            case 0 -> "";
            case 1 -> " FIRST";
            default -> " AFTER " + before.quoted();
          };
      return new BinlogAlter(
          alter + "ADD COLUMN " + added.declaration() + place, () -> table.columns().add(added));
    }
    BinlogColumn some = pick(free, random);
    int at = table.columns().indexOf(some);
    if (kind == 3) {
      return new BinlogAlter(
          alter + "DROP COLUMN " + some.quoted(), () -> table.columns().remove(at));
    }
    if (kind == 4) {
      BinlogColumn renamed = some.renamed(table.newName());
      return new BinlogAlter(
          alter + "RENAME COLUMN " + some.quoted() + " TO " + renamed.quoted(),
          () -> table.columns().set(at, renamed));
    }
    BinlogColumn added = table.added(random);
    return new BinlogAlter(
        alter + "DROP COLUMN " + some.quoted() + ", ADD COLUMN " + added.declaration(),
        () -> table.columns().set(at, added));
  }

  private static <T> T pick(List<T> list, Random random) {
    return list.get(random.nextInt(list.size()));
  }
}
