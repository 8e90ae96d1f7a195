package dev.sluice.connect.converter;

import dev.sluice.connect.fields.FieldValues;
import dev.sluice.connect.fields.ReadFields;
import dev.sluice.connect.fields.ReadPlan;
import dev.sluice.connector.api.ByteSource;
import dev.sluice.connector.api.CorruptJournalException;
import java.util.Optional;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.errors.DataException;

/**
 * Reads the fields of records from the bytes that {@link BinaryConverter} wrote, without a struct
 * in between. Owned by one thread.
 */
public final class BinaryFields {
  private final WrittenSchemas<Known> schemas =
      new WrittenSchemas<>(
          schema ->
              new Known(schema, schema.type() == Schema.Type.STRUCT ? ReadPlan.of(schema) : null));

  private record Known(Schema schema, ReadPlan plan) {}

  /** True if the bytes have the converter's format. */
  public static boolean areBinary(byte[] bytes) {
    return bytes.length > 0 && (bytes[0] & 0xFF) == BinaryConverter.FORMAT;
  }

  /**
   * Reads a key or a value.
   *
   * @param bytes in the converter's format
   * @return empty if it is null
   * @throws DataException if the bytes are damaged, or the value is no struct
   */
  public Optional<FieldValues> read(byte[] bytes) {
    try {
      ByteSource source = new ByteSource(bytes, 0, bytes.length);
      source.readByte();
      Known known = schemas.read(source);
      if (known.plan() == null) {
        throw new DataException("a value of the type " + known.schema().type());
      }
      Optional<FieldValues> fields =
          ValueCodec.isPresent(source, known.schema())
              ? Optional.of(struct(source, known.plan()))
              : Optional.empty();
      if (source.hasMore()) {
        throw new CorruptJournalException("bytes after the value, from byte " + source.at());
      }
      return fields;
    } catch (CorruptJournalException e) {
      throw new DataException("a damaged record: " + e.getMessage(), e);
    }
  }

  private static ReadFields struct(ByteSource source, ReadPlan plan) {
    Object[] values = new Object[plan.size()];
    for (int i = 0; i < values.length; i++) {
      if (plan.skips(i)) {
        ValueCodec.skip(source, plan.schema(i));
      } else if (plan.nested(i) == null) {
        values[i] = ValueCodec.read(source, plan.schema(i));
      } else if (ValueCodec.isPresent(source, plan.schema(i))) {
        values[i] = struct(source, plan.nested(i));
      }
    }
    return new ReadFields(plan.layout(), values);
  }
}
