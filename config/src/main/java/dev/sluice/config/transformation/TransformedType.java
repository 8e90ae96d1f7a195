package dev.sluice.config.transformation;

import dev.sluice.config.document.Fields;
import dev.sluice.config.document.NearestName;
import dev.sluice.config.document.Problems;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** Translates DMS's data types to PostgreSQL's, as {@code format_type} prints them. Stateless. */
final class TransformedType {

  private static final Map<String, String> PLAIN =
      Map.ofEntries(
          Map.entry("int1", "smallint"),
          Map.entry("int2", "smallint"),
          Map.entry("uint1", "smallint"),
          Map.entry("int4", "integer"),
          Map.entry("uint2", "integer"),
          Map.entry("int8", "bigint"),
          Map.entry("uint4", "bigint"),
          Map.entry("uint8", "numeric(20,0)"),
          Map.entry("real4", "real"),
          Map.entry("real8", "double precision"),
          Map.entry("boolean", "boolean"),
          Map.entry("date", "date"),
          Map.entry("clob", "text"),
          Map.entry("nclob", "text"),
          Map.entry("blob", "bytea"),
          Map.entry("bytes", "bytea"));

  private static final List<String> OTHERS =
      List.of("string", "wstring", "numeric", "datetime", "time");

  private static final int MOST_SECOND_DIGITS = 6;

  private TransformedType() {}

  /** The type of a rule's {@code data-type}; empty after a problem. */
  static Optional<String> read(Fields rule, Problems problems) {
    return rule.require(
            "data-type",
            "an object with a type",
            "Add \"data-type\": {\"type\": \"string\", \"length\": 50}")
        .flatMap(node -> Fields.mappingOf(node, problems))
        .flatMap(mapping -> read(new Fields(mapping, problems)));
  }

  private static Optional<String> read(Fields type) {
    Optional<String> name =
        type.requireText("type", "one of DMS's data types", "Add \"type\": \"string\"");
    OptionalInt length = number(type, "length");
    OptionalInt precision = number(type, "precision");
    OptionalInt scale = number(type, "scale");
    type.refuseOthers();
    return name.flatMap(text -> of(type, text, length, precision, scale));
  }

  private static Optional<String> of(
      Fields type, String name, OptionalInt length, OptionalInt precision, OptionalInt scale) {
    if (PLAIN.containsKey(name)) {
      return Optional.of(PLAIN.get(name));
    }
    switch (name) {
      case "string", "wstring" -> {
        return Optional.of(
            length.isPresent() && length.getAsInt() > 0
                ? "character varying(" + length.getAsInt() + ")"
                : "text");
      }
      case "numeric" -> {
        return Optional.of(
            precision.isPresent() && precision.getAsInt() > 0
                ? "numeric(%d,%d)".formatted(precision.getAsInt(), scale.orElse(0))
                : "numeric");
      }
      case "datetime", "time" -> {
        int digits = scale.orElse(precision.orElse(MOST_SECOND_DIGITS));
        String modifier = digits < MOST_SECOND_DIGITS ? "(" + digits + ")" : "";
        return Optional.of(
            (name.equals("time") ? "time" : "timestamp") + modifier + " without time zone");
      }
      default -> {
        List<String> known = new java.util.ArrayList<>(OTHERS);
        known.addAll(new java.util.TreeSet<>(PLAIN.keySet()));
        type.problem("type", Fields.oneOf(known), NearestName.fix(name, known));
        return Optional.empty();
      }
    }
  }

  private static OptionalInt number(Fields type, String key) {
    Optional<String> text = type.text(key);
    if (text.isEmpty()) {
      return OptionalInt.empty();
    }
    if (text.get().matches("\\d{1,8}")) {
      return OptionalInt.of(Integer.parseInt(text.get()));
    }
    type.problem(key, "a whole number from 0", "Write a number");
    return OptionalInt.empty();
  }
}
