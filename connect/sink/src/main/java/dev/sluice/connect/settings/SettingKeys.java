package dev.sluice.connect.settings;

import dev.sluice.config.document.Problem;
import dev.sluice.config.settings.SettingProperties;
import dev.sluice.config.settings.SettingProperties.Property;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.Width;
import org.apache.kafka.common.config.ConfigException;

/** Defines the task settings as connector properties. Stateless. */
final class SettingKeys {
  private SettingKeys() {}

  /** Adds the task settings, grouped by section. */
  static void define(ConfigDef definition) {
    String section = "";
    int order = 0;
    for (Property property : SettingProperties.all()) {
      order = property.setting().section().equals(section) ? order + 1 : 1;
      section = property.setting().section();
      setting(definition, property, order);
    }
  }

  private static void setting(ConfigDef definition, Property property, int order) {
    definition.define(
        property.name(),
        typeOf(property),
        property.defaultValue(),
        new Sound(property.name()),
        property.setting().section().equals("ChangeProcessingTuning")
            ? Importance.MEDIUM
            : Importance.LOW,
        documentation(property),
        property.setting().section(),
        order,
        property.form() == SettingProperties.Form.TEXT ? Width.MEDIUM : Width.SHORT,
        label(property),
        Proposed.of(
            property.form() == SettingProperties.Form.SWITCH
                ? List.of("true", "false")
                : property.choices()));
  }

  private static Type typeOf(Property property) {
    switch (property.form()) {
      case SWITCH:
        return Type.BOOLEAN;
      case WHOLE_NUMBER:
        return Type.LONG;
      case NUMBER:
        return Type.DOUBLE;
      case NUMBER_OR_WORD, TEXT:
        return Type.STRING;
      default:
        throw new IllegalStateException("BUG: no type for " + property);
    }
  }

  private static String documentation(Property property) {
    String meaning = property.setting().meaning();
    StringBuilder text = new StringBuilder(64);
    text.append(meaning.substring(0, 1).toUpperCase(Locale.ROOT)).append(meaning.substring(1));
    text.append(" (").append(property.setting().path());
    if (!property.setting().type().unit().isEmpty()) {
      text.append(", ").append(property.setting().type().unit());
    }
    return text.append(", ").append(property.setting().type().range()).append(").").toString();
  }

  /** {@code batch.split.size} as {@code Batch split size}. */
  private static String label(Property property) {
    String words = property.name().replace('.', ' ');
    return words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1);
  }

  /** Checks a value against the setting's definition. */
  private record Sound(String property) implements ConfigDef.Validator {
    @Override
    public void ensureValid(String name, Object value) {
      if (value == null) {
        return;
      }
      Optional<Problem> problem = SettingProperties.problem(property, value.toString());
      if (problem.isPresent()) {
        throw new ConfigException(
            name, value, problem.get().expected() + ". " + problem.get().fix());
      }
    }

    @Override
    public String toString() {
      return SettingProperties.all().stream()
          .filter(other -> other.name().equals(property))
          .map(other -> other.setting().type().range())
          .findFirst()
          .orElse("");
    }
  }
}
