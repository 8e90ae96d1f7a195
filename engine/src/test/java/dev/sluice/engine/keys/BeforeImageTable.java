package dev.sluice.engine.keys;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.TableMappings;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * A table of the source with a key, the one that rules make of it on the target, and one beside the
 * source in which a trigger keeps what each row was before its last update.
 */
final class BeforeImageTable {

  /** Large enough to be stored outside of the row, and left out of the log where unchanged. */
  private static final int LARGE = 5_000;

  private final String schema;
  private final String prefix;
  private final String suffix;
  private final String filter;
  private final boolean wholeRows;
  private final boolean unique;
  private final boolean renames;
  private final boolean widens;
  private final List<Column> columns = new ArrayList<>();

  /**
   * @param large whether the filter non-lob leaves it out
   * @param carried whether the target has it
   */
  private record Column(String name, String type, boolean key, boolean large, boolean carried) {}

  BeforeImageTable(String schema, Random random) {
    this.schema = schema;
    this.filter = List.of("pk-only", "non-lob", "all", "all").get(random.nextInt(4));
    this.prefix = random.nextInt(3) == 0 ? "" : "BI ";
    this.suffix = prefix.isEmpty() || random.nextInt(3) == 0 ? "_was" : "";
    this.wholeRows = !filter.equals("pk-only") || random.nextInt(3) == 0;
    this.unique = random.nextInt(3) == 0;
    this.renames = random.nextBoolean();
    this.widens = random.nextBoolean();
    boolean wideKey = random.nextInt(3) == 0;
    List<Column> all =
        new ArrayList<>(
            List.of(
                new Column("k", "int", true, false, true),
                new Column("n", "int", false, false, true),
                new Column("s", "varchar(30)", false, false, true),
                new Column("t", "text", false, true, true),
                new Column("b", "bytea", false, true, true),
                new Column("gone", "text", false, true, false)));
    if (wideKey) {
      all.add(new Column("k2", "text", true, true, true));
    }
    Collections.shuffle(all, random);
    columns.addAll(all);
  }

  TableId id() {
    return new TableId(schema, "t");
  }

  String source() {
    return id().quoted();
  }

  String onTarget() {
    return id().quoted();
  }

  String beside() {
    return new TableId(schema + " beside", "t").quoted();
  }

  boolean wantsOldRows() {
    return !filter.equals("pk-only");
  }

  TableMappings mappings() {
    List<String> rules = new ArrayList<>();
    rules.add(
        """
        {"rule-type": "selection", "rule-id": "1", "rule-action": "include",
         "object-locator": {"schema-name": "%", "table-name": "%"}}""");
    rules.add(
        rule(
            2,
            "add-before-image-columns",
            "",
            ", \"before-image-def\": {\"column-prefix\": \"%s\", \"column-suffix\": \"%s\", \"column-filter\": \"%s\"}"
                .formatted(prefix, suffix, filter)));
    rules.add(rule(3, "remove-column", ", \"column-name\": \"gone\"", ""));
    if (renames) {
      rules.add(rule(4, "rename", ", \"column-name\": \"n\"", ", \"value\": \"m\""));
    }
    if (widens) {
      rules.add(
          rule(
              5,
              "change-data-type",
              ", \"column-name\": \"n\"",
              ", \"data-type\": {\"type\": \"int8\"}"));
    }
    return TableMappings.parse(
        "test", "{\"rules\": [" + String.join(", ", rules) + "]}", Optional.empty());
  }

  private String rule(int id, String action, String column, String further) {
    return """
        {"rule-type": "transformation", "rule-id": "%d", "rule-target": "column",
         "rule-action": "%s", "object-locator": {"schema-name": "%s", "table-name": "t"%s}%s}"""
        .formatted(id, action, schema, column, further);
  }

  List<String> sourceStatements() {
    String large =
        "ALTER TABLE %s ALTER COLUMN t SET STORAGE EXTERNAL, ALTER COLUMN b SET STORAGE EXTERNAL";
    List<String> statements = new ArrayList<>();
    statements.add("CREATE SCHEMA \"" + schema + "\"");
    statements.add("CREATE SCHEMA \"" + schema + " beside\"");
    statements.add("CREATE TABLE %s (%s)".formatted(source(), definition(false)));
    statements.add(large.formatted(source()));
    if (wholeRows) {
      statements.add("ALTER TABLE " + source() + " REPLICA IDENTITY FULL");
    }
    statements.add("CREATE TABLE %s (%s)".formatted(beside(), definition(true)));
    statements.add(
        """
        CREATE FUNCTION "%1$s beside".keep() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN %2$s RETURN NEW; END $$"""
            .formatted(
                schema,
                columns.stream()
                    .filter(this::isImaged)
                    .map(c -> "NEW.\"%s\" := OLD.\"%s\";".formatted(image(c), c.name()))
                    .collect(Collectors.joining(" "))));
    statements.add(
        "CREATE TRIGGER keep BEFORE UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION \"%s beside\".keep()"
            .formatted(beside(), schema));
    return statements;
  }

  List<String> targetStatements() {
    List<String> parts = new ArrayList<>();
    for (Column column : columns) {
      if (column.carried()) {
        String type = column.name().equals("n") && widens ? "bigint" : column.type();
        parts.add("\"%s\" %s".formatted(nameOf(column), type));
        if (isImaged(column)) {
          parts.add(0, "\"%s\" %s".formatted(image(column), type));
        }
      }
    }
    parts.add("own text DEFAULT 'own'");
    parts.add(keys(renames ? "m" : "n"));
    return List.of(
        "CREATE SCHEMA \"" + schema + "\"",
        "CREATE TABLE %s (%s)".formatted(onTarget(), String.join(", ", parts)));
  }

  private String definition(boolean images) {
    List<String> parts = new ArrayList<>();
    for (Column column : columns) {
      parts.add("\"%s\" %s".formatted(column.name(), column.type()));
      if (images && isImaged(column)) {
        parts.add("\"%s\" %s".formatted(image(column), column.type()));
      }
    }
    parts.add(keys("n"));
    return String.join(", ", parts);
  }

  private String keys(String number) {
    return "PRIMARY KEY (%s)%s"
        .formatted(
            columns.stream()
                .filter(Column::key)
                .map(Column::name)
                .collect(Collectors.joining(", ")),
            unique ? ", UNIQUE (" + number + ")" : "");
  }

  /** What the target is to have, as the table beside the source calls it. */
  String besideColumns() {
    return listed(false);
  }

  /** The same as the target calls it. */
  String targetColumns() {
    return listed(true);
  }

  private String listed(boolean target) {
    List<String> names = new ArrayList<>();
    for (Column column : columns) {
      if (column.carried()) {
        names.add(TableId.quote(target ? nameOf(column) : column.name()));
        if (isImaged(column)) {
          names.add(TableId.quote(image(column)));
        }
      }
    }
    return String.join(", ", names);
  }

  private boolean isImaged(Column column) {
    return column.carried()
        && switch (filter) {
          case "pk-only" -> column.key();
          case "non-lob" -> column.key() || !column.large();
          default -> true;
        };
  }

  private String nameOf(Column column) {
    return column.name().equals("n") && renames ? "m" : column.name();
  }

  private String image(Column column) {
    return prefix + nameOf(column) + suffix;
  }

  /** One change, with {@code %s} for the table; which row it is hangs on its content only. */
  List<String> statements(Random random) {
    String row = "k = " + random.nextInt(6);
    return switch (random.nextInt(16)) {
      case 0, 1, 2, 3 -> List.of(insert(random) + " ON CONFLICT DO NOTHING");
      case 4 -> {
        String key =
            columns.stream()
                .filter(Column::key)
                .map(Column::name)
                .collect(Collectors.joining(", "));
        yield List.of(
            "%s ON CONFLICT (%s) DO UPDATE SET %s"
                .formatted(insert(random), key, assigned(random)));
      }
      case 5, 6, 7, 8 -> List.of("UPDATE %s SET " + assigned(random) + " WHERE " + row);
      case 9 -> List.of("UPDATE %s SET n = n WHERE " + row);
      case 10 ->
          List.of(
              "UPDATE %s SET k = " + random.nextInt(8) + ", " + assigned(random) + " WHERE " + row);
      case 11 ->
          // Two rows exchange their keys.
          List.of(
              "UPDATE %s SET k = 100 + k WHERE k IN (1, 2)",
              "UPDATE %s SET k = 103 - k WHERE k > 100");
      case 12 -> List.of("DELETE FROM %s WHERE " + row);
      case 13 -> List.of("DELETE FROM %s WHERE " + row, insert(random) + " ON CONFLICT DO NOTHING");
      case 14 ->
          random.nextInt(4) == 0
              ? List.of("TRUNCATE %s")
              : List.of("UPDATE %s SET gone = 'g' || " + random.nextInt(9) + " WHERE " + row);
      default -> List.of("UPDATE %s SET " + assigned(random));
    };
  }

  private String insert(Random random) {
    return "INSERT INTO %%s (%s) VALUES (%s)"
        .formatted(
            columns.stream().map(Column::name).collect(Collectors.joining(", ")),
            columns.stream()
                .map(column -> value(column.name(), random))
                .collect(Collectors.joining(", ")));
  }

  /** One column or two; the others keep what they have. */
  private String assigned(Random random) {
    List<String> others =
        new ArrayList<>(
            columns.stream().filter(column -> !column.key()).map(Column::name).toList());
    Collections.shuffle(others, random);
    return others.subList(0, 1 + random.nextInt(2)).stream()
        .map(name -> name + " = " + value(name, random))
        .collect(Collectors.joining(", "));
  }

  private String value(String column, Random random) {
    return switch (column) {
      case "k" -> Integer.toString(random.nextInt(6));
      case "k2" -> "'" + "ab".charAt(random.nextInt(2)) + "'";
      case "n" -> random.nextInt(4) == 0 ? "NULL" : Integer.toString(random.nextInt(50));
      case "s" -> random.nextInt(4) == 0 ? "NULL" : "'s" + random.nextInt(9) + "'";
      case "b" ->
          random.nextInt(3) == 0
              ? "NULL"
              : "decode(repeat('0%d', %d), 'hex')".formatted(random.nextInt(9), size(random));
      default ->
          random.nextInt(4) == 0
              ? "NULL"
              : "repeat('%d', %d)".formatted(random.nextInt(9), size(random));
    };
  }

  private static int size(Random random) {
    return random.nextBoolean() ? LARGE : random.nextInt(4);
  }

  @Override
  public String toString() {
    return String.join(";\n", sourceStatements()) + ";\n" + String.join(";\n", targetStatements());
  }
}
