package dev.sluice.sink.connect.join;

/** What the join asks of Kafka, seldom. */
public interface Cluster {

  /**
   * How many partitions a topic has at present; 0 where there is no such topic.
   *
   * @throws dev.sluice.config.SluiceException.Retryable where Kafka does not answer
   */
  int partitions(String topic);
}
