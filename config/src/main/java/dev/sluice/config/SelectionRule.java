package dev.sluice.config;

import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;

/** One DMS selection rule. Immutable. */
record SelectionRule(
    String id,
    Action action,
    NamePattern schema,
    NamePattern table,
    OptionalInt loadOrder,
    Optional<RowFilter> filter) {

  enum Action {
    INCLUDE,
    EXCLUDE,
    EXPLICIT
  }

  boolean matches(TableId candidate) {
    return schema.matches(candidate.schema()) && table.matches(candidate.name());
  }

  /** For people: {@code include public.%}. */
  @Override
  public String toString() {
    return action.name().toLowerCase(Locale.ROOT)
        + " "
        + schema
        + "."
        + table
        + filter.map(rows -> " where " + rows.condition()).orElse("");
  }
}
