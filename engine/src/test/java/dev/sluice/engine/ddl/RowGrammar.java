package dev.sluice.engine.ddl;

import dev.sluice.engine.ddl.SeenCatalog.Relation;
import dev.sluice.engine.ddl.SeenCatalog.SeenColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Statements about rows. Owned by one thread. */
final class RowGrammar {
  private final Words words;

  RowGrammar(Words words) {
    this.words = words;
  }

  String statement(SeenCatalog catalog) {
    return words.table(catalog).map(table -> statement(catalog, table)).orElse("SELECT 1");
  }

  private String statement(SeenCatalog catalog, Relation table) {
    return new Choices<String>(words.random)
        .add(10, () -> insert(table))
        .add(5, () -> update(table))
        .add(3, () -> delete(table))
        .add(1, () -> "INSERT INTO %s DEFAULT VALUES".formatted(table.sql()))
        .add(1, () -> truncate(catalog, table))
        .get();
  }

  private String insert(Relation table) {
    List<String> columns = new ArrayList<>();
    List<String> values = new ArrayList<>();
    for (SeenColumn column : table.columns()) {
      if (!column.generated() && !column.identity() && words.random.nextInt(9) > 0) {
        columns.add(column.name());
        values.add(words.value(column));
      }
    }
    if (columns.isEmpty()) {
      return "INSERT INTO %s DEFAULT VALUES".formatted(table.sql());
    }
    return "INSERT INTO %s (%s) VALUES (%s) ON CONFLICT DO NOTHING"
        .formatted(table.sql(), String.join(", ", columns), String.join(", ", values));
  }

  private String update(Relation table) {
    List<SeenColumn> columns =
        table.columns().stream().filter(column -> !column.generated()).toList();
    return words
        .any(columns)
        .map(
            column ->
                "UPDATE %s SET %s = %s%s"
                    .formatted(table.sql(), column.name(), words.value(column), where(table)))
        .orElse("SELECT 2");
  }

  private String delete(Relation table) {
    return "DELETE FROM " + table.sql() + where(table);
  }

  /** By values, since rows lie in another order elsewhere; by such as are the same there. */
  private String where(Relation table) {
    return table.columns().stream().noneMatch(column -> column.name().equals("id"))
        ? ""
        : " WHERE abs(hashtext(id::text)) % 4 = " + words.random.nextInt(4);
  }

  private String truncate(SeenCatalog catalog, Relation table) {
    List<Relation> tables = new ArrayList<>(List.of(table));
    if (words.random.nextInt(3) == 0) {
      words.table(catalog).ifPresent(tables::add);
    }
    return "TRUNCATE %s%s%s"
        .formatted(
            tables.stream().map(Relation::sql).collect(Collectors.joining(", ")),
            words.random.nextInt(3) == 0 ? " RESTART IDENTITY" : "",
            words.random.nextInt(3) == 0 ? " CASCADE" : "");
  }
}
