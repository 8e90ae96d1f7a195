package dev.sluice.engine.status;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import java.time.Instant;

/** Status and outcomes as JSON, names in snake case. Threadsafe. */
public final class StatusJson {
  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .addModule(new SimpleModule().addSerializer(Instant.class, ToStringSerializer.instance))
          .enable(SerializationFeature.INDENT_OUTPUT)
          .build();

  private StatusJson() {}

  public static String write(Object value) {
    try {
      return MAPPER.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("BUG: " + value.getClass() + " is no JSON", e);
    }
  }

  public static JsonNode read(String text) throws JsonProcessingException {
    return MAPPER.readTree(text);
  }
}
