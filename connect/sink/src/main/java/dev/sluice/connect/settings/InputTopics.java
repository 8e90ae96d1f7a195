package dev.sluice.connect.settings;

import dev.sluice.config.document.Problem;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * The topics that a connector reads, and their layout. Immutable.
 *
 * @param topics the listed topics; empty if they are chosen by a regular expression
 * @param pattern the regular expression, if any
 * @param transactionTopic the transaction topic, if the layout has one
 * @param schemaTopic the journal's schema topic; empty in other layouts
 */
public record InputTopics(
    TopicLayout layout,
    List<String> topics,
    Optional<Pattern> pattern,
    Optional<String> transactionTopic,
    Optional<String> schemaTopic) {
  private static final String JOURNAL_ENDING = ".journal";

  /** Reads the properties; empty if the layout is unknown. */
  static Optional<InputTopics> read(GivenProperties properties, FieldProblems problems) {
    Optional<TopicLayout> layout = layout(properties, problems);
    List<String> topics = topics(properties);
    Optional<Pattern> pattern = pattern(properties, problems);
    return layout.map(known -> read(known, topics, pattern, properties, problems));
  }

  private static InputTopics read(
      TopicLayout layout,
      List<String> topics,
      Optional<Pattern> pattern,
      GivenProperties properties,
      FieldProblems problems) {
    checkTasks(layout, properties, problems);
    checkTopics(layout, topics, pattern, problems);
    return new InputTopics(
        layout,
        topics,
        pattern,
        layout == TopicLayout.TABLES_WITH_TRANSACTIONS
            ? transactionTopic(properties, topics, pattern, problems)
            : Optional.empty(),
        layout == TopicLayout.JOURNAL
            ? schemaTopic(properties, topics, problems)
            : Optional.empty());
  }

  /** True if the connector reads the topic. */
  public boolean reads(String topic) {
    return reads(topic, topics, pattern);
  }

  private static boolean reads(String topic, List<String> topics, Optional<Pattern> pattern) {
    return topics.contains(topic) || pattern.isPresent() && pattern.get().matcher(topic).matches();
  }

  private static Optional<TopicLayout> layout(GivenProperties properties, FieldProblems problems) {
    String text = properties.text(SinkConnectorProperties.TOPIC_LAYOUT);
    Optional<TopicLayout> layout = TopicLayout.of(text);
    if (layout.isEmpty()) {
      problems.add(
          SinkConnectorProperties.TOPIC_LAYOUT,
          new Problem(
              SinkConnectorProperties.TOPIC_LAYOUT,
              text,
              "one of: " + String.join(", ", TopicLayout.texts()),
              ""));
    }
    return layout;
  }

  private static List<String> topics(GivenProperties properties) {
    return Arrays.stream(properties.text(SinkConnectorProperties.TOPICS, "").split(","))
        .map(String::strip)
        .filter(topic -> !topic.isEmpty())
        .toList();
  }

  private static void checkTasks(
      TopicLayout layout, GivenProperties properties, FieldProblems problems) {
    String tasks = properties.text(SinkConnectorProperties.TASKS_MAX, "1");
    if (layout.keepsTransactions() && !tasks.equals("1")) {
      problems.add(
          SinkConnectorProperties.TASKS_MAX,
          new Problem(
              SinkConnectorProperties.TASKS_MAX,
              tasks,
              "1 in the layout " + layout,
              "Transactions are applied whole and in the source's commit order, which one task"
                  + " alone can do. Set it to 1"));
    }
  }

  private static Optional<Pattern> pattern(GivenProperties properties, FieldProblems problems) {
    String text = properties.text(SinkConnectorProperties.TOPICS_REGEX, "");
    if (text.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(Pattern.compile(text));
    } catch (PatternSyntaxException e) {
      problems.add(
          SinkConnectorProperties.TOPICS_REGEX,
          new Problem(
              SinkConnectorProperties.TOPICS_REGEX,
              text,
              "a regular expression of Java: " + e.getDescription(),
              ""));
      return Optional.empty();
    }
  }

  private static void checkTopics(
      TopicLayout layout, List<String> topics, Optional<Pattern> pattern, FieldProblems problems) {
    if (layout.isOneTopic() && (topics.size() != 1 || pattern.isPresent())) {
      problems.add(
          SinkConnectorProperties.TOPICS,
          new Problem(
              SinkConnectorProperties.TOPICS,
              topics.isEmpty() ? "no topic is named" : topics.size() + " topics",
              "one topic in the layout " + layout,
              layout == TopicLayout.JOURNAL
                  ? "Name the journal alone: sluice.TASK.journal"
                  : "Name the topic that all of Debezium's are routed into"));
    } else if (topics.isEmpty() && pattern.isEmpty()) {
      problems.add(
          SinkConnectorProperties.TOPICS,
          new Problem(
              SinkConnectorProperties.TOPICS,
              "no topic is named",
              "the topics of the tables",
              "Name them in topics, or give topics.regex"));
    }
  }

  private static Optional<String> transactionTopic(
      GivenProperties properties,
      List<String> topics,
      Optional<Pattern> pattern,
      FieldProblems problems) {
    String named = properties.text(SinkConnectorProperties.TRANSACTION_TOPIC);
    List<String> found =
        named.isEmpty()
            ? topics.stream().filter(topic -> topic.endsWith(".transaction")).toList()
            : List.of(named);
    boolean isRead = found.size() == 1 && reads(found.get(0), topics, pattern);
    if (isRead && found.get(0).indexOf('.') > 0) {
      return Optional.of(found.get(0));
    }
    problems.add(
        SinkConnectorProperties.TRANSACTION_TOPIC,
        new Problem(
            SinkConnectorProperties.TRANSACTION_TOPIC,
            found.size() > 1 ? "several topics: " + found : named.isEmpty() ? "no topic" : named,
            "Debezium's topic of transactions, prefix.transaction, which is one of the connector's"
                + " topics",
            "Name it here, and among the topics"));
    return Optional.empty();
  }

  private static Optional<String> schemaTopic(
      GivenProperties properties, List<String> topics, FieldProblems problems) {
    String named = properties.text(SinkConnectorProperties.SCHEMA_TOPIC);
    if (!named.isEmpty()) {
      return Optional.of(named);
    }
    if (topics.size() == 1 && topics.get(0).endsWith(JOURNAL_ENDING)) {
      String journal = topics.get(0);
      return Optional.of(
          journal.substring(0, journal.length() - JOURNAL_ENDING.length()) + ".schemas");
    }
    problems.add(
        SinkConnectorProperties.SCHEMA_TOPIC,
        new Problem(
            SinkConnectorProperties.SCHEMA_TOPIC,
            "is missing",
            "the topic of row schemas, since the journal's name does not end in " + JOURNAL_ENDING,
            "Name it"));
    return Optional.empty();
  }
}
