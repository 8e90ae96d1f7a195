package dev.sluice.connect.json;

import static dev.sluice.connect.json.SchemaValues.require;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.SerializedString;
import dev.sluice.connect.fields.ReadFields;
import dev.sluice.connect.fields.ReadPlan;
import java.io.IOException;

/**
 * Reads a struct whose fields come as Kafka's JsonConverter writes them: all of them, in the
 * schema's order. Immutable.
 */
final class StructReader {
  private final ReadPlan plan;
  private final SerializableString[] names;
  private final StructReader[] nested;

  StructReader(ReadPlan plan) {
    this.plan = plan;
    this.names = new SerializableString[plan.size()];
    this.nested = new StructReader[plan.size()];
    for (int i = 0; i < names.length; i++) {
      names[i] = new SerializedString(plan.name(i));
      nested[i] = plan.nested(i) == null ? null : new StructReader(plan.nested(i));
    }
  }

  /** Reads the object at the parser's current token. */
  ReadFields read(JsonParser json) throws IOException, IrregularJson {
    require(json.currentToken() == JsonToken.START_OBJECT);
    Object[] values = new Object[names.length];
    for (int i = 0; i < names.length; i++) {
      require(json.nextFieldName(names[i]));
      JsonToken token = json.nextToken();
      if (plan.skips(i)) {
        json.skipChildren();
      } else if (nested[i] == null) {
        values[i] = SchemaValues.read(json, plan.schema(i));
      } else if (token == JsonToken.VALUE_NULL) {
        require(plan.schema(i).isOptional());
      } else {
        values[i] = nested[i].read(json);
      }
    }
    require(json.nextToken() == JsonToken.END_OBJECT);
    return new ReadFields(plan.layout(), values);
  }
}
