package dev.sluice.sink.intake;

import dev.sluice.config.transformation.ColumnNames;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.SchemaLookup;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The journal as the target's tables have their columns: what rules rename is renamed, what they
 * leave out is not there, and what they want to be kept of rows before their updates is in columns
 * of its own. The journal itself has what the source has, so all that comes after the reading of a
 * change need not know of rules for columns. Threadsafe.
 */
public final class MappedColumns implements SchemaLookup {
  private final SchemaLookup journal;
  private final ColumnNames names;
  private final MappedDefinitions definitions;
  private final Map<RowSchema, MappedSchema> known = new ConcurrentHashMap<>();

  public MappedColumns(SchemaLookup journal, ColumnNames names) {
    this.journal = journal;
    this.names = names;
    this.definitions = new MappedDefinitions(names);
  }

  @Override
  public RowSchema schema(long fingerprint) {
    return journal.schema(fingerprint);
  }

  @Override
  public ChangeEvent mapped(ChangeEvent journaled) {
    ChangeEvent decoded = journal.mapped(journaled);
    if (decoded instanceof RowChange change) {
      return known
          .computeIfAbsent(change.schema(), schema -> MappedSchema.of(schema, names))
          .of(change);
    }
    return decoded instanceof Definition definition
        ? new Definition(definitions.of(definition.changes()))
        : decoded;
  }
}
