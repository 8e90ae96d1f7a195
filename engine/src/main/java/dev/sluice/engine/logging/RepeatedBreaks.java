package dev.sluice.engine.logging;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import java.util.Map;
import org.slf4j.LoggerFactory;

/**
 * Suppresses log messages of libraries about a broken connection that Sluice expects and reports
 * itself. If debug logging is on, nothing is suppressed. Messages of Sluice's own loggers are never
 * suppressed, since they have an exception only if it is unexpected.
 */
public final class RepeatedBreaks extends Filter<ILoggingEvent> {
  private static final String OWN = "dev.sluice";

  /** Suppressed messages without an exception: the logger and a part of the text. */
  private static final Map<String, String> SENTENCES =
      Map.of(
          // Debezium makes no retries here, and has already logged the failure.
          "io.debezium.pipeline.ErrorHandler",
          "The maximum number of ",
          // On a busy machine the embedded broker gets an answer late, and asks again at once.
          "org.apache.kafka.controller.ReplicationControlManager",
          "processExpiredBrokerHeartbeat: controller event queue overloaded",
          // The same on the broker's side.
          "org.apache.kafka.server.BrokerLifecycleManager",
          "sent a heartbeat request but received error REQUEST_TIMED_OUT");

  @Override
  public FilterReply decide(ILoggingEvent event) {
    boolean repeats =
        !event.getLoggerName().startsWith(OWN + ".")
            && (isExpected(event) || isExpectedSentence(event))
            && !isDebugged(event);
    return repeats ? FilterReply.DENY : FilterReply.NEUTRAL;
  }

  private static boolean isExpected(ILoggingEvent event) {
    return event.getThrowableProxy() instanceof ThrowableProxy proxy
        && ExpectedBreak.isIn(proxy.getThrowable());
  }

  private static boolean isExpectedSentence(ILoggingEvent event) {
    String words = SENTENCES.get(event.getLoggerName());
    return words != null && event.getFormattedMessage().contains(words);
  }

  private static boolean isDebugged(ILoggingEvent event) {
    return LoggerFactory.getILoggerFactory() instanceof LoggerContext context
        && (context.getLogger(event.getLoggerName()).isDebugEnabled()
            || context.getLogger(OWN).isDebugEnabled());
  }
}
