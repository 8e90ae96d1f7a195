package dev.sluice.bench.connect;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** How the records between the connectors are written. */
public enum RecordConverter {
  /** JSON with schemas. */
  JSON(
      Map.of(
          "",
          "org.apache.kafka.connect.json.JsonConverter",
          ".schemas.enable",
          "true",
          ".replace.null.with.default",
          "false")),
  /** Sluice's own. */
  BINARY(Map.of("", "dev.sluice.connect.converter.BinaryConverter"));

  private final Map<String, String> settings;

  RecordConverter(Map<String, String> settings) {
    this.settings = settings;
  }

  /**
   * By its name in small letters.
   *
   * @throws IllegalArgumentException where there is none of that name
   */
  public static RecordConverter of(String name) {
    return valueOf(name.toUpperCase(Locale.ROOT));
  }

  /** Of a connector that writes or reads the records by this converter. */
  Map<String, String> properties() {
    Map<String, String> properties = new LinkedHashMap<>();
    for (String side : List.of("key", "value")) {
      settings.forEach((name, value) -> properties.put(side + ".converter" + name, value));
    }
    return properties;
  }

  /** Of a sink that reads the records' bytes itself, whatever the converter was. */
  static Map<String, String> bytes() {
    String bytes = "org.apache.kafka.connect.converters.ByteArrayConverter";
    return Map.of("key.converter", bytes, "value.converter", bytes, "header.converter", bytes);
  }

  /** For a table's heading. */
  @Override
  public String toString() {
    return this == JSON ? "JSON with schemas" : "BinaryConverter";
  }
}
