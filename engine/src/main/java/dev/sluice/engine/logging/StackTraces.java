package dev.sluice.engine.logging;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.net.LostConnection;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.LoggerFactory;

/**
 * Decides whether the log shows where a failure was thrown. A server that is away breaks
 * connections: that is expected, and the message says it. The place in the code is of use only for
 * a failure that nobody expects, or where somebody debugs. Stateless.
 */
final class StackTraces {
  private static final String OWN = "dev.sluice";

  /** Follows a failure that the same logger has named before. */
  private static final String DEBEZIUMS_RETRIES = "The maximum number of ";

  /** Longer chains of causes are loops. */
  private static final int LONGEST_CHAIN = 50;

  private StackTraces() {}

  /** Whether the stack trace of an event's failure is shown; true without one. */
  static boolean areShown(ILoggingEvent event) {
    return !isExpected(event) || isDebugged(event);
  }

  /**
   * Whether a library reports a break that Sluice expects and reports itself. Such an event says
   * nothing new.
   */
  static boolean repeats(ILoggingEvent event) {
    return !event.getLoggerName().startsWith(OWN + ".")
        && (!areShown(event) || isOfRetries(event) && !isDebugged(event));
  }

  /** Debezium makes no retries here: Sluice does. */
  private static boolean isOfRetries(ILoggingEvent event) {
    return event.getLoggerName().equals("io.debezium.pipeline.ErrorHandler")
        && event.getMessage().startsWith(DEBEZIUMS_RETRIES);
  }

  private static boolean isExpected(ILoggingEvent event) {
    return event.getThrowableProxy() instanceof ThrowableProxy proxy
        && isExpected(proxy.getThrowable());
  }

  /** Whether a failure, or what caused it, is a break that may pass by itself. */
  static boolean isExpected(Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; i < LONGEST_CHAIN && cause != null; i++) {
      if (LostConnection.isSaidBy(cause)
          || cause instanceof TimeoutException
          || cause instanceof RetriableException
          || cause instanceof WakeupException
          || cause instanceof SluiceException.Retryable) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  private static boolean isDebugged(ILoggingEvent event) {
    return LoggerFactory.getILoggerFactory() instanceof LoggerContext context
        && (context.getLogger(event.getLoggerName()).isDebugEnabled()
            || context.getLogger(OWN).isDebugEnabled());
  }
}
