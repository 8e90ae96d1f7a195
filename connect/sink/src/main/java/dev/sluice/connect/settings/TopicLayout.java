package dev.sluice.connect.settings;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The contents of a connector's topics, which determine the order that can be kept. */
public enum TopicLayout {
  /** The ordered journal of a Sluice task. */
  JOURNAL("journal", true),
  /** All topics of a Debezium source in one topic, including the ends of transactions. */
  ORDERED("ordered", true),
  /** A topic for each table, and Debezium's transaction topic. */
  TABLES_WITH_TRANSACTIONS("tables-with-transactions", true),
  /** A topic for each table, without information about the order between them. */
  TABLES("tables", false);

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

  /** True if complete transactions are applied in commit order, which requires a single task. */
  boolean keepsTransactions() {
    return keepsTransactions;
  }

  /** True if everything is in one partition. */
  public boolean isOneTopic() {
    return this == JOURNAL || this == ORDERED;
  }

  /** For the log: which order is kept and which is not. */
  public String promise() {
    return keepsTransactions
        ? "transactions are applied whole, in the source's commit order"
        : "each partition is applied in its own order, so the changes of each row are in theirs."
            + " Transactions are NOT kept: the target may show parts of them, and a unique index"
            + " beside the key may meet values in another order than the source did";
  }

  @Override
  public String toString() {
    return text;
  }
}
