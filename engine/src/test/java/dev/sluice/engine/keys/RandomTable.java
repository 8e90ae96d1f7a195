package dev.sluice.engine.keys;

import dev.sluice.config.TableId;
import dev.sluice.embedded.postgres.PostgresVersion;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * A table made up at random: its columns, key, indexes, constraints and partitions, and what is
 * different about it on the target. Immutable once made.
 */
final class RandomTable {

  /** How the log tells which row a change means. */
  enum Identity {
    PRIMARY_KEY,
    PRIMARY_KEY_AND_FULL,
    INDEX,
    /** No key, or one that is checked too late to be one. */
    FULL;

    boolean hasPrimaryKey() {
      return this == PRIMARY_KEY || this == PRIMARY_KEY_AND_FULL;
    }
  }

  private static final String MINE = "mine of the target";

  private final PostgresVersion version;
  private final TableId id;
  private final Map<ColumnKind, String> columns = new LinkedHashMap<>();
  private final Map<String, String> generated = new LinkedHashMap<>();
  private final List<ColumnKind> key;
  private final Identity identity;
  private final boolean tracked;
  private final boolean partitioned;
  private boolean partitionedOnTarget;
  private final RandomTable parent;
  private final List<String> source = new ArrayList<>();
  private final List<String> target = new ArrayList<>();

  /**
   * @param version of both servers
   * @param number of the table in its schema
   * @param earlier tables it may refer to
   */
  RandomTable(
      PostgresVersion version,
      String schema,
      int number,
      Random random,
      List<RandomTable> earlier) {
    this.version = version;
    this.id = new TableId(schema, tableName(number, random));
    RandomTable candidate = earlier.isEmpty() ? null : earlier.get(random.nextInt(earlier.size()));
    this.parent =
        candidate != null && !candidate.partitioned && random.nextInt(6) == 0 ? candidate : null;
    if (parent != null) {
      columns.putAll(parent.columns);
      generated.putAll(parent.generated);
      this.key = parent.key;
      this.tracked = parent.tracked;
      this.partitioned = false;
    } else {
      this.key = key(random);
      this.partitioned = key.contains(ColumnKind.B) && random.nextBoolean();
      // The log tells a move between partitions as the end of one row and the birth of another.
      this.tracked = !partitioned && random.nextInt(3) == 0;
    }
    // PostgreSQL refuses updates of a published table whose whole rows have generated columns.
    this.identity = partitioned || !generated.isEmpty() ? Identity.PRIMARY_KEY : identity(random);
    if (parent == null) {
      chooseColumns(random);
    }
    define(random, earlier);
  }

  private static String tableName(int number, Random random) {
    return switch (random.nextInt(6)) {
      case 0 -> "Täble \"" + number + "\" of. 'all'; 表" + number;
      case 1 -> "t" + number + "_" + "n".repeat(60);
      default -> "t" + number;
    };
  }

  private static List<ColumnKind> key(Random random) {
    return switch (random.nextInt(18)) {
      case 0, 1, 2 -> List.of(ColumnKind.B, ColumnKind.ID);
      case 3 -> List.of(ColumnKind.NUMERIC);
      case 4 -> List.of(ColumnKind.FLOAT);
      case 5 -> List.of(ColumnKind.PADDED);
      case 6 -> List.of(ColumnKind.TIME, ColumnKind.A);
      case 7 -> List.of(ColumnKind.ARRAY);
      case 8 -> List.of(ColumnKind.FOLDED);
      case 9 -> List.of(ColumnKind.CITEXT);
      case 10 -> List.of(ColumnKind.DOMAIN);
      case 11 -> List.of(ColumnKind.PAIR);
      case 12 -> List.of(ColumnKind.ID, ColumnKind.RANGE);
      default -> List.of(ColumnKind.ID);
    };
  }

  private static Identity identity(Random random) {
    return switch (random.nextInt(8)) {
      case 0 -> Identity.PRIMARY_KEY_AND_FULL;
      case 1 -> Identity.INDEX;
      case 2, 3 -> Identity.FULL;
      default -> Identity.PRIMARY_KEY;
    };
  }

  private void chooseColumns(Random random) {
    List<ColumnKind> kinds =
        new ArrayList<>(
            List.of(ColumnKind.ID, ColumnKind.A, ColumnKind.B, ColumnKind.C, ColumnKind.D));
    if (tracked) {
      kinds.add(ColumnKind.UID);
    }
    for (ColumnKind kind : ColumnKind.values()) {
      if (key.contains(kind) || kind != ColumnKind.UID && random.nextInt(5) == 0) {
        kinds.add(kind);
      }
    }
    Collections.shuffle(kinds, random);
    // Debezium cannot read a unique index on such a column, and does so where there is no primary
    // key.
    char quoteMark = identity.hasPrimaryKey() ? '"' : '_';
    for (ColumnKind kind : kinds) {
      columns.put(kind, columnName(kind, random).replace('"', quoteMark));
    }
  }

  private static String columnName(ColumnKind kind, Random random) {
    String plain = kind.name().toLowerCase(java.util.Locale.ROOT);
    return switch (random.nextInt(10)) {
      case 0 -> plain + " \"é" + "x".repeat(63 - 4 - plain.length());
      case 1 -> "列 " + plain + "; '$1 ?";
      default -> plain;
    };
  }

  private void define(Random random, List<RandomTable> earlier) {
    if (parent == null && identity == Identity.PRIMARY_KEY && random.nextInt(4) == 0) {
      generated.put("g", "GENERATED ALWAYS AS (%s * 10 + %s) STORED".formatted(a(), b()));
      if (version == PostgresVersion.NEWEST && random.nextBoolean()) {
        generated.put("v", "GENERATED ALWAYS AS (lower(%s)) VIRTUAL".formatted(d()));
      }
    }
    String identityColumn =
        parent == null && key.contains(ColumnKind.ID)
            ? switch (random.nextInt(6)) {
              case 0 -> " GENERATED ALWAYS AS IDENTITY";
              case 1 -> " GENERATED BY DEFAULT AS IDENTITY";
              default -> "";
            }
            : "";
    createSource(identityColumn, random);
    createTarget(identityColumn, random);
    addKey(random);
    if (random.nextInt(4) == 0) {
      target.add(
          random.nextBoolean()
              ? "CREATE TRIGGER refuse BEFORE INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW EXECUTE FUNCTION public.refuse()"
                  .formatted(name())
              : "CREATE RULE ignore AS ON UPDATE TO %s DO INSTEAD NOTHING".formatted(name()));
    }
    int constraints = random.nextInt(4);
    for (int i = 0; i < constraints; i++) {
      String constraint = partitioned ? partitionedConstraint(random) : constraint(random);
      source.add(constraint);
      if (partitioned == partitionedOnTarget && random.nextInt(8) > 0) {
        target.add(constraint);
      }
    }
    if (columns.containsKey(ColumnKind.REFERENCE)) {
      foreignKey(random, earlier);
    }
    if (random.nextInt(4) == 0) {
      String storage = "ALTER TABLE %s ALTER %s SET STORAGE EXTERNAL".formatted(name(), c());
      source.add(storage);
    }
  }

  private void createSource(String identityColumn, Random random) {
    boolean dropped = parent == null && random.nextInt(4) == 0;
    List<String> definitions = new ArrayList<>();
    if (parent == null) {
      if (dropped) {
        definitions.add("gone text DEFAULT 'gone'");
      }
      columns.forEach((kind, name) -> definitions.add(definition(kind, identityColumn)));
      generated.forEach((name, how) -> definitions.add(generatedDefinition(name, how)));
    }
    source.add(
        "CREATE TABLE %s (%s)%s%s"
            .formatted(
                name(),
                String.join(", ", definitions),
                parent == null ? "" : " INHERITS (" + parent.name() + ")",
                partitioned ? " PARTITION BY RANGE (" + b() + ")" : ""));
    if (dropped) {
      source.add("ALTER TABLE %s DROP COLUMN gone".formatted(name()));
    }
    if (partitioned) {
      source.addAll(rangePartitions(random));
    }
  }

  /* Columns in another order, some more, some dropped, partitions of another kind or none. */
  private void createTarget(String identityColumn, Random random) {
    List<String> definitions = new ArrayList<>();
    columns.forEach((kind, name) -> definitions.add(definition(kind, identityColumn)));
    generated.forEach((name, how) -> definitions.add(generatedDefinition(name, how)));
    if (tracked) {
      definitions.add(TableId.quote(MINE) + " text DEFAULT 'new'");
    }
    if (random.nextInt(3) == 0) {
      definitions.add("more int, never text NOT NULL DEFAULT 'x'");
    }
    definitions.add("gone int");
    Collections.shuffle(definitions, random);
    boolean inherits = parent != null && !parent.partitionedOnTarget && random.nextBoolean();
    String partitions =
        key.contains(ColumnKind.B) && parent == null && identityColumn.isEmpty()
            ? switch (random.nextInt(3)) {
              case 0 -> " PARTITION BY RANGE (" + b() + ")";
              case 1 -> " PARTITION BY HASH (" + columnOf(ColumnKind.ID) + ")";
              default -> "";
            }
            : "";
    partitionedOnTarget = !partitions.isEmpty();
    target.add(
        "CREATE TABLE %s (%s)%s%s"
            .formatted(
                name(),
                inherits ? "" : String.join(", ", definitions),
                inherits ? " INHERITS (" + parent.name() + ")" : "",
                partitions));
    if (!inherits) {
      target.add("ALTER TABLE %s DROP COLUMN gone".formatted(name()));
    }
    if (partitions.contains("RANGE")) {
      target.addAll(rangePartitions(random));
    } else if (partitions.contains("HASH")) {
      for (int i = 0; i < 2; i++) {
        target.add(
            "CREATE TABLE %s PARTITION OF %s FOR VALUES WITH (MODULUS 2, REMAINDER %d)"
                .formatted(partition(i), name(), i));
      }
    }
  }

  private List<String> rangePartitions(Random random) {
    int middle = 1 + random.nextInt(3);
    return List.of(
        "CREATE TABLE %s PARTITION OF %s FOR VALUES FROM (MINVALUE) TO (%d)"
            .formatted(partition(0), name(), middle),
        identity != Identity.FULL && random.nextBoolean()
            ? "CREATE TABLE %s PARTITION OF %s FOR VALUES FROM (%d) TO (MAXVALUE)"
                .formatted(partition(1), name(), middle)
            : "CREATE TABLE %s PARTITION OF %s DEFAULT".formatted(partition(1), name()));
  }

  private void addKey(Random random) {
    String keyed = keyColumns();
    if (version == PostgresVersion.NEWEST
        && key.contains(ColumnKind.RANGE)
        && identity.hasPrimaryKey()) {
      keyed += " WITHOUT OVERLAPS";
    }
    switch (identity) {
      case PRIMARY_KEY -> both("ALTER TABLE %s ADD PRIMARY KEY (%s)".formatted(name(), keyed));
      case PRIMARY_KEY_AND_FULL -> {
        both("ALTER TABLE %s ADD PRIMARY KEY (%s)".formatted(name(), keyed));
        source.add("ALTER TABLE %s REPLICA IDENTITY FULL".formatted(name()));
      }
      case INDEX -> {
        for (ColumnKind kind : key) {
          both("ALTER TABLE %s ALTER %s SET NOT NULL".formatted(name(), columnOf(kind)));
        }
        String index = "\"I x " + Integer.toHexString(name().hashCode()) + "\"";
        both("CREATE UNIQUE INDEX %s ON %s (%s)".formatted(index, name(), keyed));
        source.add("ALTER TABLE %s REPLICA IDENTITY USING INDEX %s".formatted(name(), index));
      }
      case FULL -> {
        if (random.nextInt(3) == 0) {
          both("ALTER TABLE %s ADD PRIMARY KEY (%s) DEFERRABLE".formatted(name(), keyed));
        }
        source.add("ALTER TABLE %s REPLICA IDENTITY FULL".formatted(name()));
      }
    }
  }

  private void both(String statement) {
    source.add(statement);
    target.add(statement);
  }

  private String constraint(Random random) {
    String deferrable =
        switch (random.nextInt(4)) {
          case 0 -> " DEFERRABLE INITIALLY DEFERRED";
          case 1 -> " DEFERRABLE";
          default -> "";
        };
    return switch (random.nextInt(14)) {
      case 0 -> add("UNIQUE (" + a() + ")" + deferrable);
      case 1 -> add("UNIQUE (%s, %s)%s".formatted(a(), b(), deferrable));
      case 2 -> add("UNIQUE NULLS NOT DISTINCT (%s, %s)%s".formatted(a(), b(), deferrable));
      case 3 -> add("UNIQUE (%s) INCLUDE (%s)%s".formatted(a(), d(), deferrable));
      case 4 -> index("(%s) WHERE %s > 2".formatted(a(), b()));
      case 5 -> index("(lower(%s), (%s + %s))".formatted(d(), a(), b()));
      case 6 -> index("(md5(%s))".formatted(c()));
      case 7 -> index("(%s) WHERE %s IS NOT NULL".formatted(a(), TableId.quote(id.name())));
      case 8, 9 ->
          add(
              "EXCLUDE USING gist (int4range(%1$s, %1$s + 2) WITH &&) WHERE (%1$s IS NOT NULL)%2$s"
                  .formatted(a(), deferrable));
      case 10 ->
          add("EXCLUDE USING btree (%s WITH =, %s WITH =)%s".formatted(b(), d(), deferrable));
      case 11 ->
          columns.containsKey(ColumnKind.RANGE)
              ? add(
                  "EXCLUDE USING gist (%s WITH &&)%s"
                      .formatted(columnOf(ColumnKind.RANGE), deferrable))
              : index("(%s DESC) INCLUDE (%s)".formatted(b(), a()));
      case 12 ->
          columns.containsKey(ColumnKind.BOX)
              ? add(
                  "EXCLUDE USING gist (%s WITH &&)%s"
                      .formatted(columnOf(ColumnKind.BOX), deferrable))
              : index("(%s, (%s IS NULL))".formatted(b(), d()));
      default ->
          generated.containsKey("g")
              ? add("UNIQUE (g)" + deferrable)
              : index("(coalesce(%s, -1), coalesce(%s, -1))".formatted(a(), b()));
    };
  }

  /* On every side the partition key is among the columns, which PostgreSQL asks for. */
  private String partitionedConstraint(Random random) {
    String all = "%s, %s, ".formatted(b(), columnOf(ColumnKind.ID));
    return switch (random.nextInt(3)) {
      case 0 -> add("UNIQUE (%s%s)".formatted(all, a()));
      case 1 -> index("(%s%s) WHERE %s > 2".formatted(all, d(), a()));
      default -> add("UNIQUE (%s%s) DEFERRABLE INITIALLY DEFERRED".formatted(all, d()));
    };
  }

  private String add(String constraint) {
    return "ALTER TABLE %s ADD %s".formatted(name(), constraint);
  }

  private String index(String what) {
    return "CREATE UNIQUE INDEX ON %s %s".formatted(name(), what);
  }

  private void foreignKey(Random random, List<RandomTable> earlier) {
    List<RandomTable> referable = new ArrayList<>(earlier);
    referable.add(this);
    referable.removeIf(
        table -> !table.key.equals(List.of(ColumnKind.ID)) || !table.identity.hasPrimaryKey());
    if (referable.isEmpty()) {
      return;
    }
    RandomTable referred = referable.get(random.nextInt(referable.size()));
    String[] actions = {"CASCADE", "SET NULL", "NO ACTION", "RESTRICT", "CASCADE"};
    String[] deferrable = {"", " DEFERRABLE", " DEFERRABLE INITIALLY DEFERRED"};
    both(
        add(
            "FOREIGN KEY (%s) REFERENCES %s (%s) ON DELETE %s ON UPDATE %s%s"
                .formatted(
                    columnOf(ColumnKind.REFERENCE),
                    referred.name(),
                    referred.columnOf(ColumnKind.ID),
                    actions[random.nextInt(actions.length)],
                    actions[random.nextInt(actions.length)],
                    deferrable[random.nextInt(deferrable.length)])));
  }

  private String definition(ColumnKind kind, String identityColumn) {
    return columnOf(kind) + " " + kind.type() + (kind == ColumnKind.ID ? identityColumn : "");
  }

  private static String generatedDefinition(String name, String how) {
    return name + (name.equals("g") ? " int " : " text ") + how;
  }

  private String keyColumns() {
    return key.stream().map(this::columnOf).collect(Collectors.joining(", "));
  }

  private String partition(int number) {
    return new TableId(id.schema(), "p%d_%08x".formatted(number, id.name().hashCode())).quoted();
  }

  TableId id() {
    return id;
  }

  /** As SQL. */
  String name() {
    return id.quoted();
  }

  /** Its own rows as SQL: without those of tables that inherit from it. */
  String rows() {
    return partitioned ? name() : "ONLY " + name();
  }

  String rowsOnTarget() {
    return partitionedOnTarget ? name() : "ONLY " + name();
  }

  boolean isTracked() {
    return tracked;
  }

  String mine() {
    return TableId.quote(MINE);
  }

  List<ColumnKind> kinds() {
    return List.copyOf(columns.keySet());
  }

  List<ColumnKind> key() {
    return key;
  }

  boolean isPartitioned() {
    return partitioned;
  }

  String aPartition(Random random) {
    return partition(random.nextInt(2));
  }

  /** The column's name as SQL. */
  String columnOf(ColumnKind kind) {
    return TableId.quote(columns.get(kind));
  }

  /** All columns that the source has, as SQL. */
  String allColumns() {
    List<String> all = new ArrayList<>(columns.keySet().stream().map(this::columnOf).toList());
    all.addAll(generated.keySet());
    return String.join(", ", all);
  }

  List<String> sourceStatements() {
    return source;
  }

  List<String> targetStatements() {
    return target;
  }

  private String a() {
    return columnOf(ColumnKind.A);
  }

  private String b() {
    return columnOf(ColumnKind.B);
  }

  private String c() {
    return columnOf(ColumnKind.C);
  }

  private String d() {
    return columnOf(ColumnKind.D);
  }

  @Override
  public String toString() {
    return "source:\n  %s\ntarget:\n  %s"
        .formatted(String.join(";\n  ", source), String.join(";\n  ", target));
  }
}
