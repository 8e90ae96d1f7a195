package dev.sluice.connect.settings;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.config.ConfigDef;

/**
 * Recommends values for a property in a form, and shows the property only in the layouts that use
 * it. Immutable.
 *
 * @param layouts the layouts that use the property
 */
record Proposed(List<String> values, Set<TopicLayout> layouts) implements ConfigDef.Recommender {

  /** These values, in every layout; an empty list allows any value. */
  static Proposed of(List<String> values) {
    return new Proposed(values, EnumSet.allOf(TopicLayout.class));
  }

  Proposed in(Set<TopicLayout> some) {
    return new Proposed(values, some);
  }

  @Override
  public List<Object> validValues(String name, Map<String, Object> parsed) {
    return List.copyOf(values);
  }

  @Override
  public boolean visible(String name, Map<String, Object> parsed) {
    Object layout = parsed.get(SinkConnectorProperties.TOPIC_LAYOUT);
    return TopicLayout.of(String.valueOf(layout)).map(layouts::contains).orElse(true);
  }
}
