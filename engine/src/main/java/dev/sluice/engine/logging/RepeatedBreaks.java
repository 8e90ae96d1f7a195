package dev.sluice.engine.logging;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import java.util.Map;
import org.slf4j.LoggerFactory;

/**
 * Keeps out of the log what libraries say of a break that Sluice expects, and reports itself. Where
 * somebody debugs, nothing is kept out. Sluice's own loggers get an exception only where nobody
 * expects it, and are not asked.
 */
public final class RepeatedBreaks extends Filter<ILoggingEvent> {
  private static final String OWN = "dev.sluice";

  /** Messages without an exception: their logger, and words of them. */
  private static final Map<String, String> SENTENCES =
      Map.of(
          // Debezium makes no retries here, and has named the failure before.
          "io.debezium.pipeline.ErrorHandler",
          "The maximum number of ",
          // A busy machine answered the embedded broker late: it asks again at once.
          "org.apache.kafka.controller.ReplicationControlManager",
          "processExpiredBrokerHeartbeat: controller event queue overloaded",
          // The broker's side of the same.
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
