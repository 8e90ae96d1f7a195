package dev.sluice.connect.envelope;

import java.util.regex.Pattern;

/** Names of Debezium's topics. Stateless. */
public final class TopicName {
  private static final Pattern NOT_ALLOWED = Pattern.compile("[^A-Za-z0-9._-]");

  private TopicName() {}

  /**
   * The topic of a table.
   *
   * @param prefix the topic prefix, with the dot after it
   * @param collection schema and table, with a dot between
   */
  public static String of(String prefix, String collection) {
    return prefix + NOT_ALLOWED.matcher(collection).replaceAll("_");
  }
}
