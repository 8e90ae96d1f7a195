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

  /** The properties of a connector, the same on both sides. */
  Map<String, String> properties() {
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

  @Override
  public String toString() {
    return text;
  }
}
