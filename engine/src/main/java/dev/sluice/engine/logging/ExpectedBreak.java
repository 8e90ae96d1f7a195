package dev.sluice.engine.logging;

import dev.sluice.config.net.LostConnection;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;

/**
 * Recognizes the failures of a library that a server which is away, or a stop, brings with it.
 * Stateless.
 */
final class ExpectedBreak {
  /** Longer chains of causes are loops. */
  private static final int LONGEST_CHAIN = 50;

  private ExpectedBreak() {}

  /** Whether a failure, or what caused it, is a break that may pass by itself. */
  static boolean isIn(Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; i < LONGEST_CHAIN && cause != null; i++) {
      if (LostConnection.isSaidBy(cause)
          || cause instanceof TimeoutException
          || cause instanceof RetriableException
          || cause instanceof WakeupException) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }
}
