package dev.sluice.target.mariadb.catalog;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.target.mariadb.catalog.MariadbCatalog.UniqueKey;
import dev.sluice.target.mariadb.server.ServerKind;
import dev.sluice.target.mariadb.value.ColumnType;
import dev.sluice.target.mariadb.value.ValueForm;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The problems that make a table unfit for any task. Pure. */
record TableFitness(ServerKind server) {
  private static final String FIT = "BASE TABLE InnoDB";
  private static final Set<String> ROUNDING = Set.of("float", "double");
  private static final String PRIMARY = "PRIMARY";

  /**
   * @param kind the table's type and storage engine, as the catalog has them
   * @param selfUpdating columns that each update of their row sets to the current time
   */
  List<Problem> problems(
      TableId id,
      String kind,
      List<TargetColumn> columns,
      List<UniqueKey> keys,
      Set<String> selfUpdating,
      TableRights rights) {
    List<Problem> problems = new ArrayList<>();
    String thing = "target table " + id;
    if (!kind.equals(FIT)) {
      problems.add(
          new Problem(
              thing,
              "is a " + kind,
              "a " + FIT + ", whose rows are rolled back with their window",
              "Run: ALTER TABLE %s ENGINE = InnoDB; a system-versioned table must drop its versions"
                  .formatted(Shown.table(id))));
    }
    if (!rights.seesTriggers()) {
      problems.add(unseenTriggers(id));
    }
    for (TargetColumn column : columns) {
      if (!column.generated() && ValueForm.of(column).isEmpty()) {
        problems.add(unwritable(id, column));
      }
    }
    keyColumns(keys).stream()
        .flatMap(name -> columns.stream().filter(column -> column.name().equals(name)))
        .forEach(
            column -> {
              collation(id, column).ifPresent(problems::add);
              if (selfUpdating.contains(column.name())) {
                problems.add(changing(id, column));
              }
            });
    return problems;
  }

  static Problem unseenTriggers(TableId id) {
    return new Problem(
        "target table " + id,
        "no right to see its triggers, which would act on applied changes",
        "TRIGGER on the table",
        "Run: GRANT TRIGGER ON %s TO the user of target.url".formatted(Shown.table(id)));
  }

  private static Problem unwritable(TableId id, TargetColumn column) {
    boolean rounds = ROUNDING.contains(column.bareType());
    return new Problem(
        "target table " + id,
        "column %s is of type %s".formatted(column.name(), column.type())
            + (rounds ? ", which rounds to these digits without an error" : ""),
        rounds
            ? "the type without digits, or a decimal"
            : "a type of numbers, texts, bytes, bits, dates or times",
        rounds
            ? "Run: ALTER TABLE %s MODIFY %s %s%s"
                .formatted(
                    Shown.table(id),
                    Shown.name(column.name()),
                    column.bareType(),
                    column.notNull() ? " NOT NULL" : " NULL")
            : "Make it a longtext or a longblob, or remove the column");
  }

  /** The columns that identify rows. */
  private static List<String> keyColumns(List<UniqueKey> keys) {
    List<UniqueKey> primary = keys.stream().filter(key -> key.name().equals(PRIMARY)).toList();
    return (primary.isEmpty() ? keys : primary)
        .stream().flatMap(key -> key.columns().stream()).distinct().toList();
  }

  private static Problem changing(TableId id, TargetColumn column) {
    return new Problem(
        "target table " + id,
        "key column %s is set to the current time by each update of its row (ON UPDATE)"
            .formatted(column.name()),
        "keys that only the source changes",
        "Run: ALTER TABLE %s MODIFY %s %s NOT NULL DEFAULT CURRENT_TIMESTAMP(%d)"
            .formatted(
                Shown.table(id),
                Shown.name(column.name()),
                column.type(),
                ColumnType.of(column).number(0, 0)));
  }

  private Optional<Problem> collation(TableId id, TargetColumn column) {
    ColumnType type = ColumnType.of(column);
    if (!type.isText() || type.collation().orElseThrow().endsWith("_bin")) {
      return Optional.empty();
    }
    String charset = type.charset().orElseThrow();
    String binary = charset.equals("utf8mb4") ? server.binaryCollation() : charset + "_bin";
    return Optional.of(
        new Problem(
            "target table " + id,
            "key column %s has the collation %s, in which 'a' may equal 'A'"
                .formatted(column.name(), type.collation().get()),
            "a binary collation, in which keys differ if their texts do",
            "Run: ALTER TABLE %s MODIFY %s %s CHARACTER SET %s COLLATE %s NOT NULL"
                .formatted(
                    Shown.table(id), Shown.name(column.name()), column.type(), charset, binary)));
  }
}
