package dev.sluice.engine.binlog;

import dev.sluice.connector.mariadb.ValueKind;
import java.util.List;
import java.util.Random;

/**
 * A column of a random table. Immutable.
 *
 * @param attributes what follows the type
 * @param values those that statements use, few enough to meet again; empty: any of the type
 * @param origin what sets its value
 */
record BinlogColumn(
    String name,
    ValueKind kind,
    String attributes,
    boolean nullable,
    List<String> values,
    Origin origin) {

  /** Where a value comes from that no statement gives. */
  enum Origin {
    STATEMENT,
    DEFAULT,
    COUNTER,
    OTHER_COLUMNS
  }

  BinlogColumn {
    values = List.copyOf(values);
  }

  static String quoted(String name) {
    return '`' + name.replace("`", "``") + '`';
  }

  String quoted() {
    return quoted(name);
  }

  String declaration() {
    return quoted() + " " + kind.type() + attributes;
  }

  /** Whether an insert may leave it out. */
  boolean optional() {
    return nullable || origin != Origin.STATEMENT;
  }

  boolean computed() {
    return origin == Origin.OTHER_COLUMNS;
  }

  boolean isInteger() {
    return kind.type().matches("(TINY|SMALL|MEDIUM|BIG)?INT( UNSIGNED)?");
  }

  boolean isShortText() {
    return kind.type().matches("(VAR)?CHAR\\([1-9].*");
  }

  /** A literal for a statement. */
  String literal(Random random) {
    if (nullable && random.nextInt(12) == 0) {
      return "NULL";
    }
    if (origin == Origin.DEFAULT && random.nextInt(12) == 0
        || origin == Origin.COUNTER && random.nextInt(3) == 0) {
      return "DEFAULT";
    }
    return values.isEmpty()
        ? kind.literal().apply(random)
        : values.get(random.nextInt(values.size()));
  }

  /** The same with a value in each statement. */
  BinlogColumn withoutCounter() {
    return new BinlogColumn(name, kind, attributes, nullable, values, Origin.STATEMENT);
  }

  BinlogColumn renamed(String newName) {
    return new BinlogColumn(newName, kind, attributes, nullable, values, origin);
  }
}
