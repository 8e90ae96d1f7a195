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
 * Maps changes to the target's columns as the mapping rules say: renames columns, removes excluded
 * ones, and adds before-image columns. The journal itself has the source's columns. Later stages
 * see only the target's columns, so they need no rules. Threadsafe.
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
