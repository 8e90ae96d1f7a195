package dev.sluice.config.mappings;

import dev.sluice.config.TableId;
import dev.sluice.config.transformation.NamePattern;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;

/** One DMS selection rule. Immutable. */
record SelectionRule(
    String id,
    Action action,
    Relations relations,
    NamePattern schema,
    NamePattern table,
    OptionalInt loadOrder,
    Optional<RowFilter> filter) {

  enum Action {
    INCLUDE,
    EXCLUDE,
    EXPLICIT
  }

  /** DMS's {@code table-type}: whether the rule is for tables, views or both. */
  enum Relations {
    TABLE,
    VIEW,
    ALL
  }

  boolean isForTables() {
    return relations != Relations.VIEW;
  }

  boolean isForViews() {
    return relations != Relations.TABLE;
  }

  boolean matches(TableId candidate) {
    return schema.matches(candidate.schema()) && table.matches(candidate.name());
  }

  /** For messages: {@code include public.%}, {@code include views public.%}. */
  @Override
  public String toString() {
    String which =
        switch (relations) {
          case TABLE -> " ";
          case VIEW -> " views ";
          case ALL -> " tables and views ";
        };
    return action.name().toLowerCase(Locale.ROOT)
        + which
        + schema
        + "."
        + table
        + filter.map(rows -> " where " + rows.condition()).orElse("");
  }
}
