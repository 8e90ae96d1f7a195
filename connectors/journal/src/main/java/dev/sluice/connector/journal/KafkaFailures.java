package dev.sluice.connector.journal;

import dev.sluice.config.document.SluiceException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Classifies failures of Kafka as retryable or fatal. Stateless. */
final class KafkaFailures {
  private KafkaFailures() {}

  /**
   * Waits for the result of a request.
   *
   * @param attempted the request, for messages
   * @throws SluiceException if Kafka does not answer or refuses; its cause is Kafka's exception
   */
  static <T> T await(String attempted, Future<T> future) {
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw classify(attempted, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw classify(attempted, e);
    }
  }

  /**
   * @param attempted the action that failed, for messages
   */
  static SluiceException classify(String attempted, Throwable error) {
    Throwable cause = error;
    while ((cause instanceof ExecutionException || cause instanceof CompletionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    if (cause instanceof SluiceException known) {
      return known;
    }
    String message = attempted + " failed: " + cause.getMessage();
    boolean fatal =
        cause instanceof AuthenticationException
            || cause instanceof AuthorizationException
            || cause instanceof InvalidConfigurationException
            || cause instanceof RecordTooLargeException
            || cause instanceof UnknownTopicOrPartitionException;
    if (fatal) {
      return new SluiceException.Fatal(message, cause);
    }
    if (cause instanceof InterruptException || cause instanceof InterruptedException) {
      return new SluiceException.Retryable(attempted + " was interrupted", cause);
    }
    return new SluiceException.Retryable(message, cause);
  }
}
