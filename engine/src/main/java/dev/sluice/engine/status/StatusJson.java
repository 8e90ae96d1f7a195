package dev.sluice.engine.status;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.deser.std.FromStringDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import java.time.Instant;

/**
 * Status and outcomes as JSON, names in snake case; for the daemon, which writes them, and for its
 * clients, which may be of another release: unknown names are ignored. A value that is not known,
 * or does not apply, is null. Threadsafe.
 */
public final class StatusJson {
  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .addModule(
              new SimpleModule()
                  .addSerializer(Instant.class, ToStringSerializer.instance)
                  .addDeserializer(Instant.class, new InstantReader()))
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.READ_UNKNOWN_ENUM_VALUES_AS_NULL)
          .enable(SerializationFeature.INDENT_OUTPUT)
          .build();

  private static final ObjectWriter ON_ONE_LINE =
      MAPPER.writer().without(SerializationFeature.INDENT_OUTPUT);

  private StatusJson() {}

  public static String write(Object value) {
    return write(MAPPER.writer(), value);
  }

  /** Writes for programs alone: without line breaks, and shorter. */
  public static String line(Object value) {
    return write(ON_ONE_LINE, value);
  }

  private static String write(ObjectWriter writer, Object value) {
    try {
      return writer.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("BUG: " + value.getClass() + " is no JSON", e);
    }
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws JsonProcessingException if the text is no JSON, or a value has another type
   */
  public static <T> T read(String text, Class<T> type) throws JsonProcessingException {
    return MAPPER.readValue(text, type);
  }

  /** Reads JSON of which no record is made, such as the detail of a stored step. */
  public static JsonNode tree(String text) throws JsonProcessingException {
    return MAPPER.readTree(text);
  }

  private static final class InstantReader extends FromStringDeserializer<Instant> {
    private static final long serialVersionUID = 1;

    InstantReader() {
      super(Instant.class);
    }

    @Override
    protected Instant _deserialize(String text, DeserializationContext context) {
      return Instant.parse(text);
    }
  }
}
