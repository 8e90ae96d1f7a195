package dev.sluice.connector.mariadb.definition;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.connector.mariadb.catalog.MariadbColumn;
import dev.sluice.connector.mariadb.catalog.MariadbTable;
import dev.sluice.connector.mariadb.server.SqlText;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * The sequences that column defaults use. Immutable.
 *
 * @param sequences that this user may read
 * @param targetOf the target's name of a table or sequence
 */
record SequenceDefaults(List<SequenceState> sequences, UnaryOperator<TableId> targetOf) {
  private static final Set<String> NUMBERS = Set.of("smallint", "integer", "bigint");

  /** The default in PostgreSQL's SQL; empty if it uses no sequence that is created. */
  Optional<String> sql(MariadbColumn column) {
    return column
        .sequence()
        .filter(name -> NUMBERS.contains(column.mappedType()) && find(name).isPresent())
        .map(name -> "nextval(%s)".formatted(SqlText.of(targetOf.apply(name).quoted())));
  }

  /** The statements that create the sequences of these tables, before the tables. */
  List<DefinitionStatement> made(Collection<MariadbTable> tables) {
    return tables.stream()
        .flatMap(table -> table.columns().stream())
        .filter(column -> sql(column).isPresent())
        .flatMap(column -> column.sequence().flatMap(this::find).stream())
        .distinct()
        .map(this::made)
        .toList();
  }

  /** Their names on the target, which no other relation may have. */
  Set<TableId> names() {
    return sequences.stream()
        .map(state -> targetOf.apply(state.sequence()))
        .collect(Collectors.toSet());
  }

  private Optional<SequenceState> find(TableId name) {
    return sequences.stream().filter(state -> state.sequence().equals(name)).findFirst();
  }

  private DefinitionStatement made(SequenceState state) {
    TableId target = targetOf.apply(state.sequence());
    SequenceState.Form form = state.form();
    return DefinitionStatement.always(
        "sequence " + target,
        "CREATE SEQUENCE IF NOT EXISTS %s %s START %d"
            .formatted(
                target.quoted(),
                form,
                Math.max(form.min(), Math.min(form.max(), state.lastValue()))));
  }
}
