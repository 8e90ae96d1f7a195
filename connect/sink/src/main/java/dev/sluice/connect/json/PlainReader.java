package dev.sluice.connect.json;

import static dev.sluice.connect.json.SchemaValues.require;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.sluice.connect.fields.FieldLayout;
import dev.sluice.connect.fields.ReadFields;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads objects of JSON without schemas, with the values that Kafka's JsonConverter makes of them.
 * Owned by one thread.
 */
final class PlainReader {
  /** The objects of an event whose fields are read one by one. */
  private static final Set<String> OF_EVENTS = Set.of("before", "after", "source", "transaction");

  private static final int LAYOUTS_KEPT = 10_000;

  /** The layouts by the names of the fields, in the order of the JSON. */
  private final Map<List<String>, Order> orders = new HashMap<>();

  /**
   * @param targets by the order of the JSON, the index in the layout
   */
  private record Order(FieldLayout layout, int[] targets) {}

  /**
   * Reads the object at the parser's current token.
   *
   * @param mayBeEvent true for a record's value
   */
  ReadFields read(JsonParser json, boolean mayBeEvent) throws IOException, IrregularJson {
    require(json.currentToken() == JsonToken.START_OBJECT);
    List<String> names = new ArrayList<>();
    List<Object> values = new ArrayList<>();
    for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
      names.add(name);
      boolean isObject = json.nextToken() == JsonToken.START_OBJECT;
      values.add(
          isObject && mayBeEvent && OF_EVENTS.contains(name) ? read(json, false) : value(json));
    }
    require(json.currentToken() == JsonToken.END_OBJECT);
    Order order = order(names);
    Object[] sorted = new Object[values.size()];
    for (int i = 0; i < sorted.length; i++) {
      sorted[order.targets()[i]] = values.get(i);
    }
    return new ReadFields(order.layout(), sorted);
  }

  private Order order(List<String> names) throws IrregularJson {
    Order known = orders.get(names);
    if (known == null) {
      List<String> sorted = names.stream().sorted().distinct().toList();
      // Of a name that comes twice, JsonConverter takes the last value.
      require(sorted.size() == names.size());
      known = new Order(FieldLayout.of(sorted), names.stream().mapToInt(sorted::indexOf).toArray());
      if (orders.size() >= LAYOUTS_KEPT) {
        orders.clear();
      }
      orders.put(List.copyOf(names), known);
    }
    return known;
  }

  private static Object value(JsonParser json) throws IOException, IrregularJson {
    switch (json.currentToken()) {
      case VALUE_NULL:
        return null;
      case VALUE_TRUE:
        return true;
      case VALUE_FALSE:
        return false;
      case VALUE_STRING:
        return json.getText();
      case VALUE_NUMBER_INT:
        require(json.getNumberType() != JsonParser.NumberType.BIG_INTEGER);
        return json.getLongValue();
      case VALUE_NUMBER_FLOAT:
        return json.getDoubleValue();
      case START_ARRAY:
        List<Object> elements = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
          elements.add(value(json));
        }
        return elements;
      case START_OBJECT:
        Map<String, Object> pairs = new HashMap<>();
        for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
          json.nextToken();
          pairs.put(name, value(json));
        }
        return pairs;
      default:
        throw IrregularJson.FOUND;
    }
  }
}
