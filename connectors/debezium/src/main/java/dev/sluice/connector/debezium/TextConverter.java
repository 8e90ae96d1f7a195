package dev.sluice.connector.debezium;

import io.debezium.spi.converter.CustomConverter;
import io.debezium.spi.converter.RelationalColumn;
import java.util.Properties;
import org.apache.kafka.connect.data.SchemaBuilder;

/**
 * Lets each column's text through Debezium as it is. The connector hands over texts, NULL and
 * {@link UnchangedValue#MARK} only; anything else that comes here is a column default that Debezium
 * has parsed, which nobody reads. Made and called by Debezium.
 */
public final class TextConverter implements CustomConverter<SchemaBuilder, RelationalColumn> {

  /** The parameter of a field's schema that names the column's type. */
  static final String TYPE = "sluice.type";

  @Override
  public void configure(Properties properties) {}

  @Override
  public void converterFor(
      RelationalColumn column, ConverterRegistration<SchemaBuilder> registration) {
    SchemaBuilder schema = SchemaBuilder.string().optional();
    if (column.typeExpression() != null) {
      schema.parameter(TYPE, column.typeExpression());
    }
    registration.register(schema, value -> value instanceof String ? value : null);
  }
}
