package dev.sluice.connector.generic.process;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import java.util.List;
import org.apache.kafka.connect.errors.ConnectException;

/** Classifies what a connector throws. Stateless. */
public final class ConnectorFailures {
  /**
   * What Debezium and the servers say of a log that begins after the offset. Debezium advises
   * another snapshot mode, which would skip what is gone.
   */
  private static final List<String> LOST =
      List.of("no longer available on the server", "binlog files have been purged");

  private ConnectorFailures() {}

  /**
   * Debezium does not show which failures are temporary, and nothing is lost by another start. What
   * is ours is classified already, also below Debezium's.
   */
  public static SluiceException classify(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof SluiceException known) {
        return known;
      }
    }
    if (LOST.stream().anyMatch(reasons(error)::contains)) {
      return new SluiceException.Fatal(
          new Problem(
              "the source's log",
              "the source has removed what comes after the last transaction in the journal",
              "the log from there on",
              "Restore the log if the source can. Else the tables must be loaded again: sluice stop"
                  + " --drop removes the task, and the next run loads them. No other snapshot.mode"
                  + " helps, though Debezium says so: it skips what is gone"));
    }
    return error instanceof ConnectException || error.getClass().getName().startsWith("io.debezium")
        ? new SluiceException.Retryable("Debezium's connector failed: " + reasons(error), error)
        : new SluiceException.Fatal("the capture failed: " + reasons(error), error);
  }

  private static String reasons(Throwable error) {
    Throwable cause = error.getCause();
    return cause == null || cause == error
        ? String.valueOf(error.getMessage())
        : error.getMessage() + ": " + reasons(cause);
  }
}
