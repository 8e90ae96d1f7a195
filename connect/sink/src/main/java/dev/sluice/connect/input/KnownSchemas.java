package dev.sluice.connect.input;

import dev.sluice.connect.envelope.DebeziumRecord;
import dev.sluice.connect.envelope.DebeziumRecord.RowEvent;
import dev.sluice.connect.envelope.DebeziumRecord.SnapshotRow;
import dev.sluice.connector.api.CorruptJournalException;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.SchemaLookup;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Row schemas of the records that were read, by fingerprint. Threadsafe. */
public final class KnownSchemas implements SchemaLookup {
  private final Map<Long, RowSchema> schemas = new ConcurrentHashMap<>();

  void know(DebeziumRecord record) {
    if (record instanceof RowEvent event) {
      know(event.schema());
    } else if (record instanceof SnapshotRow row) {
      know(row.schema());
    }
  }

  @Override
  public RowSchema schema(long fingerprint) {
    RowSchema schema = schemas.get(fingerprint);
    if (schema == null) {
      throw new CorruptJournalException(
          "BUG: row schema %016x is not known".formatted(fingerprint));
    }
    return schema;
  }

  private void know(RowSchema schema) {
    schemas.putIfAbsent(schema.fingerprint(), schema);
  }
}
