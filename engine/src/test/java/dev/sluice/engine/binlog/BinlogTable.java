package dev.sluice.engine.binlog;

import dev.sluice.connector.mariadb.ValueKind;
import dev.sluice.connector.mariadb.ValueKinds;
import dev.sluice.engine.binlog.BinlogColumn.Origin;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A random table of MariaDB or MySQL: columns of any types, keys of one to three columns, unique
 * indexes, indexes of the beginnings of texts, foreign keys. Its columns change with the statements
 * that alter it. Owned by one thread.
 */
final class BinlogTable {
  /** Types that no index has, or only a part of their values. */
  private static final Pattern NO_KEY =
      Pattern.compile(
          ".*(TEXT|BLOB|JSON|POINT|LINESTRING|POLYGON|GEOMETRY|INVISIBLE).*|.*CHAR\\(0\\).*");

  /** Types whose defaults MySQL only takes as expressions. */
  private static final Pattern NO_DEFAULT =
      Pattern.compile(".*(TEXT|BLOB|JSON|POINT|LINESTRING|POLYGON|GEOMETRY|DEFAULT).*");

  /** Types that a statement may add without a default. */
  private static final Pattern FOLLOWED =
      Pattern.compile(
          "(TINY|SMALL|MEDIUM|BIG)?INT( UNSIGNED)?|DECIMAL.*|DOUBLE|FLOAT|BIT.*|DATE|(DATE)?TIME\\(.*|YEAR|BOOLEAN"
              + "|VARCHAR\\(\\d+\\) CHAR.*|\\w*TEXT.*|\\w*BLOB|VARBINARY.*|ENUM.*|SET.*");

  /** Those of them whose defaults older rows get for certain. */
  private static final Pattern CONSTANT =
      Pattern.compile("(TINY|SMALL|MEDIUM|BIG)?INT( UNSIGNED)?|VARCHAR.*|ENUM.*|SET.*");

  private static final Pattern BEGINNINGS =
      Pattern.compile("(TINY|MEDIUM|LONG)?(TEXT|BLOB)( CHARACTER SET .*)?");

  private final String name;
  private final BinlogNames names;
  private final List<ValueKind> kinds;
  private final boolean mysql;
  private final List<BinlogColumn> columns = new ArrayList<>();
  private final List<String> key;
  private final List<List<String>> unique = new ArrayList<>();
  private final boolean primary;
  private final List<String> references = new ArrayList<>();

  /** Indexes and foreign keys, as its definition has them. */
  private final List<String> parts = new ArrayList<>();

  /**
   * @param others of the same application, which its foreign keys may refer to
   */
  BinlogTable(String name, List<BinlogTable> others, Random random, boolean mysql) {
    this.name = name;
    this.mysql = mysql;
    this.names = new BinlogNames(random);
    this.kinds = ValueKinds.all(random, mysql);
    int width = 1 + random.nextInt(random.nextInt(3) == 0 ? 3 : 2);
    this.key = add(width, width == 1 ? 24 : 4 + random.nextInt(3), false, random);
    this.primary = random.nextInt(6) > 0;
    for (int i = random.nextInt(3); i > 0; i--) {
      unique.add(add(1 + random.nextInt(2), 40, random.nextInt(3) > 0, random));
    }
    int free = random.nextInt(random.nextInt(6) == 0 ? 30 : 8);
    for (int i = 0; i < free; i++) {
      columns.add(any(random));
    }
    if (random.nextInt(3) == 0) {
      columns.add(computed(random));
    }
    if (random.nextInt(2) == 0) {
      refer(others, random);
    }
    indexBeginnings(random);
    if (random.nextInt(2) == 0) {
      Collections.shuffle(columns, random);
    }
  }

  /** Adds columns of an index, and gives their names. */
  private List<String> add(int width, int values, boolean nullable, Random random) {
    List<String> added = new ArrayList<>();
    boolean counts = !nullable && width == 1 && random.nextInt(3) == 0 && !counts();
    for (int i = 0; i < width; i++) {
      ValueKind kind =
          kind(random, each -> counts ? isInteger(each) : !NO_KEY.matcher(each.type()).matches());
      ValueKind bare =
          new ValueKind(collated(kind.type().replace(" NULL", ""), random), kind.literal());
      Random literals = new Random(random.nextLong());
      // Of some types there are fewer.
      Set<String> pool = new LinkedHashSet<>();
      for (int tries = 0; tries < 3 * values && pool.size() < values; tries++) {
        pool.add(bare.literal().apply(literals));
      }
      columns.add(
          new BinlogColumn(
              names.next(),
              bare,
              counts ? " NOT NULL AUTO_INCREMENT" : nullable ? " NULL" : " NOT NULL",
              nullable,
              List.copyOf(pool),
              counts ? Origin.COUNTER : Origin.STATEMENT));
      added.add(columns.get(columns.size() - 1).name());
    }
    return added;
  }

  /** Adds a column whose values are keys of another table, or of this one. */
  private void refer(List<BinlogTable> others, Random random) {
    List<BinlogTable> parents =
        Stream.concat(others.stream(), Stream.of(this))
            .filter(table -> table.key.size() == 1 && table.key().get(0).isInteger())
            .toList();
    if (parents.isEmpty()) {
      return;
    }
    BinlogTable parent = parents.get(random.nextInt(parents.size()));
    BinlogColumn of = parent.key().get(0);
    List<String> values = new ArrayList<>(of.values().subList(0, Math.min(6, of.values().size())));
    if (of.origin() == Origin.COUNTER) {
      values.addAll(List.of("1", "2", "3"));
    }
    // A value that is not there is refused.
    values.addAll(Collections.nCopies(2 * values.size(), "NULL"));
    BinlogColumn column =
        new BinlogColumn(names.next(), of.kind(), " NULL", true, values, Origin.STATEMENT);
    columns.add(column);
    references.add(column.name());
    parts.add(
        "FOREIGN KEY (%s) REFERENCES %s (%s)%s"
            .formatted(column.quoted(), parent.quoted(), of.quoted(), rules(random)));
  }

  /** MariaDB does not log the rows that a foreign key changes, which a check refuses. */
  private String rules(Random random) {
    List<String> rules =
        mysql
            ? List.of("", " RESTRICT", " NO ACTION", " CASCADE", " CASCADE", " SET NULL")
            : List.of("", " RESTRICT", " NO ACTION");
    return Stream.of(" ON DELETE", " ON UPDATE")
        .map(on -> Map.entry(on, rules.get(random.nextInt(rules.size()))))
        .filter(rule -> !rule.getValue().isEmpty())
        .map(rule -> rule.getKey() + rule.getValue())
        .collect(Collectors.joining());
  }

  /** Adds indexes of the beginnings of texts and bytes; some of them are unique. */
  private void indexBeginnings(Random random) {
    for (BinlogColumn column : columns) {
      if (BEGINNINGS.matcher(column.kind().type()).matches() && random.nextInt(3) == 0) {
        parts.add(
            "%sKEY `p%d` (%s(%d))"
                .formatted(
                    random.nextInt(4) == 0 ? "UNIQUE " : "",
                    parts.size(),
                    column.quoted(),
                    1 + random.nextInt(12)));
      }
    }
  }

  private boolean counts() {
    return columns.stream().anyMatch(column -> column.origin() == Origin.COUNTER);
  }

  private static boolean isInteger(ValueKind kind) {
    return kind.type().matches("(SMALL|MEDIUM|BIG)?INT( UNSIGNED)?");
  }

  private ValueKind kind(Random random, Predicate<ValueKind> allowed) {
    List<ValueKind> possible = kinds.stream().filter(allowed).toList();
    return possible.get(random.nextInt(possible.size()));
  }

  /** A text may be compared by its bytes, or with the trailing spaces. */
  private String collated(String type, Random random) {
    int at = type.indexOf("CHARACTER SET ");
    if (at < 0 || type.startsWith("ENUM") || type.startsWith("SET")) {
      return type;
    }
    String set = type.substring(at + "CHARACTER SET ".length());
    return switch (random.nextInt(mysql ? 2 : 3)) {
      case 0 -> type;
      case 1 -> type + " COLLATE " + set + "_bin";
      default -> type + " COLLATE " + set + "_nopad_bin";
    };
  }

  /** A column that a statement adds; most are followed. */
  BinlogColumn added(Random random) {
    if (random.nextInt(10) == 0) {
      return any(random);
    }
    ValueKind kind = kind(random, each -> FOLLOWED.matcher(each.type()).matches());
    boolean constant = CONSTANT.matcher(kind.type()).matches() && random.nextBoolean();
    return new BinlogColumn(
        names.next(),
        kind,
        constant ? " NOT NULL DEFAULT " + constant(kind, random) : "",
        !constant,
        List.of(),
        constant ? Origin.DEFAULT : Origin.STATEMENT);
  }

  /** A column that is in no index. */
  BinlogColumn any(Random random) {
    if (random.nextInt(12) == 0) {
      int digits = random.nextInt(7);
      String now = "current_timestamp(" + digits + ")";
      return new BinlogColumn(
          names.next(),
          kind(random, each -> each.type().equals("DATETIME(" + digits + ")")),
          " DEFAULT " + now + (random.nextBoolean() ? " ON UPDATE " + now : ""),
          true,
          List.of(),
          Origin.DEFAULT);
    }
    ValueKind kind = kind(random, each -> true);
    boolean nullable =
        kind.type().endsWith(" NULL") || random.nextInt(3) > 0 && !kind.type().contains("DEFAULT");
    String attributes = nullable ? " NULL" : " NOT NULL";
    ValueKind bare = new ValueKind(kind.type().replace(" NULL", ""), kind.literal());
    Origin origin = kind.type().contains("DEFAULT") ? Origin.DEFAULT : Origin.STATEMENT;
    if (!NO_DEFAULT.matcher(kind.type()).matches() && random.nextInt(3) == 0) {
      attributes += " DEFAULT " + constant(bare, random);
      origin = Origin.DEFAULT;
    }
    return new BinlogColumn(names.next(), bare, attributes, nullable, List.of(), origin);
  }

  /** The number of a label is no default. */
  private static String constant(ValueKind kind, Random random) {
    if (kind.type().startsWith("ENUM('a'")) {
      return "'it''s'";
    }
    if (kind.type().startsWith("ENUM('c")) {
      return "' unsigned'";
    }
    return kind.type().startsWith("ENUM") || kind.type().startsWith("SET")
        ? "'" + labels(kind.type()).get(0) + "'"
        : kind.literal().apply(random);
  }

  private static List<String> labels(String type) {
    return List.of(type.replaceAll("^[^']*'", "").split("'", 2)[0]);
  }

  private BinlogColumn computed(Random random) {
    BinlogColumn from = columns.get(random.nextInt(columns.size()));
    // A counter has no value yet where others are computed.
    String expression =
        from.isInteger() && from.origin() != Origin.COUNTER
            ? "concat('<', " + from.quoted() + ", '>')"
            : "concat('<', 'none', '>')";
    return new BinlogColumn(
        names.next(),
        new ValueKind("VARCHAR(30)", any -> "DEFAULT"),
        " AS (" + expression + ") " + (random.nextBoolean() ? "STORED" : "VIRTUAL"),
        true,
        List.of(),
        Origin.OTHER_COLUMNS);
  }

  String name() {
    return name;
  }

  String quoted() {
    return BinlogColumn.quoted(name);
  }

  String newName() {
    return names.next();
  }

  List<BinlogColumn> columns() {
    return columns;
  }

  /** The columns that statements may set. */
  List<BinlogColumn> written() {
    return columns.stream().filter(column -> !column.computed()).toList();
  }

  /** The columns by which rows are found. */
  List<BinlogColumn> key() {
    return named(key);
  }

  /** The columns of each other unique index. */
  List<List<BinlogColumn>> unique() {
    return unique.stream().map(this::named).toList();
  }

  /** Those that are in no index, and from which none is computed. */
  List<BinlogColumn> free() {
    return written().stream()
        .filter(
            column ->
                !key.contains(column.name())
                    && !references.contains(column.name())
                    && unique.stream().noneMatch(index -> index.contains(column.name()))
                    && columns.stream()
                        .noneMatch(
                            other ->
                                other.computed() && other.attributes().contains(column.quoted())))
        .toList();
  }

  private List<BinlogColumn> named(List<String> chosen) {
    return chosen.stream()
        .map(
            each ->
                columns.stream()
                    .filter(column -> column.name().equals(each))
                    .findFirst()
                    .orElseThrow())
        .toList();
  }

  String create(Random random) {
    List<String> all =
        columns.stream()
            .map(BinlogColumn::declaration)
            .collect(Collectors.toCollection(ArrayList::new));
    all.add((primary ? "PRIMARY KEY" : "UNIQUE KEY `the key`") + list(key));
    IntStream.range(0, unique.size())
        .forEach(i -> all.add("UNIQUE KEY `u" + i + "`" + list(unique.get(i))));
    all.addAll(parts);
    String set = random.nextInt(6) == 0 ? "latin1" : random.nextInt(6) == 0 ? "utf8mb3" : "utf8mb4";
    return "CREATE TABLE %s (%s) CHARACTER SET %s".formatted(quoted(), String.join(", ", all), set);
  }

  private static String list(List<String> names) {
    return names.stream().map(BinlogColumn::quoted).collect(Collectors.joining(", ", " (", ")"));
  }

  @Override
  public String toString() {
    return name;
  }
}
