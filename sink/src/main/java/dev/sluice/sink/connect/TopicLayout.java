package dev.sluice.sink.connect;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** What the topics of a connector hold, and so which order can be kept. */
enum TopicLayout {
  /** The ordered journal of a Sluice task. */
  JOURNAL("journal", true),
  /** All topics of a Debezium source routed into one, with the transactions' ends. */
  ORDERED("ordered", true);

  private final String text;
  private final boolean keepsTransactions;

  TopicLayout(String text, boolean keepsTransactions) {
    this.text = text;
    this.keepsTransactions = keepsTransactions;
  }

  static List<String> texts() {
    return Arrays.stream(values()).map(layout -> layout.text).toList();
  }

  static Optional<TopicLayout> of(String text) {
    return Arrays.stream(values()).filter(layout -> layout.text.equals(text)).findFirst();
  }

  /** Transactions are applied whole and in commit order, which takes one task. */
  boolean keepsTransactions() {
    return keepsTransactions;
  }

  @Override
  public String toString() {
    return text;
  }
}
