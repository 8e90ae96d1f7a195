package dev.sluice.engine.logging;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import org.slf4j.LoggerFactory;

/**
 * Keeps out of the log what libraries say of a break that Sluice expects, and reports itself. Where
 * somebody debugs, nothing is kept out. Sluice's own loggers get an exception only where nobody
 * expects it, and are not asked.
 */
public final class RepeatedBreaks extends Filter<ILoggingEvent> {
  private static final String OWN = "dev.sluice";

  /** Debezium makes no retries here, and has named the failure before. */
  private static final String DEBEZIUMS_FAILURES = "io.debezium.pipeline.ErrorHandler";

  private static final String DEBEZIUMS_RETRIES = "The maximum number of ";

  @Override
  public FilterReply decide(ILoggingEvent event) {
    boolean repeats =
        !event.getLoggerName().startsWith(OWN + ".")
            && (isExpected(event) || isOfRetries(event))
            && !isDebugged(event);
    return repeats ? FilterReply.DENY : FilterReply.NEUTRAL;
  }

  private static boolean isExpected(ILoggingEvent event) {
    return event.getThrowableProxy() instanceof ThrowableProxy proxy
        && ExpectedBreak.isIn(proxy.getThrowable());
  }

  private static boolean isOfRetries(ILoggingEvent event) {
    return event.getLoggerName().equals(DEBEZIUMS_FAILURES)
        && event.getMessage().startsWith(DEBEZIUMS_RETRIES);
  }

  private static boolean isDebugged(ILoggingEvent event) {
    return LoggerFactory.getILoggerFactory() instanceof LoggerContext context
        && (context.getLogger(event.getLoggerName()).isDebugEnabled()
            || context.getLogger(OWN).isDebugEnabled());
  }
}
