package dev.sluice.engine.connect;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How the records between the two connectors are written. */
public enum ConnectConverter {
  /** JSON with schemas, which every tool reads. */
  JSON("json") {
    @Override
    Map<String, String> settings() {
      return Map.of(
          "",
          "org.apache.kafka.connect.json.JsonConverter",
          ".schemas.enable",
          "true",
          // A NULL in a column with a default must stay NULL.
          ".replace.null.with.default",
          "false");
    }
  },
  /** Sluice's own format, which keeps every value and uses less CPU; no other tool reads it. */
  BINARY("binary") {
    @Override
    Map<String, String> settings() {
      return Map.of("", "dev.sluice.connect.converter.BinaryConverter");
    }
  };

  private final String text;

  ConnectConverter(String text) {
    this.text = text;
  }

  /** The converter's settings, by what follows {@code key.converter} or {@code value.converter}. */
  abstract Map<String, String> settings();

  /** The properties of the source connector, which writes the records. */
  Map<String, String> ofSource() {
    Map<String, String> properties = new LinkedHashMap<>();
    for (String side : List.of("key", "value")) {
      settings().entrySet().stream()
          .sorted(Map.Entry.comparingByKey())
          .forEach(
              setting ->
                  properties.put(side + ".converter" + setting.getKey(), setting.getValue()));
    }
    return properties;
  }

  /**
   * The properties of the sink connector, which reads the bytes of either form itself. Of headers
   * it needs the names alone.
   */
  static Map<String, String> ofSink() {
    Map<String, String> properties = new LinkedHashMap<>();
    for (String part : List.of("key", "value", "header")) {
      properties.put(part + ".converter", "org.apache.kafka.connect.converters.ByteArrayConverter");
    }
    return properties;
  }

  @Override
  public String toString() {
    return text;
  }
}
