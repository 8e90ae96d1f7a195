package dev.sluice.engine.ddl;

import dev.sluice.engine.ddl.SeenCatalog.Relation;
import dev.sluice.engine.ddl.SeenCatalog.SeenColumn;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Predicate;

/** What the grammars choose from: names, types, values. Owned by one thread. */
final class Words {
  private static final List<String> TYPES =
      List.of(
          "int",
          "int",
          "bigint",
          "text",
          "numeric(12,3)",
          "varchar(12)",
          "timestamptz",
          "date",
          "text[]",
          "jsonb",
          "boolean",
          "real",
          "smallint",
          "bytea",
          "int[]",
          "interval");

  /** Of one value each: what matters is which table and column has it. */
  private static final String TIME = "'2020-01-02 03:04:05+00'";

  final Random random;
  private int names;

  Words(Random random) {
    this.random = random;
  }

  String newName(String prefix) {
    names++;
    return names % 17 == 0 ? "\"" + prefix + " \"\"" + names + "\"" : prefix + names;
  }

  /** One of few, so that names come back. */
  String columnName() {
    return "c" + random.nextInt(9);
  }

  <T> Optional<T> any(List<T> all) {
    return all.isEmpty() ? Optional.empty() : Optional.of(all.get(random.nextInt(all.size())));
  }

  String schema(SeenCatalog catalog) {
    return any(catalog.schemas()).orElse("public");
  }

  String newTable(SeenCatalog catalog) {
    return schema(catalog) + "." + newName("t");
  }

  Optional<Relation> relation(SeenCatalog catalog, Predicate<Relation> wanted) {
    return any(catalog.relations(wanted));
  }

  Optional<Relation> table(SeenCatalog catalog) {
    return relation(catalog, Relation::isTable);
  }

  String type(SeenCatalog catalog) {
    if (!catalog.types().isEmpty() && random.nextInt(5) == 0) {
      return any(catalog.types()).orElseThrow().name();
    }
    if (random.nextInt(30) == 0) {
      return table(catalog).map(Relation::sql).orElse("int");
    }
    return any(TYPES).orElseThrow();
  }

  String number() {
    return Integer.toString(random.nextInt(40));
  }

  /** A value that a column of the type takes, mostly; the same whenever it is computed. */
  String value(SeenColumn column) {
    return value(column.type(), column.typeKind());
  }

  String value(String type, String typeKind) {
    if (typeKind.equals("e")) {
      return "(enum_range(NULL::%s))[%d]".formatted(type, 1 + random.nextInt(3));
    }
    if (typeKind.equals("c")) {
      return "NULL";
    }
    if (type.endsWith("[]")) {
      return random.nextInt(4) == 0 ? "NULL" : "'{%s,%s}'".formatted(number(), number());
    }
    if (type.startsWith("timestamp") || type.startsWith("date")) {
      return TIME;
    }
    return switch (type) {
      case "jsonb" -> "'{\"a\": %s}'".formatted(number());
      case "boolean" -> random.nextBoolean() ? "true" : "false";
      case "bytea" -> "'\\x0%d'".formatted(random.nextInt(10));
      case "interval" -> "'%s days'".formatted(number());
      default -> "'" + number() + "'";
    };
  }
}
